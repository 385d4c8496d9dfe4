"""What a system under test is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from tellapart.codesearch.conversations import Conversation
from tellapart.codesearch.failed import Failed


@dataclass(frozen=True)
class Found:
    """What a system returned for one conversation.

    Attributes:
        result: ``search_results``, as ``evaluate`` reads it: ``files_found`` is a list of paths or of objects
            with ``path`` and the ``terms`` that led to it; ``search_terms_used`` and further fields may be
            there.
        notes: What people should know of it.
    """

    result: dict[str, Any]
    notes: tuple[str, ...] = ()


class SearchSystem(Protocol):
    """Finds files for conversations; it is what is judged."""

    @property
    def name(self) -> str:
        """For people: ``lexical``, or the command line."""

    def prepare(self) -> None:
        """Do what is done once, before the first conversation; again is harmless.

        Raises:
            TellapartError: It cannot search at all.
        """

    async def search(self, conversation: Conversation) -> Found | Failed:
        """Search for one conversation; several may be under way at the same time."""
