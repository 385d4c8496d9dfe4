"""BM25 over the words in the contents and the paths of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.sparse import csc_array, csr_array

from tellapart.codesearch.index.snapshot import Snapshot, take_snapshot
from tellapart.codesearch.index.words import WordCounter, WordCounts, count_words, kept_words, widened
from tellapart.codesearch.repositories import Repositories
from tellapart.embed.protocol import F64

PATH_WEIGHT = 5
"""How often a word of a path counts, against once for one in the content.

Measured on 357 subjects of commits (without the name of the part in front) in 888 files, the truth being the
files that a commit touches: mean average precision is .325 without paths, .335 at 1, .340 at 3, .344 at 5,
.347 at 10, .350 at 20.
"""

K1, B = 1.5, 0.75


@dataclass(frozen=True)
class TermIndex:
    """Which terms are in which files, and what they weigh there.

    score(q, d) = sum over the terms t of q, repetitions included, of
    ln(1 + (N - df + 1/2) / (df + 1/2)) * tf / (tf + k1 * (1 - b + b * length(d) / mean length)),
    where tf and length count each word of a path ``PATH_WEIGHT`` times.

    Attributes:
        paths: Of the files, as ``repo/path``, sorted.
        columns: Terms, lower-case pieces of identifiers, to where they stand in ``weights``.
        weights: Shape (files, terms), float64, stored just where the term is in the file.

    Source: Kamphuis et al., "Which BM25 Do You Mean?", ECIR 2020, table 1, Lucene (accurate), as the model
        ``bm25``; fields by repetition: Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple
        weighted fields", CIKM 2004.
    """

    paths: tuple[str, ...]
    columns: Mapping[str, int]
    weights: csc_array

    def files_with(self, term: str) -> int:
        """Count the files that hold a term."""
        column = self.columns.get(term)
        return 0 if column is None else int(np.diff(self.weights.indptr[column : column + 2])[0])

    def scores(self, terms: Sequence[str]) -> F64:
        """Score every file; shape (files,), 0 for one that holds none of the terms."""
        scores = np.zeros(len(self.paths))
        for column in [self.columns[term] for term in terms if term in self.columns]:
            inside = slice(self.weights.indptr[column], self.weights.indptr[column + 1])
            scores[self.weights.indices[inside]] += self.weights.data[inside]
        return scores

    def ranked(self, terms: Sequence[str]) -> list[tuple[str, float]]:
        """Rank the files that hold any of the terms, best first, a tie by path; with their scores."""
        scores = self.scores(terms)
        order = np.argsort(-scores, kind="stable")[: np.count_nonzero(scores)]
        return [(self.paths[at], float(scores[at])) for at in order.tolist()]

    def held(self, path: str, terms: Sequence[str]) -> tuple[str, ...]:
        """Say which of the terms are in a file or its path, in the order of the terms."""
        row = self._rows[[self._place[path]]]
        inside = set(row.indices.tolist())
        return tuple(term for term in terms if self.columns.get(term) in inside)

    @cached_property
    def _rows(self) -> csr_array:
        return self.weights.tocsr()

    @cached_property
    def _place(self) -> dict[str, int]:
        return {path: at for at, path in enumerate(self.paths)}


def open_terms(repositories: Repositories, directory: Path, snapshot: Snapshot | None = None) -> TermIndex:
    """Index the approved repositories, with what is kept of them in ``directory``.

    Args:
        repositories: What is indexed.
        directory: Where things are kept.
        snapshot: Of the repositories; by default they are taken as they are now.
    """
    snapshot = snapshot or take_snapshot(repositories)
    paths = [file.path for file in snapshot.files]
    return index_terms(paths, count_words(snapshot, kept_words(directory, repositories)))


def index_terms(paths: Sequence[str], contents: WordCounts, *, path_weight: int = PATH_WEIGHT) -> TermIndex:
    """Weigh the words of files.

    Args:
        paths: Of the files.
        contents: Their words, one row for each file, in the order of ``paths``.
        path_weight: How often a word of a path counts; 0 leaves paths out.
    """
    named = WordCounter(contents.words).rows(paths if path_weight else [])
    counts = widened(contents.counts, len(named.words))
    if path_weight:
        counts = csr_array(counts + path_weight * named.counts)
    order = sorted(range(len(paths)), key=paths.__getitem__)
    columns = {word: column for column, word in enumerate(named.words)}
    return TermIndex(tuple(paths[at] for at in order), columns, _weigh(csr_array(counts[order, :])))


def _weigh(counts: csr_array) -> csc_array:
    """Turn how often terms are in files into what they weigh there."""
    lengths = counts.sum(axis=1)
    mean = lengths.sum() / max(len(lengths), 1)
    norm = K1 * (1 - B + B * lengths / (mean or 1))
    weights = csc_array(counts, dtype=np.float64)
    weights.sort_indices()
    files = np.diff(weights.indptr)
    idf = np.log1p((counts.shape[0] - files + 0.5) / (files + 0.5))
    weights.data = np.repeat(idf, files) * weights.data / (weights.data + norm[weights.indices])
    return weights
