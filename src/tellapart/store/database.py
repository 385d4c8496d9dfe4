"""``run.db``: what a run has done, asked and paid for, in one SQLite file that only grows."""

from __future__ import annotations

import errno
import json
import os
import re
import sqlite3
import warnings
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple, Self

from tellapart.core.fingerprint import sha256
from tellapart.errors import FingerprintError, InputError, StorageError
from tellapart.files import cannot_read, cannot_write, make_directory, storage
from tellapart.store.growing import PARTIAL, another_writes

Entry = dict[str, Any]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries
    (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL,
     crc32 INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS entries_by_key ON entries (kind, key);
"""
_HALF_PAIR = re.compile(r"[\ud800-\udfff]")
_SYNC_S = 1.0
"""How often what was added is brought to the disk."""

_CANNOT_WRITE = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_IOERR: errno.EIO,
}
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

_NETWORKED = ("nfs", "cifs", "smb", "afs", "ceph", "gluster", "lustre", "beegfs", "gpfs", "fuse.")
"""How types of file systems begin on which SQLite's write-ahead log does not work, since it shares memory."""


class DamageWarning(UserWarning):
    """Something that was written before is damaged; its work is done again."""


class Row(NamedTuple):
    """An entry with its number, its kind and its key."""

    seq: int
    kind: str
    key: str
    entry: Entry


class RunDatabase:
    """Entries by kind and key, in the order in which they were added; each is there whole or not at all.

    An entry is with the operating system when ``add`` returns, so that a killed process loses nothing; a
    power cut takes what was added within a second, unless it was ``durable``. Each entry has a checksum.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open the database, or begin it; damaged entries are dropped and reported where it is written to."""
        self.path = path
        self._synced_s = monotonic()
        self._adding = Lock()
        self._connection = _opened_to_read(path) if read_only else _opened_to_write(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def settle(self) -> None:
        """Make it a single file, which can be read where nobody may write, if nobody else has it open."""
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.execute("PRAGMA journal_mode = DELETE")

    def add(self, kind: str, entry: Mapping[str, Any], key: str = "", *, durable: bool = False) -> None:
        """Add an entry."""
        self.add_all([(kind, key, entry)], durable=durable)

    def add_all(self, entries: list[tuple[str, str, Mapping[str, Any]]], *, durable: bool = False) -> None:
        """Add entries, all of them or none."""
        rows = []
        for kind, key, entry in entries:
            text = as_line(entry)
            rows.append((kind, key, text, _crc(kind.encode(), key.encode(), text.encode())))
        with self._adding, _faults(self.path):
            is_due = durable or monotonic() - self._synced_s >= _SYNC_S
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if is_due else 'NORMAL'}")
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(
                    "INSERT INTO entries (kind, key, json, crc32) VALUES (?, ?, ?, ?)", rows
                )
            if is_due:
                self._synced_s = monotonic()

    def remove(self, kind: str, key: str | None = None) -> None:
        """Remove all entries of a kind, or those of one key."""
        with _faults(self.path):
            self._connection.execute(
                "DELETE FROM entries WHERE kind = ? AND key = coalesce(?, key)", (kind, key)
            )

    def rows(self, *kinds: str, after: int = 0, containing: str = "") -> Iterator[Row]:
        """The entries of some kinds, or of all, behind one that is known, in whose JSON a text is.

        One that is damaged is refused in a complete run; in another it is passed over.
        """
        chosen = f" AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
        where = f"seq > ?{chosen} AND (? = '' OR instr(json, ?)) ORDER BY seq"
        return self._checked(where, (after, *kinds, containing, containing))

    def entries(self, kind: str) -> list[Entry]:
        """The entries of a kind; see `rows`."""
        return [row.entry for row in self.rows(kind)]

    def last(self, kind: str, key: str = "") -> Entry | None:
        """The last entry of a kind and key; None without one."""
        rows = self._checked("kind = ? AND key = ? ORDER BY seq DESC", (kind, key))
        return next((row.entry for row in rows), None)

    def count(self, kind: str) -> int:
        """How many keys there are of a kind."""
        return self._number("SELECT count(DISTINCT key) FROM entries WHERE kind = ?", kind)

    def check(self) -> None:
        """See that the file is one that SQLite wrote, and that all entries are as they were added."""
        with _faults(self.path):
            for (fault,) in self._connection.execute("PRAGMA integrity_check"):
                if fault != b"ok":
                    raise _damaged(self.path, fault.decode())
            for seq, _ in _wrong_entries(self._connection):
                raise _damaged(self.path, f"entry {seq:,} is not what was written")

    def fingerprint(self, *kinds: str) -> str:
        """A hash of all entries of some kinds."""
        places = ", ".join("?" * len(kinds))
        query = f"SELECT kind, key, json FROM entries WHERE kind IN ({places}) ORDER BY seq"
        with _faults(self.path):
            rows = self._connection.execute(query, kinds)
            return sha256(b"".join(sha256(_joined(row)).encode() for row in rows))

    def _number(self, query: str, *parameters: str) -> int:
        with _faults(self.path):
            return int(self._connection.execute(query, parameters).fetchone()[0])

    def _checked(self, where: str, parameters: tuple[object, ...]) -> Iterator[Row]:
        query = f"SELECT seq, kind, key, json, crc32 FROM entries WHERE {where}"
        with _faults(self.path):
            for seq, kind, key, text, crc in self._connection.execute(query, parameters):
                if _crc(kind, key, text) == crc:
                    yield Row(seq, kind.decode(), key.decode(), json.loads(text))
                elif not _is_unfinished(self.path):
                    raise _damaged(self.path, f"entry {seq:,} is not what was written")


def _opened_to_read(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise cannot_read(path, what="this run")
    with _faults(path, read_only=True):
        connection = _connected(path, "mode=ro")
        try:
            names = _tables(connection, path)
        except sqlite3.OperationalError as error:
            connection.close()
            log = path.with_name(f"{path.name}-wal")
            if error.sqlite_errorcode in _IN_USE or (log.exists() and log.stat().st_size):
                raise
            # It was left as one that is written to, and here nobody may write.
            connection = _connected(path, "immutable=1")
            names = _tables(connection, path)
        if not names:
            # A process that was killed when the run began leaves a file without a table.
            connection.executescript(_SCHEMA.replace("CREATE TABLE", "CREATE TEMPORARY TABLE"))
        elif b"entries" not in names:
            connection.close()
            raise InputError("this is no database of a run: it has no entries", where=path)
        return connection


def _opened_to_write(path: Path) -> sqlite3.Connection:
    """Open or begin a database; entries that are damaged are dropped."""
    was_there = path.exists()
    with storage(path):
        make_directory(path.parent)
    try:
        with _faults(path):
            connection = _connected(path, "mode=rwc")
            try:
                names = _tables(connection, path)
                wrong = _begun(connection, path, names)
            except BaseException:
                connection.close()
                raise
    except StorageError:
        if not was_there:
            # A full disk leaves an empty file, in which nothing was ever recorded.
            path.unlink(missing_ok=True)
        raise
    if was_there and not names:
        _warn(path, "this file is empty; what was recorded in it, if anything, is done again")
    if wrong:
        lost = ", ".join(f"{n:,} of {kind}" for kind, n in sorted(wrong.items()))
        _warn(path, f"damaged entries ({lost}) are dropped; what they recorded is done again")
    return connection


def _begun(connection: sqlite3.Connection, path: Path, names: set[bytes]) -> Counter[str]:
    """Prepare a database for writing; how many entries of each kind were damaged, which are gone."""
    if names and b"entries" not in names:
        raise InputError("this is the database of another program", where=path, next_step="Move it away")
    (fault,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if fault != b"ok":
        raise _damaged(path, fault.decode())
    # Calls are some thousand bytes long: of smaller pages half would stay empty.
    connection.execute("PRAGMA page_size = 16384")
    connection.execute(f"PRAGMA journal_mode = {'TRUNCATE' if _is_networked(path) else 'WAL'}")
    connection.executescript(_SCHEMA)
    wrong = list(_wrong_entries(connection))
    connection.executemany("DELETE FROM entries WHERE seq = ?", [(seq,) for seq, _ in wrong])
    return Counter(kind.decode(errors="replace") for _, kind in wrong)


def _connected(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        uri=True,
        timeout=10,
        isolation_level=None,
        check_same_thread=False,
    )
    # Text that is damaged need not be UTF-8: it is decoded once its checksum is right.
    connection.text_factory = bytes
    return connection


def _tables(connection: sqlite3.Connection, path: Path) -> set[bytes]:
    """Name the tables; refuse ours where they are no longer declared as they were, as rows go unseen then."""
    declared = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    names = {name for kind, name, _ in declared if kind == b"table"}
    if b"entries" in names and not {sql for *_, sql in declared} <= _written_schema():
        raise _damaged(path, "its tables are not declared as they were")
    return names


@cache
def _written_schema() -> set[bytes]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_SCHEMA)
        return {sql.encode() for (sql,) in connection.execute("SELECT sql FROM sqlite_master")}


def _wrong_entries(connection: sqlite3.Connection) -> Iterator[tuple[int, bytes]]:
    """Number and kind of each entry that is not what was written."""
    for seq, kind, key, text, crc in connection.execute("SELECT seq, kind, key, json, crc32 FROM entries"):
        if _crc(kind, key, text) != crc:
            yield seq, kind


def _is_unfinished(path: Path) -> bool:
    """Whether it is of a run, or of a benchmark with calls of its own, that is not complete."""
    directory = path.resolve().parent
    owner = directory if path.name == "run.db" else directory.parent
    return owner.name.endswith(PARTIAL)


def _is_networked(path: Path) -> bool:
    """Whether a file lies on another machine's disk, as far as this system says."""
    try:
        mounts = [line.split(" ") for line in Path("/proc/mounts").read_text(errors="replace").splitlines()]
    except OSError:
        return False
    real = os.path.realpath(path)
    kinds = {point.replace("\\040", " "): kind for _, point, kind, *_ in mounts}
    above = [point for point in kinds if os.path.commonpath([real, point]) == point]
    return bool(above) and kinds[max(above, key=len)].startswith(_NETWORKED)


@contextmanager
def _faults(path: Path, read_only: bool = False) -> Iterator[None]:
    """Turn errors of SQLite into ours."""
    try:
        yield
    except UnicodeDecodeError:
        # SQLite's message quotes a name that is damaged.
        raise _damaged(path, "its tables have no readable names") from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _CANNOT_WRITE and not read_only:
            raise cannot_write(path, _CANNOT_WRITE[code]) from None
        if code == sqlite3.SQLITE_CANTOPEN and not read_only and not os.access(path.parent, os.W_OK):
            raise cannot_write(path, errno.EACCES) from None
        if code in _DAMAGED:
            raise _damaged(path, str(error)) from None
        if code in _IN_USE:
            raise another_writes("run", path) from None
        raise InputError(f"cannot read this run: {error}", where=path) from None


def _damaged(path: Path, why: str) -> FingerprintError:
    return FingerprintError(
        f"this file is damaged: {why}",
        where=path,
        next_step="Restore it from a copy, or delete it with 'tellapart runs delete' and do it again",
    )


def _warn(path: Path, what: str) -> None:
    warnings.warn(f"{path}: {what}, and paid for again where it costs.", DamageWarning, stacklevel=1)


def as_line(entry: Mapping[str, Any]) -> str:
    """Write an entry as JSON in one line."""
    text = json.dumps(entry, ensure_ascii=False, allow_nan=False)
    # Half a surrogate pair is what UTF-8 cannot say but an escape can.
    return text if text.isascii() or not _HALF_PAIR.search(text) else json.dumps(entry, allow_nan=False)


def _crc(*parts: object) -> int:
    return zlib.crc32(_joined(parts))


def _joined(parts: Iterable[object]) -> bytes:
    """The parts of an entry; in a damaged one they may be of any type."""
    return b"\0".join(part if isinstance(part, bytes) else b"" for part in parts)
