"""What the system under test was asked, and what it returned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

UNCERTAIN = "uncertain"
"""The product area of a conversation that could not be classified."""


@dataclass(frozen=True)
class Conversation:
    """One issue to search for.

    Attributes:
        id: Unique within an iteration.
        issue_summary: What a user reports.
        product_area: Which part of the product it is about; ``UNCERTAIN`` where nobody knows.
        classification_confidence: Of the area, in [0, 1]; None where it is not said.
    """

    id: str
    issue_summary: str
    product_area: str = UNCERTAIN
    classification_confidence: float | None = None


@dataclass(frozen=True)
class Snippet:
    """A piece of a file that the system showed; lines are from 1, None where they are not said."""

    file: str
    content: str
    line_start: int | None = None
    line_end: int | None = None


@dataclass(frozen=True)
class SearchResult:
    """What the system returned for one conversation.

    Attributes:
        files: As ``repo/path``, each once, in the system's order; empty when it found nothing.
        terms: What it searched for, in its order.
        snippets: What it showed of them.
        terms_by_file: Which terms led to a file, where the system says so.
        duration_ms: How long it took; None where it is not said.
    """

    files: tuple[str, ...]
    terms: tuple[str, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    terms_by_file: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    duration_ms: float | None = None


@dataclass(frozen=True)
class Searched:
    """A conversation with what the system returned for it."""

    conversation: Conversation
    result: SearchResult


@dataclass(frozen=True)
class Unusable:
    """A conversation that cannot be evaluated: its id, or ``#2`` where the second has none, and why."""

    conversation: str
    why: str


@dataclass(frozen=True)
class Conversations:
    """Issues that are to be searched for.

    Attributes:
        iteration: From 1; None where the file does not say.
        timestamp: As it was written; None where there is none.
        conversations: In the file's order.
        unusable: What had to be left out.
        notes: What else people should know of the file.
    """

    iteration: int | None
    timestamp: str | None
    conversations: tuple[Conversation, ...]
    unusable: tuple[Unusable, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchResults:
    """One iteration of the system under test.

    Attributes:
        iteration: From 1; None where the file does not say.
        timestamp: As it was written; None where there is none.
        searched: In the file's order.
        unusable: What had to be left out.
        notes: What else people should know of the file, such as paths that were mended.
        system: What searched, in its own words; None where the file does not say.
    """

    iteration: int | None
    timestamp: str | None
    searched: tuple[Searched, ...]
    unusable: tuple[Unusable, ...] = ()
    notes: tuple[str, ...] = ()
    system: str | None = None
