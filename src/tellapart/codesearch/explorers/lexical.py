"""Explorers that ask no model: BM25 over files or parts of them, and recorded explorations.

``lexical`` reads contents and paths; ``names`` the names that files define and the words of their paths, and
no prose; ``docstrings`` comments and docstrings, and nothing else.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tellapart.codesearch.explorers.explorer import Explorer, ExplorerRequest, Issue
from tellapart.codesearch.index import TermIndex, open_docstrings, open_names, open_terms, take_snapshot
from tellapart.codesearch.model import Explored, Failed
from tellapart.codesearch.recordings import evaluation_at
from tellapart.codesearch.repositories import Repositories
from tellapart.embed.identifiers import split_identifiers

SHARE = 0.6  # Of the best file's score: 18 files on average, with precision .193 and recall .567 on commits
MOST_FILES = 50  # Maximum number of files of an exploration; recorded explorations of agents have 26 to 52
MOST_INDEXED = 8  # Trees whose index stays open for the next issue of the same base commit


class Lexical(Explorer):
    """An offline explorer: each word of the issue counts once, however often a pasted log repeats it."""

    def __init__(self, request: ExplorerRequest) -> None:
        """Explore by the part of files that the request's name says."""
        super().__init__(request)
        self._index = lru_cache(MOST_INDEXED)(self._open)

    async def explore(self, issue: Issue, repositories: Repositories) -> Explored:
        """Take the files that score ``SHARE`` of the best one's score, ``MOST_FILES`` at most."""
        ranked = self._index(repositories).ranked(list(dict.fromkeys(split_identifiers(issue.summary))))
        found = tuple(path for path, score in ranked[:MOST_FILES] if score >= SHARE * ranked[0][1])
        return Explored(self.name, found)

    def _open(self, repositories: Repositories) -> TermIndex:
        request = self.request
        snapshot = request.snapshot if repositories == request.repositories else None
        snapshot = snapshot or take_snapshot(repositories)
        if self.name == "names":
            return open_names(snapshot, request.index)
        return open_docstrings(snapshot, request.index) if self.name == "docstrings" else open_terms(snapshot)


class Replay(Explorer):
    """``replay:FILE``: the explorations that an earlier evaluation recorded."""

    reads = False

    def __init__(self, request: ExplorerRequest) -> None:
        """Read the explorations of one role: ``run_a``, ``run_b``, ``retest_a`` or ``retest_b``."""
        super().__init__(request)
        runs = {case.id: getattr(case, request.role) for case in evaluation_at(Path(request.argument)).cases}
        self._runs: dict[str, Explored] = {id_: run for id_, run in runs.items() if run is not None}
        names = {run.explorer for run in self._runs.values()}
        if len(names) == 1:
            self.name = names.pop()

    async def explore(self, issue: Issue, repositories: Repositories) -> Explored:
        """Give what was found then; a conversation that is not there has failed."""
        run = self._runs.get(issue.conversation_id)
        if run is None:
            why = f"conversation {issue.conversation_id!r} is not in {self.request.argument}"
            return Explored(self.name, (), Failed("provider", "not_recorded", why))
        return run
