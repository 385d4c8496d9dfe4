"""An issue that was drafted, before it has an area."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

FEWEST_WORDS = 4
MOST_WORDS = 60


@dataclass(frozen=True)
class Draft:
    """An issue and the files that it is about.

    Attributes:
        source: ``docstring`` or ``commit``.
        origin: Where it comes from, unique among drafts of one source: a unit's id, a commit's hash.
        summary: The issue, one line.
        files: As ``repo/path``, sorted, at least one.
    """

    source: str
    origin: str
    summary: str
    files: tuple[str, ...]

    @property
    def id(self) -> str:
        """The conversation's id: the same for the same origin, whatever else is drafted."""
        return f"{self.source}-{hashlib.sha256(self.origin.encode('utf-8', 'replace')).hexdigest()[:12]}"


def says_enough(text: str) -> bool:
    """Say whether a text is neither too short nor too long for an issue."""
    return FEWEST_WORDS <= len(text.split()) <= MOST_WORDS
