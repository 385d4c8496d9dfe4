"""The forms of a row that are accepted, and how a row of each is checked and becomes rows of our own form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Required

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from pydantic_core import ErrorDetails
from typing_extensions import TypedDict

from tellapart.errors import near_match, quoted
from tellapart.files import RowFaults, expected_of

Row = dict[str, Any]

_STRICT = ConfigDict(extra="forbid", strict=True)


@with_config(_STRICT)
class TextObject(TypedDict, total=False):
    """A text and where it came from; see ``bundle.Text``."""

    text: Required[str]
    event_id: str | int | None
    sense: str | None
    source: str | None


@with_config(_STRICT)
class BundleRow(TypedDict, total=False):
    """Our own form."""

    bundle_id: str | int | None
    anchor: Required[str | TextObject]
    positive: Required[str | TextObject]
    negatives: Required[list[str | TextObject]]
    tier: str | None
    metadata: dict[str, Any] | None


@with_config(_STRICT)
class RerankingRow(TypedDict, total=False):
    """What rerankers are evaluated on; ``bundle_ids`` is ours: one for each positive, in their order."""

    query: Required[str | TextObject]
    positive: Required[list[str | TextObject]]
    negative: Required[list[str | TextObject]]
    bundle_ids: list[str | int] | None
    tier: str | None
    metadata: dict[str, Any] | None


@dataclass(frozen=True)
class Form:
    """One way to write bundles down.

    Attributes:
        name: For people, and for ``--to``.
        fields: What a row may have; in triplets, the negatives are columns besides.
        required: What it must have.
        check: Checks the fields of a row and their types; raises pydantic's ``ValidationError``.
        unify: Turns a checked row and the id of rows without one into rows of our own form.
        field: What this form calls a field of ours, given the position in ``negatives`` or None, and the row
            as it was.
    """

    name: str
    fields: tuple[str, ...]
    required: tuple[str, ...]
    check: Callable[[Row], Any]
    unify: Callable[[Row, str], list[Row]]
    field: Callable[[str, int | None, Row], str]


def form_of(names: Iterable[str]) -> Form:
    """Recognise a form by the names of its fields; our own one when in doubt."""
    fields = set(names)
    if "query" in fields:
        return RERANKING
    if "negatives" not in fields and negative_columns(fields):
        return TRIPLETS
    return BUNDLES


# No leading zero: ``negative_01`` would be a second spelling of ``negative_1``.
_NEGATIVE = re.compile(r"negative(?:_([1-9][0-9]*))?")


def negative_columns(names: Iterable[str]) -> list[str]:
    """``negative``, ``negative_1``, … as far as they are there, by number."""
    matches = [match for match in map(_NEGATIVE.fullmatch, names) if match]
    return [match[0] for match in sorted(matches, key=lambda match: int(match[1] or 0))]


def _own(row: Row, default_id: str) -> list[Row]:
    given = row.get("bundle_id")
    return [{**row, "bundle_id": default_id if given is None else str(given)}]


def _filled_columns(row: Row) -> list[str]:
    # There are as many columns as the longest row needs: in the others, the rest of them is null.
    return [name for name in negative_columns(row) if row[name] is not None]


def _gathered(row: Row) -> Row:
    columns = negative_columns(row)
    others = {name: value for name, value in row.items() if name not in columns}
    return {**others, "negatives": [row[name] for name in _filled_columns(row)]}


def _each_positive(row: Row, default_id: str) -> list[Row]:
    ids = row.get("bundle_ids") or [f"{default_id}.{i}" for i in range(1, len(row["positive"]) + 1)]
    shared = {"anchor": row["query"], "negatives": row["negative"]}
    shared |= {name: row[name] for name in ("tier", "metadata") if name in row}
    return [
        {"bundle_id": str(bundle_id), "positive": positive, **shared}
        for bundle_id, positive in zip(ids, row["positive"], strict=False)
    ]


def _own_field(name: str, position: int | None, _: Row) -> str:
    return name if position is None else f"{name}[{position}]"


def _triplet_field(name: str, position: int | None, row: Row) -> str:
    if name != "negatives":
        return name
    return "negative" if position is None else _filled_columns(row)[position]


def _reranking_field(name: str, position: int | None, row: Row) -> str:
    theirs = {"anchor": "query", "negatives": "negative", "bundle_id": "bundle_ids"}
    return _own_field(theirs.get(name, name), position, row)


_check_bundle = TypeAdapter(BundleRow).validate_python
_check_reranking = TypeAdapter(RerankingRow).validate_python

BUNDLES = Form(
    "jsonl",
    tuple(BundleRow.__annotations__),
    ("anchor", "positive", "negatives"),
    _check_bundle,
    _own,
    _own_field,
)

TRIPLETS = Form(
    "triplets",
    ("bundle_id", "anchor", "positive", "tier", "metadata"),
    ("anchor", "positive"),
    lambda row: _check_bundle(_gathered(row)),
    lambda row, default_id: _own(_gathered(row), default_id),
    _triplet_field,
)

RERANKING = Form(
    "reranking",
    tuple(RerankingRow.__annotations__),
    ("query", "positive", "negative"),
    _check_reranking,
    _each_positive,
    _reranking_field,
)


_BRANCHES = {"str", "int", "TextObject"}


def unify(row: object, line: int, problems: RowFaults) -> list[Row]:
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
        for field, cause, detail in _faults(error, form, row):
            problems.add(line, field, cause, detail)
        return []
    if form.name == "reranking" and not _usable(row, line, problems):
        return []
    return form.unify(row, str(line))


def _usable(row: Row, line: int, problems: RowFaults) -> bool:
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
    reported = set()
    for detail in error.errors(include_url=False):
        kind, value, place = detail["type"], detail["input"], detail["loc"]
        field = _spelt(place, form, row)
        if field in reported or (kind in ("string_type", "int_type") and isinstance(value, dict)):
            # An object is tried as a string too; what is wrong inside it says more.
            continue
        reported.add(field)
        allowed = form.fields if len(place) == 1 else ("text", "event_id", "sense", "source")
        text = place[-1] == "str" and place[0] != "bundle_id"
        yield field, *cause_of(detail, allowed, "a text" if text else None)


def cause_of(detail: ErrorDetails, allowed: Iterable[str], expected: str | None = None) -> tuple[str, str]:
    """Put one of pydantic's faults in our words.

    Args:
        detail: From ``ValidationError.errors``, with its context.
        allowed: The fields that are allowed in that place.
        expected: What the value should have been; None for what the kind of fault implies.

    Returns:
        Cause and what was found, as ``RowFaults.add`` takes them.
    """
    kind, value = detail["type"], detail["input"]
    if kind == "missing":
        return "missing field", ""
    if kind == "extra_forbidden":
        return "unknown field", near_match(str(detail["loc"][-1]), allowed).rstrip(".")
    if value is None:
        return "null field", ""
    return "wrong type", f"found {quoted(value)}, expected {expected or expected_of(detail)}"


def _spelt(place: tuple[Any, ...], form: Form, row: Row) -> str:
    name, *rest = place
    position = next((part for part in rest if isinstance(part, int)), None)
    inner = [part for part in rest if isinstance(part, str) and part not in _BRANCHES]
    return ".".join([form.field(str(name), position, row), *inner])
