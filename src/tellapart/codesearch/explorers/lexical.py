"""``lexical``: BM25 over the contents of files and the words of their paths."""

from __future__ import annotations

import time

from tellapart.codesearch.explorers.protocol import Exploration, Issue
from tellapart.codesearch.explorers.registry import ExplorerRequest
from tellapart.codesearch.repositories import MOST_BYTES, Repositories
from tellapart.embed.models.bm25 import Bm25

MOST_FILES = 20
"""Files that an exploration gives; recorded explorations of agents have 26 to 52."""


class Lexical:
    """The explorer."""

    name = "lexical"

    def __init__(self, repositories: Repositories) -> None:
        """Explore these repositories."""
        self._repositories = repositories
        self._model: Bm25 | None = None
        self._texts: dict[str, str] = {}

    def prepare(self) -> None:
        """Index the files."""
        if self._model is not None:
            return
        for path in self._repositories.files():
            place = self._repositories.locate(path)
            if place.stat().st_size <= MOST_BYTES:
                self._texts[path] = f"{path}\n{place.read_bytes().decode('utf-8', 'replace')}"
        self._model = Bm25.fit(list(self._texts.values()))

    async def explore(self, issue: Issue) -> Exploration:
        """Take the files that score best; a tie goes to the path that sorts first."""
        began = time.monotonic()
        assert self._model is not None
        scores = self._model.score_all([issue.summary], list(self._texts.values()))[0]
        ranked = sorted(zip(-scores, self._texts, strict=True))[:MOST_FILES]
        return Exploration(tuple(path for score, path in ranked if score < 0), None, time.monotonic() - began)


def load(request: ExplorerRequest) -> Lexical:
    """Make the explorer."""
    return Lexical(request.repositories)
