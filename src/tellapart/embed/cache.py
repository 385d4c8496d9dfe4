"""Vectors on disk, so that no text is embedded twice; losing the file costs time, never a result."""

from __future__ import annotations

import os
import sqlite3
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self, TypeVar

import numpy as np

from tellapart.core.arrays import F32
from tellapart.core.figure_units import COSINE
from tellapart.core.progress import SILENT, Progress, Rate
from tellapart.embed.identifiers import text_digest
from tellapart.embed.protocol import Embedder, Kind
from tellapart.embed.vectors import check_vectors
from tellapart.files.writing import alone

TEXTS_A_BATCH = 256


class TextBatch(NamedTuple):
    """Texts that go to a model together; a vector may differ in its last digits with the texts beside it."""

    kind: Kind
    texts: Sequence[str]


Elsewhere = Callable[[Sequence[TextBatch]], Iterator[tuple[int, Any]]]
"""Embeds batches in other processes: gives the number of each and its arrays, as they come."""

CacheKind = Kind | Literal["pair"]

_T = TypeVar("_T")
_R = TypeVar("_R")


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
        """Put a cache in front of a model.

        Args:
            clock: Gives seconds.
        """
        self._embedder = embedder
        self._cache = cache
        self._batch_size = batch_size
        self._progress = progress
        self._elsewhere = elsewhere
        self._clock = clock
        self._dimensions: int | None = None

    @property
    def name(self) -> str:
        """The embedder's."""
        return self._embedder.name

    @property
    def fingerprint(self) -> str:
        """The embedder's."""
        return self._embedder.fingerprint

    @property
    def similarity(self) -> str:
        """The embedder's."""
        return getattr(self._embedder, "similarity", COSINE)

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed texts; see ``Embedder``."""
        if not texts:
            return self._embedder.encode(texts, kind=kind)
        distinct = dict.fromkeys(texts)
        vectors = self._cache.get(self.fingerprint, kind, list(distinct))
        while batches := missing_batches(distinct, self._lacking(vectors), self._batch_size):
            encoded = self._encoded(batches, kind)
            what = f"{self.name} embeds {SIDES[kind]}"
            for batch, rows in reported(
                batches, encoded, self._progress, what, unit="texts", clock=self._clock
            ):
                vectors |= self._keep(batch, rows, kind)
        return np.stack([vectors[text] for text in texts])

    def _lacking(self, vectors: Mapping[str, F32]) -> Callable[[str], bool]:
        """Says of which texts there is no vector of the right length."""
        length = self._dimensions or max(map(len, vectors.values()), default=0)
        return lambda text: text not in vectors or len(vectors[text]) != length

    def _encoded(self, batches: Sequence[Sequence[str]], kind: Kind) -> Iterator[tuple[int, F32]]:
        if self._elsewhere is not None:
            return self._elsewhere([TextBatch(kind, batch) for batch in batches])
        return ((i, self._embedder.encode(batch, kind=kind)) for i, batch in enumerate(batches))

    def _keep(self, batch: Sequence[str], rows: F32, kind: Kind) -> dict[str, F32]:
        rows = check_vectors(rows, self.name, batch, kind=kind, dimensions=self._dimensions)
        self._dimensions = rows.shape[1]
        vectors = dict(zip(batch, rows, strict=True))
        self._cache.put(self.fingerprint, kind, vectors)
        return vectors


SIDES: Mapping[Kind, str] = {"query": "queries", "document": "documents"}

_GOLDEN = 0.618


def in_batches(things: Sequence[_T], size: int) -> list[Sequence[_T]]:
    """Cut things up."""
    batches = [things[start : start + size] for start in range(0, len(things), size)]
    return [batches[i] for i in sorted(range(len(batches)), key=lambda i: i * _GOLDEN % 1)]


def missing_batches(
    texts: Iterable[str], is_missing: Callable[[str], bool], size: int
) -> list[Sequence[str]]:
    """Batches of the missing ones of texts, those of like lengths together, which pad less.

    An interrupted run has finished whole batches. The others are then the same again, and what a model gives
    for them is, to the last digit.
    """
    whole, rest = [], []
    for batch in in_batches(sorted(texts, key=_by_length), size):
        missing = [text for text in batch if is_missing(text)]
        if len(missing) == len(batch):
            whole.append(batch)
        else:
            rest += missing
    return [*whole, *in_batches(sorted(rest, key=_by_length), size)]


def _by_length(text: str) -> tuple[int, str]:
    return len(text), text


def reported(
    batches: Sequence[Sequence[_T]],
    results: Iterable[tuple[int, _R]],
    progress: Progress,
    what: str,
    *,
    unit: str,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[tuple[Sequence[_T], _R]]:
    """Give each batch with its result, as they come, and say how many things are done, and how many a second.

    Args:
        clock: Gives seconds.
    """
    with progress.step(what, sum(map(len, batches)), unit=unit) as step:
        rate, done = Rate("", clock), 0
        for number, result in results:
            yield batches[number], result
            done += len(batches[number])
            step.update(done, note=rate.after(len(batches[number])))


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
    """The cache was damaged or cannot be used; results are the same, but slower to get."""


def default_path() -> Path:
    """``$TELLAPART_CACHE``, else ``tellapart/vectors.sqlite`` in ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    if chosen := os.environ.get("TELLAPART_CACHE"):
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tellapart" / "vectors.sqlite"


class VectorCache:
    """A SQLite file of vectors by embedder, kind and text; several processes may use it at once.

    It never fails: a damaged file is renamed to ``NAME.corrupt-N`` and a new one begun; where the file cannot
    be read or written (a full disk, a directory without permission) the rest of the run goes without. Either
    way a ``CacheWarning`` says so, once.
    """

    def __init__(self, path: Path) -> None:
        """Use the file at ``path``, which is opened, and created where missing, on first use."""
        self.path = path
        self._database: sqlite3.Connection | None = None
        self._inode = 0
        self._usable = True

    def get(self, fingerprint: str, kind: CacheKind, texts: Sequence[str]) -> dict[str, F32]:
        """Find the vectors kept for texts."""
        by_digest = {text_digest(text): text for text in texts}
        rows = self._attempt(lambda database: _select(database, fingerprint, kind, list(by_digest)))
        return {
            by_digest[digest]: np.frombuffer(vector, dtype="<f4").astype(np.float32)
            for digest, vector, crc in rows or ()
            if zlib.crc32(vector) == crc and len(vector) % 4 == 0
        }

    def put(self, fingerprint: str, kind: CacheKind, vectors: Mapping[str, F32]) -> None:
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
        """Run ``action`` on the file, on a fresh one where it is damaged; None where there is no cache."""
        for _ in range(2):
            if not self._usable:
                return None
            try:
                return action(self._open())
            except sqlite3.DatabaseError as error:
                # The low byte is the primary code, the rest says how it came about.
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
                    self._set_aside(error)
                else:
                    self._give_up(error)
            except OSError as error:
                self._give_up(error)
        return None

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with alone(self.path):
                self._database = sqlite3.connect(self.path, timeout=_WAIT_S)
                self._inode = self.path.stat().st_ino
                self._database.execute("PRAGMA journal_mode=WAL")
                self._database.execute("PRAGMA synchronous=NORMAL")
                self._database.execute(_SCHEMA)
        return self._database

    def _set_aside(self, error: sqlite3.DatabaseError) -> None:
        self.close()
        with alone(self.path):
            # Another process may have replaced the damaged file already.
            if not self.path.exists() or self.path.stat().st_ino != self._inode:
                return
            aside = next(name for n in count(1) if not (name := Path(f"{self.path}.corrupt-{n}")).exists())
            for suffix in ("", "-wal", "-shm"):
                part = Path(f"{self.path}{suffix}")
                if part.exists():
                    part.rename(f"{aside}{suffix}")
        warnings.warn(
            f"{self.path}: the cache of vectors is damaged ({error}); it is kept as {aside.name} and a new "
            "one is begun, for which texts are embedded again.",
            CacheWarning,
            stacklevel=4,
        )

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
    database: sqlite3.Connection, fingerprint: str, kind: CacheKind, digests: Sequence[bytes]
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


def _insert(database: sqlite3.Connection, rows: Sequence[tuple[str, CacheKind, bytes, bytes, int]]) -> None:
    with database:
        database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", rows)
