"""What the samples of a log of Inspect ask, and what was answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tellapart.files import part
from tellapart.readers.inspect_archive import holds_log, read_sample
from tellapart.readers.texts import Answered, RowTexts, as_facts, as_text

_Sample = Mapping[str, Any]


def sample_texts(
    path: Path, samples: Iterable[_Sample], item: Callable[[_Sample], str], model: str
) -> RowTexts[_Sample]:
    """Find the samples of each item; whole ones are read when somebody looks at them."""
    is_archive = holds_log(path)
    return RowTexts(
        ((item(sample), sample) for sample in samples),
        lambda sample: _answered(model, read_sample(path, sample) if is_archive else sample),
    )


def _answered(model: str, sample: _Sample) -> Answered:
    facts: dict[str, Any] = {}
    for name, score in part(sample, "scores").items():
        if isinstance(score, Mapping):
            facts[name] = as_text(score.get("value"))
            facts[f"{name}: why"] = score.get("explanation")
    if sample.get("error"):
        facts["error"] = part(sample, "error").get("message", sample["error"])
    messages = sample.get("messages")
    return Answered(
        model,
        as_text(sample.get("input")),
        as_text(sample.get("target")),
        as_text(part(sample, "output").get("completion", "")),
        as_facts(facts),
        tuple(
            {"role": str(message.get("role")), "content": as_text(message.get("content"))}
            for message in (messages if isinstance(messages, list) else ())
            if isinstance(message, Mapping)
        ),
        f"{sample.get('id')}, epoch {sample.get('epoch', 1)}",
    )
