"""Vectors on disk, so that no text is embedded twice; losing the file costs time, never a result."""

from __future__ import annotations

import os
import sqlite3
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypeVar

import numpy as np

from tellapart.core.arrays import F32
from tellapart.core.figure_units import COSINE
from tellapart.core.progress import SILENT, Progress, Rate
from tellapart.embed.identifiers import text_digest
from tellapart.embed.protocol import Embedder, Kind, check_vectors
from tellapart.errors import StorageError
from tellapart.files.writing import alone

TEXTS_A_BATCH = 256


class TextBatch(NamedTuple):
    """Texts that go to a model together; a vector may differ in its last digits with the texts beside it."""

    kind: Kind
    texts: Sequence[str]


Elsewhere = Callable[[Sequence[TextBatch]], Iterator[tuple[int, F32]]]
"""Embeds batches in other processes: gives the number of each and its vectors, as they come."""

_T = TypeVar("_T")


class CachedEmbedder:
    """Serves vectors from a cache and has the model embed the rest, each distinct text once.

    What the model gives is checked, then kept batch by batch: an interruption loses one batch at most. A kept
    vector of another length than the model's own is embedded again.
    """

    def __init__(
        self,
        embedder: Embedder,
        cache: VectorCache,
        *,
        batch_size: int = TEXTS_A_BATCH,
        progress: Progress = SILENT,
        elsewhere: Elsewhere | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Put a cache in front of a model; ``clock`` gives seconds."""
        self._embedder, self._cache, self._batch_size = embedder, cache, batch_size
        self._progress, self._elsewhere, self._clock = progress, elsewhere, clock
        self._dimensions: int | None = None
        self.name, self.fingerprint = embedder.name, embedder.fingerprint
        self.similarity: str = getattr(embedder, "similarity", COSINE)

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed texts; see ``Embedder``."""
        if not texts:
            return self._embedder.encode(texts, kind=kind)
        distinct = dict.fromkeys(texts)
        vectors = self._cache.get(self.fingerprint, kind, list(distinct))
        while batches := missing_batches(distinct, self._lacking(vectors), self._batch_size):
            for batch, rows in self._encoded(batches, kind):
                vectors |= self._keep(batch, rows, kind)
        return np.stack([vectors[text] for text in texts])

    def _lacking(self, vectors: Mapping[str, F32]) -> Callable[[str], bool]:
        """Says of which texts there is no vector of the right length."""
        length = self._dimensions or max(map(len, vectors.values()), default=0)
        return lambda text: text not in vectors or len(vectors[text]) != length

    def _encoded(self, batches: Sequence[Sequence[str]], kind: Kind) -> Iterator[tuple[Sequence[str], F32]]:
        """Each batch with its vectors, as they come; progress is told how many, and how many a second."""
        if self._elsewhere is not None:
            encoded = self._elsewhere([TextBatch(kind, batch) for batch in batches])
        else:
            encoded = ((i, self._embedder.encode(batch, kind=kind)) for i, batch in enumerate(batches))
        what = f"{self.name} embeds {'queries' if kind == 'query' else 'documents'}"
        with self._progress.step(what, sum(map(len, batches)), unit="texts") as step:
            rate, done = Rate("", self._clock), 0
            for number, rows in encoded:
                yield batches[number], rows
                done += len(batches[number])
                step.update(done, note=rate.after(len(batches[number])))

    def _keep(self, batch: Sequence[str], rows: F32, kind: Kind) -> dict[str, F32]:
        rows = check_vectors(rows, self.name, batch, kind=kind, dimensions=self._dimensions)
        self._dimensions = rows.shape[1]
        vectors = dict(zip(batch, rows, strict=True))
        self._cache.put(self.fingerprint, kind, vectors)
        return vectors


def missing_batches(
    texts: Iterable[str], is_missing: Callable[[str], bool], size: int
) -> list[Sequence[str]]:
    """Batches of the missing ones of texts, those of like lengths together, which pad less.

    An interrupted run has finished whole batches. The others are then the same again, and what a model gives
    for them is, to the last digit.
    """
    whole, rest = [], []
    for batch in _in_batches(texts, size):
        missing = [text for text in batch if is_missing(text)]
        if len(missing) == len(batch):
            whole.append(batch)
        else:
            rest += missing
    return [*whole, *_in_batches(rest, size)]


def _in_batches(texts: Iterable[str], size: int) -> list[Sequence[str]]:
    by_length = sorted(texts, key=lambda text: (len(text), text))
    return [by_length[start : start + size] for start in range(0, len(by_length), size)]


_WAIT_S = 60.0
_TEXTS_A_QUERY = 500
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    fingerprint TEXT NOT NULL,  -- of the embedder
    kind TEXT NOT NULL,         -- query or document
    text BLOB NOT NULL,         -- SHA-256 of the text
    vector BLOB NOT NULL,       -- little-endian float32
    crc INTEGER NOT NULL,       -- CRC-32 of the vector
    PRIMARY KEY (fingerprint, kind, text)
)
"""


class CacheWarning(UserWarning):
    """The cache cannot be used; results are the same, but slower to get."""


def default_path() -> Path:
    """``$TELLAPART_CACHE``, else ``tellapart/vectors.sqlite`` in ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    if chosen := os.environ.get("TELLAPART_CACHE"):
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tellapart" / "vectors.sqlite"


class VectorCache:
    """A SQLite file of vectors by embedder, kind and text; several processes may use it at once.

    Where the file cannot be read or written (a full disk, a directory without permission) the rest of the run
    goes without, and a ``CacheWarning`` says so, once. A damaged file is refused.
    """

    def __init__(self, path: Path) -> None:
        """Use the file at ``path``, which is opened, and created where missing, on first use."""
        self.path = path
        self._database: sqlite3.Connection | None = None
        self._usable = True

    def get(self, fingerprint: str, kind: Kind, texts: Sequence[str]) -> dict[str, F32]:
        """Find the vectors kept for texts."""
        by_digest = {text_digest(text): text for text in texts}
        rows = self._attempt(lambda database: _select(database, fingerprint, kind, list(by_digest)))
        return {
            by_digest[digest]: np.frombuffer(vector, dtype="<f4").astype(np.float32)
            for digest, vector, crc in rows or ()
            if zlib.crc32(vector) == crc and len(vector) % 4 == 0
        }

    def put(self, fingerprint: str, kind: Kind, vectors: Mapping[str, F32]) -> None:
        """Keep the vectors of texts, in one transaction; those kept before are replaced."""
        rows = []
        for text, vector in vectors.items():
            blob = vector.astype("<f4").tobytes()
            rows.append((fingerprint, kind, text_digest(text), blob, zlib.crc32(blob)))
        self._attempt(lambda database: _insert(database, rows))

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _attempt(self, action: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """Run ``action`` on the file; None where there is no cache."""
        if not self._usable:
            return None
        try:
            return action(self._open())
        except sqlite3.DatabaseError as error:
            # The low byte is the primary code, the rest says how it came about.
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
                raise StorageError(
                    f"the cache of vectors is damaged: {error}",
                    where=self.path,
                    next_step="Delete it, and run the same command again: what it held is embedded once more",
                ) from None
            self._give_up(error)
        except OSError as error:
            self._give_up(error)
        return None

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with alone(self.path):
                self._database = sqlite3.connect(self.path, timeout=_WAIT_S)
                self._database.execute("PRAGMA journal_mode=WAL")
                self._database.execute("PRAGMA synchronous=NORMAL")
                self._database.execute(_SCHEMA)
        return self._database

    def _give_up(self, error: Exception) -> None:
        self._usable = False
        self.close()
        warnings.warn(
            f"{self.path}: the cache of vectors cannot be used ({error}); texts are embedded without it. "
            "Name another file in TELLAPART_CACHE.",
            CacheWarning,
            stacklevel=4,
        )


def _select(
    database: sqlite3.Connection, fingerprint: str, kind: Kind, digests: Sequence[bytes]
) -> list[tuple[bytes, bytes, int]]:
    rows: list[tuple[bytes, bytes, int]] = []
    for start in range(0, len(digests), _TEXTS_A_QUERY):
        wanted = digests[start : start + _TEXTS_A_QUERY]
        marks = ",".join("?" * len(wanted))
        query = (
            f"SELECT text, vector, crc FROM vectors WHERE fingerprint = ? AND kind = ? AND text IN ({marks})"
        )
        rows += database.execute(query, (fingerprint, kind, *wanted)).fetchall()
    return rows


def _insert(database: sqlite3.Connection, rows: Sequence[tuple[str, Kind, bytes, bytes, int]]) -> None:
    with database:
        database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", rows)
