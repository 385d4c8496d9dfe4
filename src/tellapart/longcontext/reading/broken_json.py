"""A JSON file that breaks off: how far it is whole."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tellapart.longcontext.reading.fields import Fields

_TOKEN = re.compile(r'"(?:[^"\\]|\\.|\\\Z)*(?:"|\Z)|[\[\]{}]', re.S)
_CLOSING = {"{": "}", "[": "]"}
_STEPS_GO_ON = "]}]"
_NEAR_THE_END = 8
"""Characters that half a word or number at the end of a file may have."""


@dataclass(frozen=True)
class WholePart:
    """What stands before the place where a file breaks off.

    Attributes:
        data: The JSON of the whole steps.
        line: Where the file breaks off, from 1.
        n_steps: In ``data``.
        last_case: Name of the last case in it; empty without steps.
        last_step: Id of its last step.
        left_out: What is lost, in words.
    """

    data: Any
    line: int
    n_steps: int
    last_case: str
    last_step: str
    left_out: str


def whole_part(text: str, error: json.JSONDecodeError) -> WholePart | None:
    """Read a file of results that breaks off, as far as its steps are whole.

    Args:
        text: The file.
        error: What JSON says of it.

    Returns:
        None where the file does not break off but is broken: then what follows the break would be lost, or
        what stands before it be put in a wrong place.
    """
    rest = len(text.rstrip()) - error.pos
    if text.lstrip()[:1] not in _CLOSING or error.msg == "Extra data":
        return None
    if not error.msg.startswith("Unterminated string") and rest > _NEAR_THE_END:
        return None
    line = text.rstrip().count("\n") + 1
    cut = _cut(text)
    if cut is None:
        return WholePart([], line, 0, "", "", "")
    try:
        data = json.loads(text[: cut[0]] + cut[1])
    except json.JSONDecodeError:
        return None
    cases = Fields.get(data, "cases") if isinstance(data, Mapping) else data
    left_out = _without_doubtful(cases) if _STEPS_GO_ON in cut[1] else "the cases behind it are lost"
    steps = [(case, step) for case in _objects(cases) for step in _objects(Fields.get(case, "steps"))]
    if not steps:
        return WholePart([], line, 0, "", "", "")
    case, step = (Fields.get(*one) for one in ((steps[-1][0], "caseName"), (steps[-1][1], "stepId")))
    return WholePart(data, line, len(steps), str(case), str(step), left_out)


def _objects(found: Any) -> list[Mapping[str, Any]]:
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _cut(text: str) -> tuple[int, str] | None:
    """Where the last whole step or case ends, and what closes the file behind it; None before the first."""
    open_, cut = list[str](), None
    for token in _TOKEN.finditer(text):
        kind = token[0]
        if kind in _CLOSING:
            open_.append(kind)
        elif kind in ("]", "}") and open_:
            open_.pop()
            # Of cases: {[, and of steps: {[{[; each without the { of a file that is a list.
            if kind == "}" and "".join(open_).lstrip("{") in ("[", "[{["):
                cut = token.end(), "".join(_CLOSING[one] for one in reversed(open_))
    return cut


def _without_doubtful(cases: Any) -> str:
    """Take the case that breaks off out again where its model or epoch is lost but others have theirs."""
    *others, last = _objects(cases)
    for name in ("model", "epoch"):
        if any(Fields.has(case, name) for case in others) and not Fields.has(last, name):
            del cases[-1]
            return f"the {name} of {Fields.get(last, 'caseName')!r} is lost, so this case is left out"
    return "what follows is lost"
