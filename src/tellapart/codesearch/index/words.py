"""How often each file holds each word; a file is counted again only when its content changes."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tellapart.codesearch.index.kept import Arrays, Kept
from tellapart.codesearch.index.snapshot import Snapshot, SnapshotFile
from tellapart.codesearch.repositories import Repositories
from tellapart.embed.identifiers import REVISION, split_identifiers

_WRITTEN = re.compile(r"\w+")


@dataclass(frozen=True)
class WordCounts:
    """Words in texts.

    Attributes:
        words: Distinct, in any order; the columns.
        counts: Shape (texts, words), int32, without zeros.
    """

    words: tuple[str, ...]
    counts: csr_array


class WordCounter:
    """Counts the pieces of identifiers, as ``split_identifiers`` cuts them, some three times as fast.

    A piece never reaches beyond letters, digits and underscores, so that each word as it is written is cut
    once, however often it occurs in however many texts.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        """Begin with the words of earlier counts, in order."""
        self.columns = {word: column for column, word in enumerate(words)}
        self._cut: dict[str, tuple[int, ...]] = {}

    def rows(self, texts: Iterable[str]) -> WordCounts:
        """Count the words of texts, one row each; as wide as the words that are known by then."""
        counted = [self._count(text) for text in texts]
        edges = np.cumsum([0, *map(len, counted)])
        total = int(edges[-1])
        columns = np.fromiter(chain.from_iterable(counted), np.int32, total)
        times = np.fromiter(chain.from_iterable(row.values() for row in counted), np.int32, total)
        counts = _rows((times, columns, edges), (len(counted), len(self.columns)))
        return WordCounts(tuple(self.columns), counts)

    def _count(self, text: str) -> dict[int, int]:
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        counts: dict[int, int] = {}
        for written, times in Counter(_WRITTEN.findall(text)).items():
            cut = self._cut.get(written)
            for column in self._cut_up(written) if cut is None else cut:
                counts[column] = counts.get(column, 0) + times
        return counts

    def _cut_up(self, written: str) -> tuple[int, ...]:
        columns = self.columns
        cut = tuple(columns.setdefault(piece, len(columns)) for piece in split_identifiers(written))
        self._cut[written] = cut
        return cut


def kept_words(directory: Path, repositories: Repositories) -> Kept:
    """Name the place where counts of words are kept."""
    return Kept(directory, "words", revision=f"1.{REVISION}", of=repositories)


def count_words(snapshot: Snapshot, kept: Kept | None = None) -> WordCounts:
    """Count the words in the files of a snapshot.

    Args:
        snapshot: The files.
        kept: Of ``kept_words``; only files that it does not know are read, and then it is brought up to date.
            None reads every file.

    Returns:
        One row for each file, in order.

    Raises:
        InputError: A file changed since the snapshot was taken.
    """
    files = {file.digest: file for file in snapshot.files}
    stored = kept.arrays() if kept else {}
    known = stored["digests"].tolist() if stored else []
    if not stored or known != sorted(files):
        stored = _count_unknown(files, known, stored)
        if kept:
            kept.keep(stored)
    counted = _unpacked(stored)
    row = {digest: at for at, digest in enumerate(stored["digests"].tolist())}
    rows = [row[file.digest] for file in snapshot.files]
    return WordCounts(counted.words, csr_array(counted.counts[rows, :]))


def _count_unknown(files: Mapping[str, SnapshotFile], known: Sequence[str], stored: Arrays) -> Arrays:
    """Count the contents that are not known, by digest, and forget those that are gone."""
    earlier = _unpacked(stored)
    counter = WordCounter(earlier.words)
    stay = [(at, digest) for at, digest in enumerate(known) if digest in files]
    fresh = sorted(files.keys() - set(known))
    new = counter.rows(files[digest].text() for digest in fresh)
    old = widened(earlier.counts, len(new.words))[[at for at, _ in stay], :]
    digests = [digest for _, digest in stay] + fresh
    order = sorted(range(len(digests)), key=digests.__getitem__)
    counts = csr_array(vstack([old, new.counts], format="csr")[order, :])
    return _packed([digests[at] for at in order], new.words, counts)


def widened(counts: csr_array, words: int) -> csr_array:
    """Give counts columns without entries, up to ``words``."""
    return _rows((counts.data, counts.indices, counts.indptr), (counts.shape[0], words))


def _rows(entries: tuple[NDArray[Any], NDArray[Any], NDArray[Any]], shape: tuple[int, int]) -> csr_array:
    return csr_array(entries, shape=shape)


def _packed(digests: Sequence[str], words: Sequence[str], counts: csr_array) -> Arrays:
    used, columns = np.unique(counts.indices, return_inverse=True)
    return {
        "digests": np.array(digests, dtype="U64"),
        "words": np.frombuffer("\n".join(words[at] for at in used.tolist()).encode(), dtype=np.uint8),
        "edges": counts.indptr.astype(np.int64),
        "columns": columns.astype(np.int32),
        "times": counts.data.astype(np.int32),
    }


def _unpacked(stored: Arrays) -> WordCounts:
    if not stored:
        return WordCounter().rows([])
    words = tuple(stored["words"].tobytes().decode().split())
    entries = (stored["times"], stored["columns"], stored["edges"])
    return WordCounts(words, _rows(entries, (len(stored["digests"]), len(words))))
