"""``learnings.json``: what one iteration teaches."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tellapart.codesearch.figures import GapBelow, Number
from tellapart.core.record import StoredRecord


class TermRecord(StoredRecord):
    """What a search term led to, over all conversations that used it.

    Attributes:
        term: As it was searched for, in lower case.
        conversations: Ids of those that used it, in order.
        relevant: Of these, relevant ones that are traced to the term.
        open: Files traced to it without a verdict.
        relevant_alone: Of the relevant ones, those that are traced to no other term.
        noise_rate: Share of noise among the files that are one or the other; None where there is none.
        share: Share of our files that are traced to the term; None without files.
    """

    term: str
    conversations: tuple[str, ...]
    files: int
    relevant: int
    noise: int
    open: int
    relevant_alone: int
    noise_alone: int
    open_alone: int
    noise_rate: Number | None
    share: Number | None


class PlaceRecord(StoredRecord):
    """Counts of the files of a directory, or of a kind.

    Attributes:
        place: ``repo/directory``, or an ending such as ``.py``; ``(none)`` for files without one.
        missed: Relevant files there that we did not find.
        found: Relevant files there that we found.
        missed_in: Conversations in which some were missed, in order.
        noise_in: Conversations in which there was noise, in order.
        recall: Share of the relevant files there that we found; None where there is none.
        noise_rate: Share of noise among our files there; None where there is none.
    """

    place: str
    missed: int
    found: int
    noise: int
    missed_in: tuple[str, ...]
    noise_in: tuple[str, ...]
    recall: Number | None
    noise_rate: Number | None


class AreaFarBelow(StoredRecord):
    """A product area that is far below the whole, and in which measures."""

    count: int
    below: dict[str, GapBelow]


class Learnings(StoredRecord):
    """All of it: terms that led to noise, places with missed files or noise, areas far below the whole."""

    iteration_number: int | None
    timestamp: Any
    conversations: int
    basis: str
    traced_by: str | None
    terms: tuple[TermRecord, ...]
    directories: tuple[PlaceRecord, ...]
    kinds: tuple[PlaceRecord, ...]
    areas: dict[str, AreaFarBelow] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
