"""``embeddings:MODEL``: a model that compares texts, on pieces of files; the best piece of a file counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tellapart.codesearch.index import take_snapshot
from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.systems.system import SearchSystem, SystemAnswer
from tellapart.core.arrays import F64, I64
from tellapart.embed.cache import CachedEmbedder, VectorCache, default_path
from tellapart.embed.protocol import Matcher
from tellapart.embed.registry import load_matcher, require
from tellapart.embed.similarity import VectorMatcher, VectorSimilarity
from tellapart.errors import ProviderError

MOST_LINES = 40  # Lines of a piece
MOST_CHARACTERS = 1_500  # Characters of a piece, some 400 tokens; a line that is longer is a piece of its own


def pieces_of(path: str, text: str) -> list[str]:
    """Cut a file into pieces."""
    pieces: list[list[str]] = [[]]
    size = 0
    for line in text.splitlines():
        if pieces[-1] and (len(pieces[-1]) == MOST_LINES or size + len(line) > MOST_CHARACTERS):
            pieces.append([])
            size = 0
        pieces[-1].append(line)
        size += len(line)
    return list(dict.fromkeys("\n".join((path, *piece)) for piece in pieces if any(map(str.strip, piece))))


@dataclass(frozen=True)
class Pieces:
    """The files, the place of each one's first piece, and the similarity of an issue to every piece."""

    paths: tuple[str, ...]
    starts: I64
    scores: Callable[[str], F64]

    def best(self, issue: str, most: int) -> list[str]:
        """Files by their best piece, if that is above 0, a tie by path; at most ``most``."""
        if not self.paths:
            return []
        best = np.maximum.reduceat(self.scores(issue), self.starts)
        order = np.argsort(-best, kind="stable")[:most]
        return [self.paths[at] for at in order.tolist() if best[at] > 0]


class EmbeddingSystem(SearchSystem):
    """Finds the files whose pieces a model takes to be most like the issue."""

    def check(self) -> None:
        """See that the model is known; loading it takes long."""
        require(self.request.argument)

    def prepare(self) -> None:
        """Have the model see all files as they are now; vectors that are dear are kept in their cache."""
        _ = self.pieces

    @cached_property
    def pieces(self) -> Pieces:
        """The pieces of all files."""
        files = sorted(take_snapshot(self.request.repositories).files, key=lambda file: file.path)
        cut = [(file.path, pieces) for file in files if (pieces := pieces_of(file.path, file.text()))]
        counts = [len(pieces) for _, pieces in cut]
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        texts = [piece for _, pieces in cut for piece in pieces]
        return Pieces(tuple(path for path, _ in cut), starts, _scorer(self._model(texts), texts))

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Compare the issue with every piece."""
        try:
            files = self.pieces.best(conversation.issue_summary, self.request.most_files)
        except ProviderError as error:
            return Failed("provider", "server_error", error.what)
        return SystemAnswer({"files_found": files})

    def _model(self, texts: Sequence[str]) -> Matcher:
        """The model; one that is not fitted on the texts is loaded once for all trees."""
        name, shared = self.request.argument, self.request.shared
        if name in shared:
            loaded: Matcher = shared[name]
            return loaded
        cache = VectorCache(default_path())
        model = load_matcher(name, corpus=texts, cache=cache, progress=self.request.progress)
        if isinstance(model, VectorMatcher) and isinstance(model.embedder, CachedEmbedder):
            shared[name] = model
        return model


def _scorer(model: Matcher, texts: Sequence[str]) -> Callable[[str], F64]:
    every = np.arange(len(texts))
    first = np.zeros(len(texts), dtype=np.int64)
    if not isinstance(model, VectorMatcher):
        return lambda issue: model.score_pairs([issue], texts, first, every)
    rows = model.rows(texts, kind="document")

    def scores(issue: str) -> F64:
        query = model.rows([issue], kind="query", dimensions=rows.vectors.shape[1])
        return VectorSimilarity(query, rows, model.unit)(first, every)

    return scores
