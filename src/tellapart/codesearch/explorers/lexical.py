"""BM25 offline: ``lexical`` over contents and paths, ``names`` and ``docstrings`` over parts of files.

``names`` reads the names that files define and the words of their paths, and no prose; ``docstrings`` reads
comments and docstrings, and nothing else.
"""

from __future__ import annotations

import time

from tellapart.codesearch.explorers.explorer import Exploration, ExplorerRequest, Issue
from tellapart.codesearch.index import TermIndex, open_docstrings, open_names, open_terms, take_snapshot
from tellapart.embed.identifiers import split_identifiers
from tellapart.environment.clock import seconds_since

SHARE = 0.6
"""Of the best file's score that a file needs to be found.

Measured as ``PATH_WEIGHT`` was: 18 files are found on average, 4 to 40 in eight of ten explorations, with
precision .193 and recall .567; as many files for every issue, 15, have .124 and .557.
"""

MOST_FILES = 50
"""Files that an exploration gives; recorded explorations of agents have 26 to 52."""


class Lexical:
    """An offline explorer: each word of the issue counts once, however often a pasted log repeats it."""

    def __init__(self, request: ExplorerRequest) -> None:
        """Explore the repositories of the request; without a snapshot one is taken."""
        self.name = request.name
        self._request = request
        self._terms: TermIndex | None = None

    def check(self) -> None:
        """Nothing can be missing."""

    def prepare(self) -> None:
        """Index the files as they are now; see ``Explorer``."""
        self._index()

    async def explore(self, issue: Issue) -> Exploration:
        """Take the files that score ``SHARE`` of the best one's score, a tie by path, ``MOST_FILES`` at most.

        Nothing is found where no file holds a word of the issue, as may be with one in another language.
        """
        began = time.monotonic()
        ranked = self._index().ranked(list(dict.fromkeys(split_identifiers(issue.summary))))
        files = [path for path, score in ranked[:MOST_FILES] if score >= SHARE * ranked[0][1]]
        return Exploration(tuple(files), None, seconds_since(began))

    def _index(self) -> TermIndex:
        if self._terms is None:
            repositories = self._request.repositories
            snapshot = self._request.snapshot or take_snapshot(repositories)
            if self.name == "names":
                self._terms = open_names(snapshot, self._request.index)
            elif self.name == "docstrings":
                self._terms = open_docstrings(snapshot, self._request.index)
            else:
                self._terms = open_terms(snapshot)
        return self._terms


def load(request: ExplorerRequest) -> Lexical:
    """Make the explorer."""
    return Lexical(request)
