"""The forms of a row that are accepted, and how a row of each is checked and becomes rows of our own form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as default
from typing import Any, Required

import polars as pl
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from pydantic_core import ErrorDetails
from typing_extensions import TypedDict

from tellapart.bundles.tier_names import ALIASES
from tellapart.errors import near_match, quoted
from tellapart.files import RowFaults, expected_of

Row = dict[str, Any]

_STRICT = ConfigDict(extra="forbid", strict=True)


@with_config(_STRICT)
class TextObject(TypedDict, total=False):
    """A text and where it came from, see ``bundle.Text``; what an event has besides is passed over."""

    text: Required[str]
    event_id: str | int | None
    sense: str | None
    source: str | None
    lemma: str | None
    embedding: list[float] | None


@with_config(ConfigDict(extra="ignore", strict=True))
class GroupedText(TypedDict, total=False):
    """A text of grouped negatives or beside them; its other fields are passed over."""

    text: Required[str]
    event_id: str | int | None
    sense: str | None
    sense_id: str | None


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
class TripletRow(BundleRow, total=False):
    """Columns of sentence-transformers, whose negatives have been gathered into one list."""

    score: float | list[float] | None
    scores: float | list[float] | None


@with_config(_STRICT)
class GroupedRow(TypedDict, total=False):
    """Negatives by their kind, which is kept as the source of each."""

    id: str | int | None
    bundle_id: str | int | None
    lemma: str | None
    pos: str | None
    anchor: Required[str | GroupedText]
    positive: Required[str | GroupedText]
    negatives: Required[dict[str, list[str | GroupedText] | None]]
    tier: str | None
    metadata: dict[str, Any] | None


@with_config(_STRICT)
class FrozenRow(TypedDict, total=False):
    """A frozen eval of the system that the source document describes, below its ``_header`` line."""

    id: str | int | None
    anchor_text: Required[str]
    positive_text: Required[str]
    negative_texts: Required[list[str]]
    tier: str | None
    lemma: str | None
    pos: str | None
    danger: float | None
    sense_id: str | None


@with_config(_STRICT)
class LabelledRow(TypedDict, total=False):
    """An anchor with texts and 1 or 0 for each; sentence-transformers puts the texts under ``positive``."""

    anchor: Required[str]
    positive: Required[list[str]]
    labels: Required[list[float]]


@with_config(_STRICT)
class LabelledPair(TypedDict, total=False):
    """An anchor with one text and 1 or 0."""

    anchor: Required[str]
    positive: Required[str]
    label: Required[float]


@with_config(_STRICT)
class RerankingRow(TypedDict, total=False):
    """What rerankers are evaluated on; ``bundle_ids`` is ours: one for each positive, in their order."""

    query: Required[str | TextObject]
    positive: Required[list[str | TextObject]]
    negative: Required[list[str | TextObject]]
    bundle_id: str | int | None
    bundle_ids: list[str | int] | None
    tier: str | None
    metadata: dict[str, Any] | None


@dataclass(frozen=True)
class Form:
    """One way to write bundles down.

    Attributes:
        name: For people, and for ``--to``.
        fields: What a row may have; in triplets, the negatives are columns besides.
        check: Checks the fields of a row and their types; raises pydantic's ``ValidationError``.
        unify: Turns a checked row and the id of rows without one into rows of our own form.
        field: What this form calls a field of ours, given the position in ``negatives`` or None, and the row
            as it was.
        spellings: Other names of required fields.
        fault: Finds what is wrong with a row whose types are right: field, cause and detail, or None.
    """

    name: str
    fields: tuple[str, ...]
    required: tuple[str, ...]
    check: Callable[[Row], Any]
    unify: Callable[[Row, str], list[Row]]
    field: Callable[[str, int | None, Row], str]
    spellings: Mapping[str, tuple[str, ...]] = default(default_factory=dict)
    fault: Callable[[Row], tuple[str, str, str] | None] = lambda _: None

    def allowed(self, names: Iterable[str]) -> set[str]:
        """What a row with these names may have."""
        columns = negative_columns(names) if self is TRIPLETS else []
        return {
            *self.fields,
            *columns,
            *(name for spellings in self.spellings.values() for name in spellings),
        }

    def spelling(self, name: str, names: Iterable[str]) -> str:
        """How rows with these names spell a field of the form."""
        present = [spelling for spelling in (name, *self.spellings.get(name, ())) if spelling in names]
        return present[0] if present else name

    def canonical(self, row: Row) -> Row:
        """Give a row with the names of the form."""
        given = {self.spelling(name, row): name for name in self.spellings}
        return {given.get(name, name): value for name, value in row.items()} if self.spellings else row


TIER_KEYS = ("tier", "difficulty_tier")
"""Where ``metadata`` may hold a tier."""

HEADER = "_header"
"""A line with this field describes the file and is no bundle."""


def form_of(row: Mapping[str, Any]) -> Form:
    """Recognise a form by the names of its fields, and whether they hold lists; our own one when in doubt."""
    if "anchor_text" in row or "negative_texts" in row:
        return FROZEN
    columns = negative_columns(row)
    if not columns and "negatives" not in row:
        if "labels" in row or isinstance(row.get("scores"), list | pl.List):
            return LABELLED_LIST
        if "label" in row or "score" in row:
            return LABELLED_PAIR
    if "query" in row and columns in ([], ["negative"]) and not _is_text(row.get("negative")):
        return RERANKING
    if "negatives" not in row and columns:
        return TRIPLETS
    return GROUPED if isinstance(row.get("negatives"), dict | pl.Struct) else BUNDLES


def _is_text(value: object) -> bool:
    return isinstance(value, str) or value == pl.String


# No leading zero: ``negative_01`` would be a second spelling of ``negative_1``.
_NEGATIVE = re.compile(r"negative(?:_([1-9][0-9]*))?")


def negative_columns(names: Iterable[str]) -> list[str]:
    """``negative``, ``negative_1``, … as far as they are there, by number."""
    matches = [match for match in map(_NEGATIVE.fullmatch, names) if match]
    return [match[0] for match in sorted(matches, key=lambda match: int(match[1] or 0))]


def _own(row: Row, default_id: str) -> list[Row]:
    given = row.get("bundle_id")
    texts: Row = {name: _without_event(row[name]) for name in ("anchor", "positive")}
    texts["negatives"] = [_without_event(text) for text in row["negatives"]]
    return [{**row, **texts, "bundle_id": default_id if given is None else str(given)}]


def _without_event(text: str | Row) -> str | Row:
    if not isinstance(text, dict) or not text.keys() & {"lemma", "embedding"}:
        return text
    return {name: value for name, value in text.items() if name not in ("lemma", "embedding")}


def _filled_columns(row: Row) -> list[str]:
    # There are as many columns as the longest row needs: in the others, the rest of them is null.
    return [name for name in negative_columns(row) if row[name] is not None]


def _gathered(row: Row) -> Row:
    columns = negative_columns(row)
    others = {name: value for name, value in row.items() if name not in columns}
    return {**others, "negatives": [row[name] for name in _filled_columns(row)]}


def _triplet(row: Row, default_id: str) -> list[Row]:
    gathered = _gathered(row)
    scores = [gathered.pop(name) for name in _SCORES if name in gathered]
    if scores and scores[0] is not None:
        gathered["metadata"] = {**(row.get("metadata") or {}), "scores": scores[0]}
    return _own(gathered, default_id)


_SCORES = ("scores", "score")


def _score_fault(row: Row) -> tuple[str, str, str] | None:
    """Scores are of the positive and each negative, or the margin of the positive to each."""
    name = next((name for name in _SCORES if row.get(name) is not None), None)
    if name is None:
        return None
    n, given = len(_filled_columns(row)), row[name]
    size = len(given) if isinstance(given, list) else 1
    if size in (n, n + 1):
        return None
    return name, "wrong number of scores", f"{size} for {n} negatives, expected {n + 1}"


def _grouped(row: Row, default_id: str) -> list[Row]:
    given = [row[name] for name in ("bundle_id", "id") if row.get(name) is not None]
    negatives = [_text_of(text, kind) for kind, texts in row["negatives"].items() for text in texts or []]
    metadata = {name: row[name] for name in ("lemma", "pos") if row.get(name) is not None}
    return [
        {
            "bundle_id": str(given[0]) if given else default_id,
            "anchor": _text_of(row["anchor"]),
            "positive": _text_of(row["positive"]),
            "negatives": negatives,
            "tier": row.get("tier"),
            "metadata": {**metadata, **(row.get("metadata") or {})},
        }
    ]


def _text_of(text: str | Row, kind: str | None = None) -> Row:
    row = {"text": text} if isinstance(text, str) else text
    sense = row.get("sense") or row.get("sense_id")
    fields = {"text": row["text"], "event_id": row.get("event_id"), "sense": sense, "source": kind}
    return {name: value for name, value in fields.items() if value is not None}


def _frozen(row: Row, default_id: str) -> list[Row]:
    given, sense = row.get("id"), row.get("sense_id")
    metadata = {name: row[name] for name in ("lemma", "pos", "danger") if row.get(name) is not None}
    return [
        {
            "bundle_id": default_id if given is None else str(given),
            "anchor": {"text": row["anchor_text"], "sense": sense} if sense else row["anchor_text"],
            "positive": row["positive_text"],
            "negatives": row["negative_texts"],
            "tier": row.get("tier"),
            "metadata": metadata,
        }
    ]


def _numbered(given: str | int | None, n: int, default_id: str) -> list[str]:
    """The ids of a row's bundles: the row's own for its only one."""
    if given is not None and n == 1:
        return [str(given)]
    return [f"{default_id if given is None else given}.{i}" for i in range(1, n + 1)]


def _each_positive(row: Row, default_id: str) -> list[Row]:
    ids = row.get("bundle_ids") or _numbered(row.get("bundle_id"), len(row["positive"]), default_id)
    shared = {"anchor": row["query"], "negatives": row["negative"]}
    shared |= {name: row[name] for name in ("tier", "metadata") if name in row}
    return [
        unified
        for bundle_id, positive in zip(ids, row["positive"], strict=False)
        for unified in _own({"bundle_id": str(bundle_id), "positive": positive, **shared}, default_id)
    ]


def _reranking_fault(row: Row) -> tuple[str, str, str] | None:
    ids, positives = row.get("bundle_ids"), row["positive"]
    if not positives:
        return "positive", "no positives", ""
    if ids is not None and len(ids) != len(positives):
        return "bundle_ids", "wrong number of ids", f"{len(ids)} for {len(positives)} positives"
    return None


def _labelled(row: Row, default_id: str) -> list[Row]:
    by_label: dict[float, list[str]] = {1: [], 0: []}
    for text, label in zip(row["positive"], row["labels"], strict=True):
        by_label[label].append(text)
    return _each_positive(
        {"query": row["anchor"], "positive": by_label[1], "negative": by_label[0]}, default_id
    )


def _label_fault(row: Row) -> tuple[str, str, str] | None:
    texts, labels = row["positive"], row["labels"]
    if len(labels) != len(texts):
        return "labels", "wrong number of labels", f"{len(labels)} for {len(texts)} texts"
    other = next((label for label in labels if label not in (0, 1)), None)
    if other is not None:
        return "labels", "unknown label", f"found {other:g}, expected 1 for a positive and 0 for a negative"
    for label, cause in ((1, "no positives"), (0, "no negatives")):
        if label not in labels:
            return "labels", cause, f"no text of this anchor has the label {label}"
    return None


def scores_alone(form: Form, row: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """Find scores in place of labels: scores do not say which text is the positive."""
    name = next((name for name in _SCORES if name in row), None)
    if name is None or form not in (LABELLED_LIST, LABELLED_PAIR) or row.keys() & {"label", "labels"}:
        return None
    return name, "no labels", "scores do not say which text is the positive; mine with output_scores=False"


def _own_field(name: str, position: int | None, row: Row) -> str:
    if name == "tier" and row.get("tier") is None:
        return next((tier_field for tier_field in given_tiers(row)), name)
    if name == "bundle_id" and name not in row and "id" in row:
        return "id"
    return name if position is None else f"{name}[{position}]"


def _triplet_field(name: str, position: int | None, row: Row) -> str:
    if name != "negatives":
        return TRIPLETS.spelling(_own_field(name, position, row), row)
    return "negative" if position is None else _filled_columns(row)[position]


def _reranking_field(name: str, position: int | None, row: Row) -> str:
    theirs = {"anchor": "query", "negatives": "negative"}
    if row.get("bundle_ids"):
        theirs["bundle_id"] = "bundle_ids"
    return _own_field(theirs.get(name, name), position, row)


def _grouped_field(name: str, position: int | None, row: Row) -> str:
    if name == "bundle_id":
        return "bundle_id" if row.get("bundle_id") is not None else "id"
    if name != "negatives" or position is None:
        return _own_field(name, position, row)
    places = [
        f"negatives.{kind}[{i}]" for kind, texts in row["negatives"].items() for i in range(len(texts or []))
    ]
    return places[position]


def _frozen_field(name: str, position: int | None, row: Row) -> str:
    theirs = {
        "anchor": "anchor_text",
        "positive": "positive_text",
        "negatives": "negative_texts",
        "bundle_id": "id",
    }
    return _own_field(theirs.get(name, name), position, row)


def _labelled_field(name: str, _: int | None, row: Row) -> str:
    return LABELLED_LIST.spelling({"negatives": "positive"}.get(name, name), row)


def _checker(kind: type) -> Callable[[Row], Any]:
    return TypeAdapter(kind).validate_python


_check_triplet = _checker(TripletRow)

_IDS = {"bundle_id": ("id",)}

BUNDLES = Form(
    "jsonl",
    tuple(BundleRow.__annotations__),
    ("anchor", "positive", "negatives"),
    _checker(BundleRow),
    _own,
    _own_field,
    _IDS,
)

_ANCHORS = ("query", "question")
_POSITIVES = ("answer", "response", "passage", "document")

TRIPLETS = Form(
    "triplets",
    ("bundle_id", "anchor", "positive", "tier", "metadata", *_SCORES),
    ("anchor", "positive"),
    lambda row: _check_triplet(_gathered(row)),
    _triplet,
    _triplet_field,
    {"anchor": _ANCHORS, "positive": _POSITIVES, **_IDS},
    _score_fault,
)

RERANKING = Form(
    "reranking",
    tuple(RerankingRow.__annotations__),
    ("query", "positive", "negative"),
    _checker(RerankingRow),
    _each_positive,
    _reranking_field,
    _IDS,
    fault=_reranking_fault,
)

GROUPED = Form(
    "negatives by kind",
    tuple(GroupedRow.__annotations__),
    ("anchor", "positive", "negatives"),
    _checker(GroupedRow),
    _grouped,
    _grouped_field,
)

FROZEN = Form(
    "frozen eval",
    tuple(FrozenRow.__annotations__),
    ("anchor_text", "positive_text", "negative_texts"),
    _checker(FrozenRow),
    _frozen,
    _frozen_field,
)

_TEXTS = {
    "anchor": _ANCHORS,
    "positive": (*_POSITIVES, "answers", "responses", "passages", "documents", "docs"),
}

LABELLED_LIST = Form(
    "labeled-list",
    tuple(LabelledRow.__annotations__),
    ("anchor", "positive", "labels"),
    _checker(LabelledRow),
    _labelled,
    _labelled_field,
    _TEXTS,
    _label_fault,
)

LABELLED_PAIR = Form(
    "labeled-pair",
    tuple(LabelledPair.__annotations__),
    ("anchor", "positive", "label"),
    _checker(LabelledPair),
    # One pair is no bundle: all of an anchor make a labelled list, see ``gathering``.
    lambda row, _: [row],
    _labelled_field,
    _TEXTS,
)


_BRANCHES = {"str", "int", "float", "list[float]", "TextObject", "GroupedText"}


def checked(row: object, line: int, problems: RowFaults) -> tuple[Form, Row] | None:
    """Recognise the form of a row and check it."""
    if not isinstance(row, dict):
        problems.add(line, "row", "not an object", f"found {quoted(row)}")
        return None
    form = form_of(row)
    canonical = form.canonical(row)
    scored = scores_alone(form, row)
    if scored is not None:
        problems.add(line, *scored)
        return None
    try:
        form.check(canonical)
    except ValidationError as error:
        for name, cause, detail in _faults(error, form, row):
            problems.add(line, name, cause, detail)
        return None
    fault = form.fault(canonical)
    if fault is not None:
        problems.add(line, form.spelling(fault[0], row), *fault[1:])
        return None
    return form, canonical


def unify(row: object, line: int, problems: RowFaults) -> list[Row]:
    """Turn a row into rows of our own form."""
    recognised = checked(row, line, problems)
    if recognised is None:
        return []
    form, canonical = recognised
    tier = _tier_fault(canonical)
    if tier is not None:
        problems.add(line, *tier)
        return []
    return [_with_one_tier(unified) for unified in form.unify(canonical, str(line))]


def given_tiers(row: Row) -> dict[str, Any]:
    """Find the tiers of a row by place: ``tier``, ``metadata.tier``, ``metadata.difficulty_tier``."""
    metadata = row.get("metadata")
    inside = metadata if isinstance(metadata, dict) else {}
    every = {"tier": row.get("tier"), **{f"metadata.{key}": inside.get(key) for key in TIER_KEYS}}
    return {tier_field: tier for tier_field, tier in every.items() if tier is not None}


def _tier_fault(row: Row) -> tuple[str, str, str] | None:
    tiers = given_tiers(row)
    for tier_field, tier in tiers.items():
        if not isinstance(tier, str):
            return tier_field, "wrong type", f"found {quoted(tier)}, expected a text"
    if len({ALIASES.get(tier, tier) for tier in tiers.values()}) > 1:
        values = " and ".join(f"{tier_field} {quoted(tier)}" for tier_field, tier in tiers.items())
        return next(iter(tiers)), "conflicting tiers", f"found {values}, expected one"
    return None


def _with_one_tier(row: Row) -> Row:
    metadata = row.get("metadata")
    if not metadata or not any(key in metadata for key in TIER_KEYS):
        return row
    others = {key: value for key, value in metadata.items() if key not in TIER_KEYS}
    return {**row, "tier": next(iter(given_tiers(row).values()), None), "metadata": others}


def _faults(error: ValidationError, form: Form, row: Row) -> Iterator[tuple[str, str, str]]:
    """Field, cause and what was found: one fault a place, though pydantic has one a type it tried."""
    reported = set()
    for detail in error.errors(include_url=False):
        kind, value, location = detail["type"], detail["input"], detail["loc"]
        field = _spelt(location, form, row)
        if field in reported or (kind in ("string_type", "int_type") and isinstance(value, dict)):
            # An object is tried as a string too; what is wrong inside it says more.
            continue
        reported.add(field)
        allowed = form.allowed(row) if len(location) == 1 else TextObject.__annotations__
        text = location[-1] == "str" and location[0] != "bundle_id"
        yield field, *cause_of(detail, allowed, "a text" if text else None)


def cause_of(detail: ErrorDetails, allowed: Iterable[str], expected: str | None = None) -> tuple[str, str]:
    """Put one of pydantic's faults in our words."""
    kind, value = detail["type"], detail["input"]
    if kind == "missing":
        return "missing field", ""
    if kind == "extra_forbidden":
        return "unknown field", near_match(str(detail["loc"][-1]), allowed).rstrip(".")
    if value is None:
        return "null field", ""
    return "wrong type", f"found {quoted(value)}, expected {expected or expected_of(detail)}"


def _spelt(location: tuple[Any, ...], form: Form, row: Row) -> str:
    name, *inside_parts = location
    if form is GROUPED and name == "negatives" and len(inside_parts) > 1:
        kind, index, *within = inside_parts
        inside = [str(part) for part in within if part not in _BRANCHES]
        return ".".join([f"negatives.{kind}[{index}]", *inside])
    position = next((part for part in inside_parts if isinstance(part, int)), None)
    inner = [part for part in inside_parts if isinstance(part, str) and part not in _BRANCHES]
    return ".".join([form.field(str(name), position, row), *inner])
