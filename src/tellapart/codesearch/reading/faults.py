"""Why a record cannot be used, in one sentence for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_EXPECTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}
_QUOTED_CHARACTERS = 60


def why(error: ValidationError) -> str:
    """Say what is wrong with a record: its first fault, and how many there are."""
    problems = error.errors(include_url=False)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return _sentence(problems[0]) + more


def quoted(value: object) -> str:
    """A value as JSON's users know it, cut to what fits a line."""
    text = json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
    return text if len(text) <= _QUOTED_CHARACTERS else f"{text[:_QUOTED_CHARACTERS]}…"


def similar_key(key: str, keys: Mapping[str, Any]) -> str | None:
    """The key that was probably meant; None where none is like it."""
    close = get_close_matches(key, [str(k) for k in keys], n=1, cutoff=0.6)
    return close[0] if close else None


def _sentence(problem: ErrorDetails) -> str:
    place = _place(problem["loc"])
    if problem["type"] == "missing":
        given = problem["input"] if isinstance(problem["input"], Mapping) else {}
        close = similar_key(str(problem["loc"][-1]), given)
        there = f"is {close!r}" if close else f"are {', '.join(sorted(map(str, given))[:12])}"
        return f"{place} is missing" + (f"; there {there}" if given else "")
    found = quoted(problem["input"])
    if problem["type"] == "value_error":
        return f"{place} is {found}, which {problem['ctx']['error']}"
    expected = _EXPECTED.get(problem["type"]) or problem["msg"].removeprefix("Input should be ")
    return f"{place} is {found}, expected {expected}"


def _place(parts: tuple[int | str, ...]) -> str:
    """``search_results.files_found[2].path``, items counted from 0 as JSON's readers do."""
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")
