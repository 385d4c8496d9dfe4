"""Events: texts that use a sense, of which mining makes anchors, positives and negatives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tellapart.bundles.reading import read_rows
from tellapart.bundles.vectors import Source
from tellapart.core.arrays import I64
from tellapart.core.bundle import Event, content
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.embed.similarity import VectorSimilarity
from tellapart.errors import InputError, UsageError, near_match, quoted
from tellapart.files import RowFaults, expected_of


@dataclass(frozen=True)
class Events:
    """Events by ascending id, as numbers; nothing here depends on the order of the file.

    ``texts``, ``senses`` and ``lemmas`` are distinct and ascending, and each event has the number of its own,
    -1 without a lemma; ``content_of`` is equal for texts that differ at most in white space.
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

    def lemma(self, event: int) -> str | None:
        """Lemma of an event."""
        number = int(self.lemma_of[event])
        return None if number < 0 else self.lemmas[number]

    @cached_property
    def by_sense(self) -> list[I64]:
        """Events of each sense."""
        return _members(self.sense_of)

    @cached_property
    def by_content(self) -> list[I64]:
        """Events of each content."""
        return _members(self.content_of)

    @cached_property
    def by_lemma(self) -> list[I64]:
        """Events of each lemma."""
        return _members(self.lemma_of + 1)[1:]

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the events in ascending order of their ids."""
        rows = [
            [name, self.text(i), self.senses[self.sense_of[i]], self.lemma(i)]
            for i, name in enumerate(self.ids)
        ]
        return sha256(canonical_json(rows))


def _members(groups: I64) -> list[I64]:
    """Positions by group, ascending."""
    ends = np.cumsum(np.bincount(groups))
    return np.split(np.argsort(groups, kind="stable"), ends[:-1])


def number_events(events: Iterable[Event]) -> Events:
    """Sort events by id and number what they share; ids are unique."""
    rows = sorted(events, key=lambda event: event.event_id)
    texts, text_of = _number([event.text for event in rows])
    senses, sense_of = _number([event.sense for event in rows])
    lemmas, lemma_of = _number([event.lemma for event in rows])
    return Events(
        ids=[event.event_id for event in rows],
        texts=texts,
        senses=senses,
        lemmas=lemmas,
        text_of=text_of,
        content_of=_number([content(text) for text in texts])[1][text_of],
        sense_of=sense_of,
        lemma_of=lemma_of,
    )


def _number(values: Sequence[str | None]) -> tuple[list[str], I64]:
    names = sorted({value for value in values if value is not None})
    number: dict[str | None, int] = {None: -1} | {name: i for i, name in enumerate(names)}
    return names, np.array([number[value] for value in values], dtype=np.int64)


class _EmbeddedEvent(Event):
    embedding: list[float] | None = None


def read_events(path: Path, problems: RowFaults) -> dict[int, Event]:
    """Read an events file: the event of each line."""
    events: dict[int, Event] = {}
    first: dict[str, int] = {}
    for number, row in chain.from_iterable(read_rows(path, problems)):
        event = _event(number, row, problems)
        if event is None:
            continue
        if event.event_id in first:
            detail = f"{event.event_id!r} is on line {first[event.event_id]}"
            problems.add(number, "event_id", "duplicate id", detail)
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


def _event(number: int, row: object, problems: RowFaults) -> Event | None:
    if not isinstance(row, dict):
        problems.add(number, "row", "not an object", f"found {quoted(row)}")
        return None
    try:
        fields = _EmbeddedEvent.model_validate(row).model_dump(exclude={"embedding"})
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            problems.add(number, str(detail["loc"][0]), *_cause(detail))
        return None
    empty = [name for name, value in fields.items() if value is not None and not value.strip()]
    for name in empty:
        problems.add(number, name, f"empty {name}")
    return None if empty else Event.model_construct(**fields)


def _cause(detail: ErrorDetails) -> tuple[str, str]:
    kind, value = detail["type"], detail["input"]
    if kind == "missing":
        return "missing field", ""
    if kind == "extra_forbidden":
        return "unknown field", near_match(str(detail["loc"][-1]), _EmbeddedEvent.model_fields).rstrip(".")
    if value is None:
        return "null field", ""
    return "wrong type", f"found {quoted(value)}, expected {expected_of(detail)}"


def embed_events(
    lines: dict[int, Event], source: Source, problems: RowFaults
) -> tuple[Events, VectorSimilarity]:
    """Embed events, and compare them by the numbers of their texts; faulty ones are left out."""
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
    return events, similarity.between(kept, kept)
