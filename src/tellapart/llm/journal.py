"""Every call to a model, one JSON object a line: resuming, replaying and regrading read it."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tellapart.errors import InputError, InUse
from tellapart.files import make_directory, replacing, storage, sync_directory
from tellapart.files.journal_lines import (
    Damage,
    DamagedLine,
    read_line,
    read_lines,
    refuse_damage,
    sealed_line,
)
from tellapart.files.sums import UNFINISHED, check_sum
from tellapart.llm.usage import ModelUse

SYNC_S = 1.0
"""How often what was written is brought to the disk."""

_LENGTH_BITS = 32
_LOST = "their calls are made again, and paid for again where they cost"
_LOST_IN_A_RECORDING = (
    "their calls then count as not recorded, and are made again where replies are taken over"
)
_begun: set[str] = set()
"""Journals that this process has begun: they may be empty."""


class CallJournal:
    """An append-only JSON Lines file of calls by key; only keys and places are held in memory.

    A line is with the operating system when ``append`` returns, so that a killed process loses nothing; it
    is on the disk at most ``SYNC_S`` and one sync later, so that a power cut takes no more than that. Besides
    calls, lines say how a model was asked and what went out. A call that did not fit into a budget is one
    that failed in no attempts, without messages.

    Damaged lines, and a last one that was cut off, are taken out of a journal that is gone on with, and a
    ``DamageWarning`` says so. A journal that is only read is refused where it is damaged, unless it is that
    of a run that is not complete.

    Attributes:
        models: What is known of each model, by name, in the order in which they were first asked.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open a journal, or begin one."""
        self.path = path
        self.models: dict[str, ModelUse] = {}
        self._places: dict[bytes, int] = {}
        self._end = 0
        self._dirty = False
        self._sync_error: OSError | None = None
        self._closing = threading.Event()
        self._syncing: threading.Thread | None = None
        self._fd = _open(path, read_only)
        try:
            self._index(read_only)
        except BaseException:
            os.close(self._fd)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Bring everything to the disk and close the file."""
        if self._fd < 0:
            return
        self._closing.set()
        if self._syncing is not None:
            self._syncing.join()
        try:
            self._sync()
            self._check_sync()
        finally:
            os.close(self._fd)
            self._fd = -1

    def get(self, key: str) -> dict[str, Any] | None:
        """The last call with this key, or None."""
        packed = self._places.get(bytes.fromhex(key))
        if packed is None:
            return None
        length = packed & ((1 << _LENGTH_BITS) - 1)
        try:
            return read_line(os.pread(self._fd, length, packed >> _LENGTH_BITS))
        except DamagedLine:
            raise InputError(
                "this journal has changed while it was read", where=self.path, next_step="Try again"
            ) from None

    def calls(self) -> Iterator[dict[str, Any]]:
        """Every call in the order of the file; of those with one key the last."""
        for key in self._places:
            call = self.get(key.hex())
            if call is not None:
                yield call

    def __len__(self) -> int:
        """Count the calls, repeated ones once."""
        return len(self._places)

    def append(self, key: str, call: dict[str, Any]) -> None:
        """Add a call; ``call["model"]`` is the name of who was asked."""
        self._append({"key": key, **call})

    def note_requested(self, model: str, requested: dict[str, Any]) -> None:
        """Write down how a model is asked, unless the journal says so already."""
        use = self.models.get(model)
        if use is None or requested not in use.requested:
            self._append({"model": model, "requested": requested})

    def begin_session(self, model: str, conversation: str) -> int:
        """Write down that a conversation with a system under test begins; how often it has, from 1."""
        self._append({"model": model, "session": conversation})
        return self.models[model].sessions[conversation]

    def note_sent(self, model: str, sent: dict[str, set[str]]) -> None:
        """Write down values of parameters that went over the wire, as JSON each, unless they are there."""
        if fresh := self.models.get(model, ModelUse()).not_yet_sent(sent):
            self._append({"model": model, "sent": fresh})

    def _append(self, entry: dict[str, Any]) -> None:
        self._check_sync()
        line = _line(entry)
        with storage(self.path):
            try:
                _write_all(self._fd, line)
            except OSError:
                # Half a line would spoil the next one.
                os.ftruncate(self._fd, self._end)
                raise
        self._take(entry, self._end, len(line))
        self._dirty = True
        if self._syncing is None:
            self._syncing = threading.Thread(target=self._keep_synced, name="journal sync", daemon=True)
            self._syncing.start()

    def _keep_synced(self) -> None:
        while not self._closing.wait(SYNC_S):
            self._sync()

    def _sync(self) -> None:
        if self._dirty:
            self._dirty = False
            try:
                os.fdatasync(self._fd)
            except OSError as error:
                self._sync_error = error

    def _check_sync(self) -> None:
        if self._sync_error is not None:
            with storage(self.path):
                raise self._sync_error

    def _index(self, read_only: bool) -> None:
        damage = Damage()
        size = os.fstat(self._fd).st_size
        for line in read_lines(self.path, damage):
            if line.entry is not None:
                self._take(line.entry, line.start, line.length)
        damage.is_empty = not size and str(self.path.absolute()) not in _begun
        if not read_only:
            damage.warn(self.path, _LOST)
            if damage.lines:
                self._mend()
            elif damage.is_cut:
                os.ftruncate(self._fd, self._end)
            return
        # Somebody may be writing the last line.
        damage.is_cut = damage.is_empty = False
        if any(parent.name.endswith(UNFINISHED) for parent in self.path.absolute().parents):
            damage.warn(self.path, _LOST)
        else:
            refuse_damage(self.path, damage, _LOST_IN_A_RECORDING)
            check_sum(self.path)

    def _mend(self) -> None:
        """Write the file without what is damaged; it is another one then, locked as this one is."""
        damaged = self._fd
        with storage(self.path), replacing(self.path) as temporary, temporary.open("wb") as file:
            for line in read_lines(self.path, Damage()):
                if line.entry is not None:
                    file.write(os.pread(damaged, line.length, line.start))
        self._fd = _open(self.path, read_only=False)
        os.close(damaged)
        self._places.clear()
        self.models.clear()
        self._end = 0
        for line in read_lines(self.path, Damage()):
            if line.entry is not None:
                self._take(line.entry, line.start, line.length)

    def _take(self, entry: dict[str, Any], start: int, length: int) -> None:
        use = self.models.setdefault(entry["model"], ModelUse())
        if "key" in entry:
            use.add(entry)
            self._places[bytes.fromhex(entry["key"])] = start << _LENGTH_BITS | length
        elif "requested" in entry:
            use.requested.append(entry["requested"])
        elif "session" in entry:
            use.sessions[entry["session"]] += 1
        else:
            use.note_sent(entry["sent"])
        self._end = start + length


def _open(path: Path, read_only: bool) -> int:
    if read_only:
        try:
            return os.open(path, os.O_RDONLY)
        except OSError as error:
            raise InputError(f"cannot read this journal of calls: {error.strerror}", where=path) from None
    with storage(path):
        make_directory(path.parent)
        is_new = not path.exists()
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        if is_new:
            _begun.add(str(path.absolute()))
            sync_directory(path.parent)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another process may have mended it, which makes it another file.
        if not os.path.samestat(os.fstat(fd), path.stat()):
            raise BlockingIOError
    except BlockingIOError:
        os.close(fd)
        raise InUse(
            "another process is writing this journal", where=path, next_step="Wait for it, or stop it first"
        ) from None
    return fd


def _line(entry: dict[str, Any]) -> bytes:
    try:
        return sealed_line(json.dumps(entry, ensure_ascii=False, allow_nan=False).encode())
    except UnicodeEncodeError:
        # Half a surrogate pair, which UTF-8 cannot say but an escape can.
        return sealed_line(json.dumps(entry, allow_nan=False).encode())


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
