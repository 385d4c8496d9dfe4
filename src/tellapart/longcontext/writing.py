"""Cases as YAML files."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import yaml

from tellapart.errors import InputError
from tellapart.longcontext.case import Case, CaseStep, Expected
from tellapart.longcontext.reading.yaml_files import case_of_yaml

_BREAKS = "\r\x85\u2028\u2029"
"""Line ends that a block would read back as another one."""


class _Block(str):
    """A text that is written as it is, below its key."""


class _Writer(yaml.SafeDumper):  # type: ignore[misc]
    # Not the one in C, which breaks lines elsewhere.
    pass


def _block(dumper: Any, text: _Block) -> yaml.Node:
    style = '"' if set(text) & set(_BREAKS) else "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=style)


_Writer.add_representer(_Block, _block)


def yaml_of(case: Case) -> str:
    """Write a case so that ``reading.read_case`` reads it back; the same case gives the same text.

    ``line`` and ``source`` are not kept, and a case that continues another one is written out whole.

    Raises:
        InputError: It would be read back as another one, such as where a text begins or ends with spaces or
            an id is none.
    """
    data = {
        "name": case.name,
        "system": _text(case.system),
        "note": _text(case.note) or None,
        "intended_tokens": case.intended_tokens,
        "steps": [_step(step) for step in case.steps],
    }
    text = str(
        yaml.dump(
            _without_nothing(data), Dumper=_Writer, sort_keys=False, allow_unicode=True, width=float("inf")
        )
    )
    read, _ = case_of_yaml(text, Path(f"{case.name}.yaml"))
    if _comparable(read) != _comparable(case):
        raise InputError(
            f"the case {case.name!r} cannot be written as YAML: {_difference(read, case)} would be read back "
            "as another one",
            next_step="Texts must not begin or end with spaces",
        )
    return text


def _text(text: str | None) -> _Block | None:
    return None if text is None else _Block(text)


def _without_nothing(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None and value != []}


def _step(step: CaseStep) -> dict[str, Any]:
    head = {step.type: step.id, "failure_mode": step.failure_mode, "text": _text(step.text)}
    return _without_nothing(head | (_known(step.expected) if step.expected else {}))


def _known(expected: Expected) -> dict[str, Any]:
    return {
        "expected": _text(expected.answer),
        "evidence": [_text(text) for text in expected.evidence],
        "rule": expected.rule,
        "banned": expected.banned,
        "early": _text(expected.early),
        "late": _text(expected.late),
        "entries": [
            {name: value for name, value in asdict(entry).items() if value not in (None, "")}
            for entry in expected.entries
        ],
        "intended_tokens": expected.intended_tokens,
        "question": _text(expected.question),
        "test": _text(expected.test),
        "scoring": _text(expected.scoring),
        "expected_failure": _text(expected.expected_failure),
    }


def _comparable(case: Case) -> Case:
    return replace(case, steps=tuple(_comparable_step(step) for step in case.steps), source="")


def _comparable_step(step: CaseStep) -> CaseStep:
    """Without its line; an answer of which nothing is known is none, and the step names the failure mode."""
    expected = step.expected and replace(step.expected, failure_mode=step.failure_mode)
    if expected == Expected(step.id, failure_mode=step.failure_mode):
        expected = None
    return replace(step, expected=expected, line=1)


def _difference(read: Case, case: Case) -> str:
    pairs = zip(_comparable(read).steps, _comparable(case).steps, strict=True)
    steps = [theirs.id for ours, theirs in pairs if ours != theirs]
    return f"step {steps[0]}" if steps else "what stands above its steps"
