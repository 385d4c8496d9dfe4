"""The forms of a row that are accepted: what each has, and how each becomes rows of our own form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Required

from pydantic import ConfigDict, TypeAdapter, with_config
from typing_extensions import TypedDict

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
    known = set(names)
    if "query" in known:
        return RERANKING
    if "negatives" not in known and negative_columns(known):
        return TRIPLETS
    return BUNDLES


_NEGATIVE = re.compile(r"negative(?:_([1-9][0-9]*))?")


def negative_columns(names: Iterable[str]) -> list[str]:
    """``negative``, ``negative_1``, … as far as they are there, by number."""
    found = [match for match in map(_NEGATIVE.fullmatch, names) if match]
    return [match[0] for match in sorted(found, key=lambda match: int(match[1] or 0))]


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
