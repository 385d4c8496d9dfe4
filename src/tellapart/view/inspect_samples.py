"""What the samples of a log of Inspect ask, and what was answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tellapart.audit.reading.inspect_archive import holds_log, read_archive, read_sample
from tellapart.audit.reading.inspect_log import layout_of, recognises
from tellapart.files import part, read_object
from tellapart.store import ItemText


class InspectSamples:
    """The samples of a log, by item; whole ones are read when somebody looks at them.

    Attributes:
        model: What the log is of.
    """

    def __init__(self, path: Path) -> None:
        """Read the header and the summaries of a log.

        Raises:
            InputError: It is damaged.
        """
        self._path, self._is_archive = path, holds_log(path)
        header, samples = read_archive(path) if self._is_archive else _of_json(path)
        spec = part(header, "eval")
        layout = layout_of(spec, path)
        self.model = layout.model(str(spec.get("model")))
        self._samples: dict[str, list[Mapping[str, Any]]] = {}
        for sample in samples:
            self._samples.setdefault(layout.item(sample), []).append(sample)

    def of(self, item: str) -> dict[str, Any]:
        """As `Details.of`."""
        samples = [
            read_sample(self._path, sample) if self._is_archive else sample
            for sample in self._samples.get(item, ())
        ]
        texts = [
            ItemText(name, _text(samples[0].get(key)))
            for name, key in (("Question", "input"), ("Expected answer", "target"))
            if samples and samples[0].get(key)
        ]
        return {
            "texts": [{"name": text.name, "text": text.text} for text in texts],
            "answers": {self.model: [_answer(sample) for sample in samples]} if samples else {},
            "calls": [_call(self.model, sample) for sample in samples if sample.get("messages")],
        }


def is_inspect_log(path: Path) -> bool:
    """Whether a file is a log of Inspect; never raises."""
    return path.is_file() and recognises(path)


def _of_json(path: Path) -> tuple[dict[str, Any], list[Mapping[str, Any]]]:
    log = read_object(path)
    samples = log.get("samples")
    return log, [one for one in samples if isinstance(one, dict)] if isinstance(samples, list) else []


def _answer(sample: Mapping[str, Any]) -> dict[str, Any]:
    facts = {}
    for name, score in part(sample, "scores").items():
        if isinstance(score, dict):
            facts[name] = _text(score.get("value"))
            if score.get("explanation"):
                facts[f"{name}: why"] = _text(score["explanation"])
    if sample.get("error"):
        facts["error"] = _text(part(sample, "error").get("message", sample["error"]))
    return {"answer": _text(part(sample, "output").get("completion", "")), "facts": facts}


def _call(model: str, sample: Mapping[str, Any]) -> dict[str, Any]:
    messages = [
        {"role": str(message.get("role")), "content": _text(message.get("content"))}
        for message in sample["messages"]
        if isinstance(message, dict)
    ]
    return {
        "model": model,
        "question": f"{sample.get('id')}, epoch {sample.get('epoch', 1)}",
        "messages": messages,
        "reply": _text(part(sample, "output").get("completion", "")),
    }


def _text(value: Any) -> str:
    """A text as it is; a list of messages or parts by their texts; all else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        return "\n\n".join(_text(one.get("content", one.get("text", one))) for one in value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)
