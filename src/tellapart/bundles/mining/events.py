"""Events: texts that use a sense, of which mining makes anchors, positives and negatives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tellapart.bundles.embedding import Source
from tellapart.bundles.reading import read_rows
from tellapart.core.arrays import I64
from tellapart.core.bundle import Event, content
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.embed.vector_matcher import VectorSimilarity
from tellapart.errors import InputError, UsageError, near_match, quoted
from tellapart.files import RowFaults, expected_of


@dataclass(frozen=True)
class Groups:
    """Numbers by group: group g holds ``members[offsets[g]:offsets[g + 1]]``, ascending."""

    members: I64
    offsets: I64

    def of(self, group: int) -> I64:
        """Members of one group."""
        return self.members[self.offsets[group] : self.offsets[group + 1]]


@dataclass(frozen=True)
class Events:
    """Events by ascending id, as numbers; nothing here depends on the order of the file.

    Attributes:
        ids: Shape (events,), ascending.
        texts: Distinct texts, ascending.
        senses: Names, ascending.
        lemmas: Names, ascending.
        text_of: Shape (events,), the number of each event's text.
        content_of: Shape (events,), equal for texts that differ at most in white space.
        sense_of: Shape (events,).
        lemma_of: Shape (events,), -1 without a lemma.
    """

    ids: Sequence[str]
    texts: Sequence[str]
    senses: Sequence[str]
    lemmas: Sequence[str]
    text_of: I64
    content_of: I64
    sense_of: I64
    lemma_of: I64

    def __len__(self) -> int:
        return len(self.ids)

    def text(self, event: int) -> str:
        """Text of an event."""
        return self.texts[int(self.text_of[event])]

    @cached_property
    def by_sense(self) -> Groups:
        """Events of each sense."""
        return group(self.sense_of, len(self.senses))

    @cached_property
    def by_content(self) -> Groups:
        """Events of each content."""
        return group(self.content_of, int(self.content_of.max(initial=-1)) + 1)

    @cached_property
    def by_lemma(self) -> Groups:
        """Events of each lemma."""
        with_lemma = np.flatnonzero(self.lemma_of >= 0)
        groups = group(self.lemma_of[with_lemma], len(self.lemmas))
        return Groups(with_lemma[groups.members], groups.offsets)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the events in ascending order of their ids."""
        rows = [
            [
                name,
                self.text(i),
                self.senses[self.sense_of[i]],
                self.lemmas[self.lemma_of[i]] if self.lemma_of[i] >= 0 else None,
            ]
            for i, name in enumerate(self.ids)
        ]
        return sha256(canonical_json(rows))


def group(of: I64, groups: int) -> Groups:
    """Positions by group.

    Args:
        of: Shape (n,), the group of each position, in [0, groups).
    """
    counts = np.bincount(of, minlength=groups)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Groups(np.argsort(of, kind="stable").astype(np.int64), offsets)


def number_events(events: Iterable[Event]) -> Events:
    """Sort events by id and number what they share; ids are unique."""
    rows = sorted(events, key=lambda event: event.event_id)
    lemmas = [event.lemma for event in rows if event.lemma is not None]
    texts, text_of = _number([event.text for event in rows])
    contents = _number([content(text) for text in texts])[1]
    senses, sense_of = _number([event.sense for event in rows])
    names = sorted(set(lemmas))
    lemma = {name: i for i, name in enumerate(names)}
    return Events(
        ids=[event.event_id for event in rows],
        texts=texts,
        senses=senses,
        lemmas=names,
        text_of=text_of,
        content_of=contents[text_of],
        sense_of=sense_of,
        lemma_of=np.array([-1 if row.lemma is None else lemma[row.lemma] for row in rows], dtype=np.int64),
    )


def read_events(path: Path, problems: RowFaults) -> dict[int, Event]:
    """Read an events file."""
    events: dict[int, Event] = {}
    first: dict[str, int] = {}
    for number, row in chain.from_iterable(read_rows(path, problems)):
        event = _event(number, row, problems)
        if event is None:
            continue
        if event.event_id in first:
            problems.add(
                number, "event_id", "duplicate id", f"{event.event_id!r} is on line {first[event.event_id]}"
            )
            continue
        first[event.event_id] = number
        events[number] = event
    if not events and not problems.counts:
        raise InputError(
            "there is no event in the file",
            where=path,
            next_step="Each line is an object with event_id, text, sense and perhaps lemma; "
            "'tellapart contrastive events' makes such a file from a repository",
        )
    return events


class _EmbeddedEvent(Event):
    embedding: list[float] | None = None


def _event(number: int, row: object, problems: RowFaults) -> Event | None:
    if not isinstance(row, dict):
        problems.add(number, "row", "not an object", f"found {quoted(row)}")
        return None
    try:
        row = _EmbeddedEvent.model_validate(row).model_dump(exclude={"embedding"})
        event = Event.model_construct(**row)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            problems.add(number, str(detail["loc"][0]), *_cause(detail))
        return None
    empty = [name for name in ("event_id", "text", "sense", "lemma") if _is_empty(getattr(event, name))]
    for name in empty:
        problems.add(number, name, f"empty {name}")
    return None if empty else event


def _cause(detail: ErrorDetails) -> tuple[str, str]:
    kind, value = detail["type"], detail["input"]
    if kind == "missing":
        return "missing field", ""
    if kind == "extra_forbidden":
        return "unknown field", near_match(str(detail["loc"][-1]), _EmbeddedEvent.model_fields).rstrip(".")
    return (
        ("null field", "")
        if value is None
        else (
            "wrong type",
            f"found {quoted(value)}, expected {expected_of(detail)}",
        )
    )


def _is_empty(value: str | None) -> bool:
    return value is not None and not value.strip()


def _number(values: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    names = sorted(set(values))
    number = {name: i for i, name in enumerate(names)}
    return names, np.array([number[value] for value in values], dtype=np.int64)


@dataclass(frozen=True)
class EmbeddedEvents:
    """Events that can be compared.

    Attributes:
        similarity: Scores pairs of the numbers of their texts, as anchor and as option.
    """

    events: Events
    similarity: VectorSimilarity


def embed_events(lines: dict[int, Event], source: Source, problems: RowFaults) -> EmbeddedEvents:
    """Embed events; those whose text cannot be compared are left out and noted in ``problems``."""
    texts = sorted({event.text for event in lines.values()})
    embedded = source.embed(texts, texts)
    similarity = embedded.similarity
    if not isinstance(similarity, VectorSimilarity):
        raise UsageError(f"{source.name!r} has no dense vectors; expected an embedder, such as 'lsa'")
    faults = np.where(embedded.anchor_faults != "", embedded.anchor_faults, embedded.option_faults)
    fault_of = dict(zip(texts, faults.tolist(), strict=True))
    for line, event in lines.items():
        if fault_of[event.text]:
            problems.add(line, "text", fault_of[event.text])
    events = number_events(event for event in lines.values() if not fault_of[event.text])
    number = {text: i for i, text in enumerate(texts)}
    kept = np.array([number[text] for text in events.texts], dtype=np.int64)
    return EmbeddedEvents(events, similarity.between(kept, kept))
