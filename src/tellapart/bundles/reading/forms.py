"""The forms of eval files, a row each of a table, and how a row of a file becomes bundles of our own form.

To read another form, add a row to ``FORMS``: how it is recognised, what it calls its fields, and which of the
functions above the table reads its texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from tellapart.bundles.tier_names import ALIASES, TIERS
from tellapart.errors import near_match, quoted
from tellapart.files import RowFaults

Row = dict[str, Any]

Text: TypeAlias = str | Row | None
"""A text, an object of it and where it came from, or None where there is a fault."""

Negative: TypeAlias = tuple[str, int | None, Text]
"""A negative, below the name of its field and its place in that, where it is a list."""

Texts: TypeAlias = tuple[list[Text], list[Negative]]
"""Positives and negatives."""

Kinds: TypeAlias = Mapping[str, type]
"""Names of the fields of a row or the columns of a table, and the type of what they hold."""

Fault = tuple[str, str, str]
"""Field, cause, and what was found."""

TIER_KEYS = ("tier", "difficulty_tier")
"""Where ``metadata`` may hold a tier."""

_TEXT = ("text", "event_id", "sense", "source")
_ANY = "…"
"""Among the fields of a text: further ones may be there and are not read."""

# No leading zero: ``negative_01`` would be a second spelling of ``negative_1``.
_NEGATIVE = re.compile(r"negative(?:_([1-9][0-9]*))?")


@lru_cache
def negative_columns(names: tuple[str, ...]) -> tuple[str, ...]:
    """``negative``, ``negative_1``, … as far as they are there, by number."""
    matches = [match for match in map(_NEGATIVE.fullmatch, names) if match]
    return tuple(match[0] for match in sorted(matches, key=lambda match: int(match[1] or 0)))


@dataclass(frozen=True)
class Form:
    """One way to write bundles down: the names its fields may have, and how its texts are read.

    ``negatives`` are empty where they are columns; ``several`` positives make several bundles; ``kept``
    fields go into the metadata; ``text_fields`` are those of a text that is an object.
    """

    fits: Callable[[Kinds], bool]
    anchor: tuple[str, ...]
    positive: tuple[str, ...]
    negatives: tuple[str, ...]
    texts: Callable[[_Reading], Texts]
    ids: tuple[str, ...] = ("bundle_id", "id")
    several: bool = False
    optional: tuple[str, ...] = ("tier", "metadata")
    kept: tuple[str, ...] = ()
    text_fields: tuple[str, ...] = ()


class Names(NamedTuple):
    """What rows of some names call our fields; ``bundle_id`` where there is no id."""

    anchor: str
    positive: str
    negatives: str
    bundle_id: str


@lru_cache
def names_of(form: Form, present: tuple[str, ...]) -> tuple[Names, tuple[Fault, ...]]:
    """Find the names of the fields, and which are missing or unknown."""
    faults: list[Fault] = []
    chosen = []
    for spellings in (form.anchor, form.positive, form.negatives):
        name = next((name for name in spellings if name in present), None)
        if spellings and not name:
            faults.append((spellings[0], "missing field", ""))
        chosen.append(name or next(iter(spellings), "negative"))
    chosen.append(next((name for name in form.ids if name in present), next(iter(form.ids), "bundle_id")))
    columns = () if form.negatives else negative_columns(present)
    known = {*chosen, *columns, *form.optional, *form.kept}
    accepted = {*form.anchor, *form.positive, *form.negatives, *form.ids, *known}
    faults += [
        (name, "unknown field", near_match(name, accepted).rstrip("."))
        for name in present
        if name not in known
    ]
    return Names(*chosen), tuple(faults)


def form_of(row: Row) -> Form:
    """Recognise a form by the names and types of the fields of a row."""
    return _form_of(tuple(zip(row, map(type, row.values()), strict=True)))


def form_of_table(schema: pl.Schema) -> Form:
    """Recognise a form by the names and types of the columns of a table."""
    types = {pl.String: str, pl.List: list, pl.Struct: dict}
    return _form_of(tuple((name, types.get(kind.base_type(), object)) for name, kind in schema.items()))


@lru_cache(maxsize=4_096)
def _form_of(fields: tuple[tuple[str, type], ...]) -> Form:
    kinds = dict(fields)
    return next(form for form in FORMS if form.fits(kinds))


class ReadBundle(NamedTuple):
    """A bundle of a row in our own form, whether it can be used, and what the row calls its id."""

    row: Row
    is_sound: bool
    id_field: str


def unify(row: object, line: int, problems: RowFaults) -> list[ReadBundle]:
    """Turn a row of any form into bundles; one with a fault of structure makes none."""
    if not isinstance(row, dict):
        problems.add(line, "row", "not an object", f"found {quoted(row)}")
        return []
    reading = _Reading(row)
    bundles = [] if reading.faults else reading.bundles(str(line))
    for fault in reading.faults:
        problems.add(line, *fault)
    return bundles


@dataclass
class _Reading:
    """A row while it is read."""

    row: Row
    faults: list[Fault] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.form = form_of(self.row)
        self.names, faults = names_of(self.form, tuple(self.row))
        self.faults += faults

    def add(self, path: str, cause: str, detail: str = "") -> None:
        self.faults.append((path, cause, detail))

    def wrong(self, path: str, value: object, expected: str) -> None:
        if value is None:
            self.add(path, "null field")
        else:
            self.add(path, "wrong type", f"found {quoted(value)}, expected {expected}")

    def bundles(self, line: str) -> list[ReadBundle]:
        """Make the bundles, if their structure allows; then check what they hold."""
        row, names, form = self.row, self.names, self.form
        anchor = self.text(row[names.anchor], names.anchor)
        positives, negatives = form.texts(self)
        metadata = {} if row.get("metadata") is None else row["metadata"]
        if not isinstance(metadata, dict):
            self.wrong("metadata", metadata, "an object")
            metadata = {}
        ids, tier = self._ids(len(positives), line), self._tier(metadata)
        if self.faults:
            return []
        if row.get("sense_id") and isinstance(anchor, str):
            anchor = {"text": anchor, "sense": row["sense_id"]}
        metadata = {name: row[name] for name in form.kept if row.get(name) is not None} | metadata
        shared: Row = {
            "anchor": anchor,
            "negatives": [text for _, _, text in negatives],
            "tier": next((name for _, name in tier), None),
            "metadata": {name: value for name, value in metadata.items() if name not in TIER_KEYS},
        }
        made = [
            {**shared, "bundle_id": name, "positive": positive}
            for name, positive in zip(ids, positives, strict=True)
        ]
        tier_path = next((path for path, _ in tier), "tier")
        id_field = "bundle_ids" if row.get("bundle_ids") else names.bundle_id
        return [ReadBundle(bundle, self._is_sound(bundle, negatives, tier_path), id_field) for bundle in made]

    def text(self, value: object, path: str, kind: str | None = None) -> Text:
        """Read a text, or an object of a text and where it came from."""
        fields = self.form.text_fields
        if isinstance(value, str):
            return {"text": value, "source": kind} if kind else value
        if not isinstance(value, dict) or not fields:
            self.wrong(path, value, "a text")
            return None
        if "text" not in value:
            self.add(f"{path}.text", "missing field")
        for name, inner in value.items():
            if name not in fields:
                if _ANY not in fields:
                    self.add(f"{path}.{name}", "unknown field", near_match(name, fields).rstrip("."))
            elif name == "text" or (inner is not None and name != "embedding"):
                is_id = name == "event_id" and isinstance(inner, int) and not isinstance(inner, bool)
                if not isinstance(inner, str) and not is_id:
                    self.wrong(f"{path}.{name}", inner, "a text")
        if _ANY in fields:
            value = {**value, "sense": value.get("sense") or value.get("sense_id"), "source": kind}
        return {name: value[name] for name in _TEXT if value.get(name) is not None}

    def listed(self, name: str) -> list[Text]:
        """Read a list of texts."""
        if not isinstance(self.row[name], list):
            self.wrong(name, self.row[name], "a list")
            return []
        return [
            value if isinstance(value, str) else self.text(value, _path(name, i))
            for i, value in enumerate(self.row[name])
        ]

    def _ids(self, positives: int, line: str) -> list[str]:
        given, listed = self.row.get(self.names.bundle_id), self.row.get("bundle_ids")
        if listed is not None and not isinstance(listed, list):
            self.wrong("bundle_ids", listed, "a list")
            listed = None
        for value in [given, *(listed or [])]:
            if value is not None and (isinstance(value, bool) or not isinstance(value, str | int)):
                self.wrong(self.names.bundle_id if value is given else "bundle_ids", value, "a text")
        if listed and len(listed) != positives:
            self.add("bundle_ids", "wrong number of ids", f"{len(listed)} for {positives} positives")
        if listed:
            return [*map(str, listed)]
        name = line if given is None else str(given)
        if not self.form.several or (given is not None and positives == 1):
            return [name]
        return [f"{name}.{i}" for i in range(1, positives + 1)]

    def _tier(self, metadata: Row) -> list[tuple[str, str]]:
        """Where the tier is, ``tier`` or one of ``TIER_KEYS`` in the metadata, and its full name."""
        every = {"tier": self.row.get("tier"), **{f"metadata.{key}": metadata.get(key) for key in TIER_KEYS}}
        tiers = {path: tier for path, tier in every.items() if tier is not None}
        for path, tier in tiers.items():
            if not isinstance(tier, str):
                self.wrong(path, tier, "a text")
                return []
        named = {path: ALIASES.get(tier, tier) for path, tier in tiers.items()}
        if len({*named.values()}) > 1:
            values = " and ".join(f"{path} {quoted(tier)}" for path, tier in tiers.items())
            self.add(next(iter(tiers)), "conflicting tiers", f"found {values}, expected one")
        return [*named.items()]

    def _is_sound(self, bundle: Row, negatives: Sequence[Negative], tier_path: str) -> bool:
        before = len(self.faults)
        if not bundle["bundle_id"].strip():
            self.add(self.names.bundle_id, "empty id", f"found {quoted(bundle['bundle_id'])}")
        for name in ("anchor", "positive"):
            if not plain(bundle[name]).strip():
                self.add(getattr(self.names, name), "empty text", f"found {quoted(plain(bundle[name]))}")
        if not bundle["negatives"]:
            self.add(self.names.negatives, "no negatives")
        positive = plain(bundle["positive"])
        for (name, place, _), text in zip(negatives, map(plain, bundle["negatives"]), strict=True):
            if text == positive:
                self.add(_path(name, place), "positive among the negatives", f"found {quoted(text)}")
            if not text or text.isspace():
                self.add(_path(name, place), "empty text", f"found {quoted(text)}")
        if bundle["tier"] is not None and bundle["tier"] not in TIERS:
            hint = near_match(bundle["tier"], [*TIERS, *ALIASES]).rstrip(".")
            self.add(tier_path, "unknown tier", f"found {quoted(bundle['tier'])}. {hint}")
        return len(self.faults) == before


def plain(text: str | Row) -> str:
    """The text alone, without where it came from."""
    return text if isinstance(text, str) else str(text["text"])


def _path(name: str, place: int | None) -> str:
    return name if place is None else f"{name}[{place}]"


def _one_positive(reading: _Reading) -> list[Text]:
    name = reading.names.positive
    return [reading.text(reading.row[name], name)]


def _negatives(reading: _Reading) -> list[Negative]:
    name = reading.names.negatives
    return [(name, i, text) for i, text in enumerate(reading.listed(name))]


def _a_list(reading: _Reading) -> Texts:
    return _one_positive(reading), _negatives(reading)


def _columns(reading: _Reading) -> Texts:
    # There are as many columns as the longest row needs: in the others, the rest of them is null.
    row = reading.row
    names = [name for name in negative_columns(tuple(row)) if row[name] is not None]
    return _one_positive(reading), [(name, None, reading.text(row[name], name)) for name in names]


def _by_kind(reading: _Reading) -> Texts:
    negatives: list[Negative] = []
    for kind, texts in reading.row["negatives"].items():
        name = f"negatives.{kind}"
        if isinstance(texts, list):
            negatives += [(name, i, reading.text(text, _path(name, i), kind)) for i, text in enumerate(texts)]
        elif texts is not None:
            reading.wrong(name, texts, "a list")
    return _one_positive(reading), negatives


def _two_lists(reading: _Reading) -> Texts:
    name = reading.names.positive
    if reading.row[name] == []:
        reading.add(name, "no positives")
    return reading.listed(name), _negatives(reading)


def _has_negatives(fields: Kinds) -> bool:
    return "negatives" in fields or bool(negative_columns(tuple(fields)))


def _is_reranking(fields: Kinds) -> bool:
    columns = negative_columns(tuple(fields))
    return "query" in fields and columns in ((), ("negative",)) and fields.get("negative") is not str


_ANCHORS = ("anchor", "query", "question")
_POSITIVES = ("positive", "answer", "response", "passage", "document")
_EVENT = (*_TEXT, "lemma", "embedding")

FROZEN = Form(
    fits=lambda fields: "anchor_text" in fields or "negative_texts" in fields,
    anchor=("anchor_text",),
    positive=("positive_text",),
    negatives=("negative_texts",),
    texts=_a_list,
    ids=("id",),
    optional=("tier", "sense_id"),
    kept=("lemma", "pos", "danger"),
)
RERANKING = Form(
    fits=_is_reranking,
    anchor=("query",),
    positive=("positive",),
    negatives=("negative",),
    texts=_two_lists,
    several=True,
    optional=("tier", "metadata", "bundle_ids"),
    text_fields=_EVENT,
)
TRIPLETS = Form(
    fits=lambda fields: "negatives" not in fields and _has_negatives(fields),
    anchor=_ANCHORS,
    positive=_POSITIVES,
    negatives=(),
    texts=_columns,
    kept=("scores", "score"),
    text_fields=_EVENT,
)
GROUPED = Form(
    fits=lambda fields: fields.get("negatives") is dict,
    anchor=("anchor",),
    positive=("positive",),
    negatives=("negatives",),
    texts=_by_kind,
    kept=("lemma", "pos"),
    text_fields=("text", "event_id", "sense", "sense_id", _ANY),
)
BUNDLES = Form(
    fits=lambda fields: True,
    anchor=("anchor",),
    positive=("positive",),
    negatives=("negatives",),
    texts=_a_list,
    text_fields=_EVENT,
)

FORMS = (FROZEN, RERANKING, TRIPLETS, GROUPED, BUNDLES)
"""The first that fits a row is its form."""
