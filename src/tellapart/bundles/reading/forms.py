"""The forms of a row that are accepted, as a table, and how a row of any form becomes rows of our own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import polars as pl

from tellapart.bundles.tier_names import ALIASES, TIERS
from tellapart.errors import near_match, quoted
from tellapart.files import RowFaults

Row = dict[str, Any]

_ANCHORS = ("anchor", "query", "question")
_POSITIVES = ("positive", "answer", "response", "passage", "document")
_LISTS = ("answers", "responses", "passages", "documents", "docs")
_IDS = ("bundle_id", "id")
_BESIDE = ("tier", "metadata")


@dataclass(frozen=True)
class Form:
    """One way to write bundles down.

    Attributes:
        name: For people.
        anchor: Names that the anchor may have; so too the next three.
        negatives: Or of the labels; none where the negatives are columns.
        optional: Further fields that have a meaning.
        kept: Fields that are kept in the metadata.
        text_fields: What a text that is an object may have; anything if ``...`` is in it; none: no objects.
    """

    name: str
    anchor: tuple[str, ...]
    positive: tuple[str, ...]
    negatives: tuple[str, ...]
    ids: tuple[str, ...] = _IDS
    optional: tuple[str, ...] = _BESIDE
    kept: tuple[str, ...] = ()
    text_fields: tuple[object, ...] = ()


_TEXT = ("text", "event_id", "sense", "source")
_EVENT = (*_TEXT, "lemma", "embedding")

BUNDLES = Form("jsonl", ("anchor",), ("positive",), ("negatives",), text_fields=_EVENT)
GROUPED = Form(
    "negatives by kind",
    ("anchor",),
    ("positive",),
    ("negatives",),
    kept=("lemma", "pos"),
    text_fields=("text", "event_id", "sense", "sense_id", ...),
)
FROZEN = Form(
    "frozen eval",
    ("anchor_text",),
    ("positive_text",),
    ("negative_texts",),
    ids=("id",),
    optional=("tier", "sense_id"),
    kept=("lemma", "pos", "danger"),
)
TRIPLETS = Form(
    "triplets", _ANCHORS, _POSITIVES, (), optional=(*_BESIDE, "scores", "score"), text_fields=_EVENT
)
RERANKING = Form(
    "reranking",
    ("query",),
    ("positive",),
    ("negative",),
    optional=(*_BESIDE, "bundle_ids"),
    text_fields=_EVENT,
)
LABELLED_LIST = Form("labeled-list", _ANCHORS, (*_POSITIVES, *_LISTS), ("labels",), ids=(), optional=())
LABELLED_PAIR = Form("labeled-pair", _ANCHORS, (*_POSITIVES, *_LISTS), ("label",), ids=(), optional=())

TIER_KEYS = ("tier", "difficulty_tier")
"""Where ``metadata`` may hold a tier."""

HEADER = "_header"
"""A line with this field describes the file and is no bundle."""

Fault = tuple[str, str, str]
"""Field, cause, and what was found."""


def form_of(row: Mapping[str, Any]) -> Form:
    """Recognise a form by the names and kinds of its fields, of a row or of the schema of a table."""
    if "anchor_text" in row or "negative_texts" in row:
        return FROZEN
    columns = negative_columns(tuple(row))
    if not columns and "negatives" not in row:
        if "labels" in row or isinstance(row.get("scores"), list | pl.List):
            return LABELLED_LIST
        if "label" in row or "score" in row:
            return LABELLED_PAIR
    is_text = isinstance(row.get("negative"), str) or row.get("negative") == pl.String
    if "query" in row and columns in ((), ("negative",)) and not is_text:
        return RERANKING
    if "negatives" not in row and columns:
        return TRIPLETS
    return GROUPED if isinstance(row.get("negatives"), dict | pl.Struct) else BUNDLES


# No leading zero: ``negative_01`` would be a second spelling of ``negative_1``.
_NEGATIVE = re.compile(r"negative(?:_([1-9][0-9]*))?")


@lru_cache
def negative_columns(names: tuple[str, ...]) -> tuple[str, ...]:
    """``negative``, ``negative_1``, … as far as they are there, by number."""
    matches = [match for match in map(_NEGATIVE.fullmatch, names) if match]
    return tuple(match[0] for match in sorted(matches, key=lambda match: int(match[1] or 0)))


class Names(NamedTuple):
    """What rows of some names call our fields; ``bundle_id`` where there is no id."""

    anchor: str
    positive: str
    negatives: str
    bundle_id: str


@lru_cache
def names_of(form: Form, present: tuple[str, ...]) -> tuple[Names, tuple[Fault, ...]]:
    """Find the names of the fields, and which are missing or unknown."""
    if form in (LABELLED_LIST, LABELLED_PAIR) and form.negatives[0] not in present:
        scored = next((name for name in ("scores", "score") if name in present), None)
        if scored:
            why = "scores do not say which text is the positive; mine with output_scores=False"
            return Names(*[""] * 4), ((scored, "no labels", why),)
    faults: list[Fault] = []
    chosen = []
    for spellings in (form.anchor, form.positive, form.negatives):
        found = next((name for name in spellings if name in present), None)
        if spellings and not found:
            faults.append((spellings[0], "missing field", ""))
        chosen.append(found or next(iter(spellings), "negative"))
    chosen.append(next((name for name in form.ids if name in present), next(iter(form.ids), "bundle_id")))
    columns = negative_columns(present) if form is TRIPLETS else ()
    known = {*chosen, *columns, *form.optional, *form.kept}
    accepted = {*form.anchor, *form.positive, *form.negatives, *form.ids, *known}
    faults += [
        (name, "unknown field", near_match(name, accepted).rstrip("."))
        for name in present
        if name not in known
    ]
    return Names(*chosen), tuple(faults)


class ReadBundle(NamedTuple):
    """A bundle of a row, in our own form.

    Attributes:
        is_sound: Whether it can be used.
        id_field: What the row calls its id.
    """

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


def labelled_pair(row: Row, line: int, problems: RowFaults) -> tuple[str, str, float] | None:
    """Read the anchor, the text and the label of a row of ``LABELLED_PAIR``."""
    reading = _Reading(row)
    if not reading.faults:
        names = reading.names
        anchor, text = (reading.text(row[name], name) for name in (names.anchor, names.positive))
        label = row[names.negatives]
        if isinstance(label, bool) or not isinstance(label, int | float):
            reading.wrong(names.negatives, label, "a number")
        elif isinstance(text, str) and not text.strip():
            reading.add(names.positive, "empty text", f"found {quoted(text)}")
        elif isinstance(anchor, str) and isinstance(text, str):
            return anchor, text, label
    for fault in reading.faults:
        problems.add(line, *fault)
    return None


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
        row, names = self.row, self.names
        anchor = self.text(row[names.anchor], names.anchor)
        if self.form is LABELLED_LIST:
            positives, negatives = self._labelled()
        elif self.form is RERANKING:
            positives, negatives = self._texts(names.positive), self._texts(names.negatives)
            if row[names.positive] == []:
                self.add(names.positive, "no positives")
        else:
            positives, negatives = [self.text(row[names.positive], names.positive)], self._negatives()
        ids = self._ids(len(positives), line)
        metadata = self._metadata(len(negatives))
        tier, tier_field = self._tier(metadata)
        if self.faults:
            return []
        if self.form is FROZEN and row.get("sense_id"):
            anchor = {"text": anchor, "sense": row["sense_id"]}
        shared: Row = {"anchor": anchor, "negatives": negatives, "tier": tier}
        shared["metadata"] = {name: value for name, value in metadata.items() if name not in TIER_KEYS}
        made = [
            {**shared, "bundle_id": name, "positive": positive}
            for name, positive in zip(ids, positives, strict=True)
        ]
        sound = [self._is_sound(bundle, tier_field) for bundle in made]
        id_field = "bundle_ids" if row.get("bundle_ids") else names.bundle_id
        return [ReadBundle(bundle, good, id_field) for bundle, good in zip(made, sound, strict=True)]

    def text(self, value: object, path: str, kind: str | None = None) -> str | Row | None:
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
                if ... not in fields:
                    known = [name for name in fields if isinstance(name, str)]
                    self.add(f"{path}.{name}", "unknown field", near_match(name, known).rstrip("."))
            elif name == "text" or (inner is not None and name != "embedding"):
                is_id = name == "event_id" and isinstance(inner, int) and not isinstance(inner, bool)
                if not isinstance(inner, str) and not is_id:
                    self.wrong(f"{path}.{name}", inner, "a text")
        if self.form is GROUPED:
            sense = value.get("sense") or value.get("sense_id")
            value = {
                "text": value.get("text"),
                "event_id": value.get("event_id"),
                "sense": sense,
                "source": kind,
            }
        return {name: value[name] for name in _TEXT if value.get(name) is not None}

    def _texts(self, name: str) -> list[str | Row | None]:
        """Read a list of texts."""
        if not isinstance(self.row[name], list):
            self.wrong(name, self.row[name], "a list")
            return []
        return [
            value if isinstance(value, str) else self.text(value, f"{name}[{i}]")
            for i, value in enumerate(self.row[name])
        ]

    def _negatives(self) -> list[str | Row | None]:
        if self.form is TRIPLETS:
            return [self.text(self.row[name], name) for name in self._columns()]
        if self.form is not GROUPED:
            return self._texts(self.names.negatives)
        texts = []
        for kind, listed in self.row["negatives"].items():
            if isinstance(listed, list):
                path = f"negatives.{kind}"
                texts += [self.text(value, f"{path}[{i}]", kind) for i, value in enumerate(listed)]
            elif listed is not None:
                self.wrong(f"negatives.{kind}", listed, "a list")
        return texts

    def _columns(self) -> list[str]:
        # There are as many columns as the longest row needs: in the others, the rest of them is null.
        return [name for name in negative_columns(tuple(self.row)) if self.row[name] is not None]

    def _path_of(self, position: int) -> str:
        """What the row calls a negative."""
        if self.form is TRIPLETS:
            return self._columns()[position]
        if self.form is LABELLED_LIST:
            return self.names.positive
        if self.form is not GROUPED:
            return f"{self.names.negatives}[{position}]"
        kinds = self.row["negatives"].items()
        return [f"negatives.{kind}[{i}]" for kind, texts in kinds for i in range(len(texts or []))][position]

    def _labelled(self) -> tuple[list[str | Row | None], list[str | Row | None]]:
        texts, labels = self._texts(self.names.positive), self.row["labels"]
        if not isinstance(labels, list):
            self.wrong("labels", labels, "a list")
        elif len(labels) != len(texts) and not self.faults:
            self.add("labels", "wrong number of labels", f"{len(labels)} for {len(texts)} texts")
        elif unknown := [label for label in labels if isinstance(label, bool) or label not in (0, 1)]:
            found = f"found {quoted(unknown[0])}, expected 1 for a positive and 0 for a negative"
            self.add("labels", "unknown label", found)
        else:
            for label, cause in ((1, "no positives"), (0, "no negatives")):
                if label not in labels:
                    self.add("labels", cause, f"no text of this anchor has the label {label}")
        if self.faults:
            return [], []
        labelled = list(zip(texts, labels, strict=True))
        return [text for text, label in labelled if label], [text for text, label in labelled if not label]

    def _ids(self, positives: int, line: str) -> list[str]:
        given, listed = self.row.get(self.names.bundle_id), self.row.get("bundle_ids")
        for value in [given, *(listed or [])]:
            if value is not None and (isinstance(value, bool) or not isinstance(value, str | int)):
                self.wrong(self.names.bundle_id if value is given else "bundle_ids", value, "a text")
        if listed and len(listed) != positives:
            self.add("bundle_ids", "wrong number of ids", f"{len(listed)} for {positives} positives")
        if listed:
            return [*map(str, listed)]
        several = self.form in (RERANKING, LABELLED_LIST)
        if not several or (given is not None and positives == 1):
            return [line if given is None else str(given)]
        return [f"{line if given is None else given}.{i}" for i in range(1, positives + 1)]

    def _metadata(self, negatives: int) -> Row:
        metadata = self.row.get("metadata")
        if metadata is not None and not isinstance(metadata, dict):
            self.wrong("metadata", metadata, "an object")
            return {}
        kept = {name: self.row[name] for name in self.form.kept if self.row.get(name) is not None}
        scored = next((name for name in ("scores", "score") if self.row.get(name) is not None), None)
        scores = self._scores(scored, negatives) if scored and self.form is TRIPLETS else {}
        return {**kept, **(metadata or {}), **scores}

    def _scores(self, name: str, negatives: int) -> Row:
        """Scores are of the positive and each negative, or the margin of the positive to each."""
        given = self.row[name]
        listed = given if isinstance(given, list) else [given]
        if any(isinstance(score, bool) or not isinstance(score, int | float) for score in listed):
            self.wrong(name, given, "a number or a list of numbers")
        elif len(listed) not in (negatives, negatives + 1):
            size = f"{len(listed)} for {negatives} negatives, expected {negatives + 1}"
            self.add(name, "wrong number of scores", size)
        return {"scores": given}

    def _tier(self, metadata: Row) -> tuple[str | None, str]:
        """The tier, by its full name, and where it is: ``tier`` or one of ``TIER_KEYS`` in the metadata."""
        every = {"tier": self.row.get("tier"), **{f"metadata.{key}": metadata.get(key) for key in TIER_KEYS}}
        tiers = {path: tier for path, tier in every.items() if tier is not None}
        for path, tier in tiers.items():
            if not isinstance(tier, str):
                self.wrong(path, tier, "a text")
                return None, path
        named = {path: ALIASES.get(tier, tier) for path, tier in tiers.items()}
        if len({*named.values()}) > 1:
            values = " and ".join(f"{path} {quoted(tier)}" for path, tier in tiers.items())
            self.add(next(iter(tiers)), "conflicting tiers", f"found {values}, expected one")
        return next(iter(named.values()), None), next(iter(named), "tier")

    def _is_sound(self, bundle: Row, tier_field: str) -> bool:
        before = len(self.faults)
        if not bundle["bundle_id"].strip():
            self.add(self.names.bundle_id, "empty id", f"found {quoted(bundle['bundle_id'])}")
        for name in ("anchor", "positive"):
            if not plain(bundle[name]).strip():
                self.add(getattr(self.names, name), "empty text", f"found {quoted(plain(bundle[name]))}")
        if not bundle["negatives"]:
            self.add(self.names.negatives, "no negatives")
        positive = plain(bundle["positive"])
        for position, text in enumerate(map(plain, bundle["negatives"])):
            if text == positive:
                self.add(self._path_of(position), "positive among the negatives", f"found {quoted(text)}")
            if not text or text.isspace():
                self.add(self._path_of(position), "empty text", f"found {quoted(text)}")
        if bundle["tier"] is not None and bundle["tier"] not in TIERS:
            hint = near_match(bundle["tier"], [*TIERS, *ALIASES]).rstrip(".")
            self.add(tier_field, "unknown tier", f"found {quoted(bundle['tier'])}. {hint}")
        return len(self.faults) == before


def plain(text: str | Row) -> str:
    """The text alone, without where it came from."""
    return text if isinstance(text, str) else str(text["text"])
