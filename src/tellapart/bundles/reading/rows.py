"""One row of any form, checked and turned into rows of our own form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tellapart.bundles.reading.forms import Form, Row, form_of
from tellapart.bundles.reading.problems import Problems, quoted
from tellapart.errors import near_match

_TYPES = {
    "string_type": "a string",
    "int_type": "a string",
    "list_type": "a list",
    "dict_type": "an object",
}
_BRANCHES = {"str", "int", "TextObject"}


def unify(row: object, line: int, problems: Problems) -> list[Row]:
    """Turn a row into rows of our own form.

    Args:
        row: As it was read.
        line: Where; names bundles that have no id.
        problems: Gets what is wrong with it.

    Returns:
        One row for each bundle, each with a ``bundle_id``; none where anything is wrong.
    """
    if not isinstance(row, dict):
        problems.add(line, "row", "not an object", f"found {quoted(row)}")
        return []
    form = form_of(row)
    try:
        form.check(row)
    except ValidationError as error:
        for field, cause, found in _faults(error, form, row):
            problems.add(line, field, cause, found)
        return []
    if form.name == "reranking" and not _usable(row, line, problems):
        return []
    return form.unify(row, str(line))


def _usable(row: Row, line: int, problems: Problems) -> bool:
    ids, positives = row.get("bundle_ids"), row["positive"]
    if not positives:
        problems.add(line, "positive", "no positives")
    elif ids is not None and len(ids) != len(positives):
        problems.add(line, "bundle_ids", "wrong number of ids", f"{len(ids)} for {len(positives)} positives")
    else:
        return True
    return False


def _faults(error: ValidationError, form: Form, row: Row) -> Iterator[tuple[str, str, str]]:
    """Field, cause and what was found: one fault a place, though pydantic has one a type it tried."""
    told = set()
    for detail in error.errors(include_url=False, include_context=False):
        kind, value, place = detail["type"], detail["input"], detail["loc"]
        field = _spelt(place, form, row)
        if field in told or (kind in ("string_type", "int_type") and isinstance(value, dict)):
            # An object is tried as a string too; what is wrong inside it says more.
            continue
        told.add(field)
        known = form.fields if len(place) == 1 else ("text", "event_id", "sense", "source")
        text = place[-1] == "str" and place[0] != "bundle_id"
        yield field, *cause_of(detail, known, "a text" if text else None)


def cause_of(detail: ErrorDetails, known: Iterable[str], expected: str | None = None) -> tuple[str, str]:
    """Put one of pydantic's faults in our words.

    Args:
        detail: From ``ValidationError.errors``.
        known: The fields that are allowed in that place.
        expected: What the value should have been; None for what its kind says.

    Returns:
        Cause and what was found, as ``Problems.add`` takes them.
    """
    kind, value = detail["type"], detail["input"]
    if kind == "missing":
        return "missing field", ""
    if kind == "extra_forbidden":
        return "unknown field", near_match(str(detail["loc"][-1]), known).rstrip(".")
    if value is None:
        return "null field", ""
    expected = expected or _TYPES.get(kind, detail["msg"])
    return "wrong type", f"found {quoted(value)}, expected {expected}"


def _spelt(place: tuple[Any, ...], form: Form, row: Row) -> str:
    name, *rest = place
    position = next((part for part in rest if isinstance(part, int)), None)
    inner = [part for part in rest if isinstance(part, str) and part not in _BRANCHES]
    return ".".join([form.field(str(name), position, row), *inner])
