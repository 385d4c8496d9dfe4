"""``lexical``: BM25 over the rarest words of an issue."""

from __future__ import annotations

from collections.abc import Mapping

from tellapart.codesearch.evaluation import LEXICAL
from tellapart.codesearch.index import TermIndex, open_terms, take_snapshot
from tellapart.codesearch.model import Conversation
from tellapart.codesearch.systems.system import SystemAnswer, SystemRequest
from tellapart.embed.identifiers import split_identifiers

MOST_TERMS = 12
"""Words of an issue that are searched for."""


class LexicalSystem:
    """A plain search, to have something to measure and to measure others against."""

    name = LEXICAL

    def __init__(self, request: SystemRequest, *, most_terms: int = MOST_TERMS) -> None:
        """Search the repositories of the request."""
        self._request = request
        self._most_terms = most_terms
        self._terms: TermIndex | None = None

    def check(self) -> None:
        """Nothing can be missing."""

    def prepare(self) -> None:
        """Index the files as they are now."""
        self._index()

    async def search(self, conversation: Conversation) -> SystemAnswer:
        """Rank all files by the terms of the issue, a tie by path."""
        index = self._index()
        terms = search_terms(index, conversation.issue_summary)[: self._most_terms]
        files = [path for path, _ in index.ranked(terms)[: self._request.most_files]]
        results = [{"path": path, "terms": list(index.held(path, terms))} for path in files]
        notes = () if terms else (NO_WORD,)
        return SystemAnswer({"files_found": results, "search_terms_used": terms}, notes)

    async def close(self) -> None:
        """Nothing stays open."""

    def _index(self) -> TermIndex:
        if self._terms is None:
            self._terms = open_terms(take_snapshot(self._request.repositories))
        return self._terms


NO_WORD = "no word of the issue is in any file that may be read"
"""Note about an issue for which nothing could be searched."""


def search_terms(index: TermIndex, issue: str) -> list[str]:
    """Choose the words of an issue that tell files apart, in the order of ``telling_words``."""
    words = split_identifiers(issue)
    return telling_words({word: index.files_with(word) for word in words}, len(index.paths))


def telling_words(files_with: Mapping[str, int], files: int) -> list[str]:
    """Choose the words that tell files apart, the rarest first, a tie by first place."""
    present = sorted((word for word in files_with if files_with[word]), key=files_with.__getitem__)
    return [word for word in present if 2 * files_with[word] <= files] or present


def load(request: SystemRequest) -> LexicalSystem:
    """Make the system."""
    return LexicalSystem(request)
