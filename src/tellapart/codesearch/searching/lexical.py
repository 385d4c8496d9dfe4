"""``lexical``: the files that score best for the words of an issue that tell files apart."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tellapart.codesearch.conversations import Conversation
from tellapart.codesearch.index.terms import TermIndex, open_terms
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.searching.protocol import Found
from tellapart.embed.identifiers import split_identifiers

MOST_TERMS = 12
"""Words of an issue that are searched for."""

MOST_FILES = 20
"""Files that are found."""

JUDGES_ITSELF = (
    "the system 'lexical' and the explorer 'lexical' search in the same way: where that explorer judges this "
    "system, they agree because of it, and precision and recall say little"
)


class LexicalSystem:
    """A plain search, to have something to measure and to measure others against."""

    name = "lexical"

    def __init__(
        self,
        repositories: Repositories,
        index: Path,
        *,
        without: Collection[str] = (),
        most_terms: int = MOST_TERMS,
        most_files: int = MOST_FILES,
    ) -> None:
        """Search these repositories.

        Args:
            repositories: All that may be read.
            index: Directory of what is kept of them.
            without: Words that are never searched for, whatever their case.
            most_terms: Words of an issue that are searched for, at least 1.
            most_files: Files that are found, at least 1.
        """
        self._repositories = repositories
        self._directory = index
        self._without = {piece for word in without for piece in split_identifiers(word)}
        self._most_terms = most_terms
        self._most_files = most_files
        self._terms: TermIndex | None = None

    def prepare(self) -> None:
        """Index the files as they are now."""
        self._index()

    async def search(self, conversation: Conversation) -> Found:
        """Rank all files by the terms of the issue, a tie by path."""
        index = self._index()
        terms = search_terms(index, conversation.issue_summary, self._without)[: self._most_terms]
        files = [path for path, _ in index.ranked(terms)[: self._most_files]]
        found = [{"path": path, "terms": list(index.held(path, terms))} for path in files]
        notes = () if terms else ("no word of the issue is in any file that may be read",)
        return Found({"files_found": found, "search_terms_used": terms}, notes)

    def _index(self) -> TermIndex:
        if self._terms is None:
            self._terms = open_terms(self._repositories, self._directory)
        return self._terms


def search_terms(index: TermIndex, issue: str, without: Collection[str] = ()) -> list[str]:
    """Choose the words of an issue that tell files apart, the rarest first, a tie by first place.

    Args:
        index: Of the files.
        issue: Any text.
        without: Words to leave out.

    Returns:
        Distinct words that some file has, those that more than half of the files have left out; with no other
        word, these. Empty when no file has a word of the issue.
    """
    files = {word: index.files_with(word) for word in split_identifiers(issue) if word not in without}
    known = sorted((word for word in files if files[word]), key=files.__getitem__)
    return [word for word in known if 2 * files[word] <= len(index.paths)] or known
