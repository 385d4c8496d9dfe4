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

from tellapart.errors import InputError, Refused
from tellapart.files import storage
from tellapart.llm.usage import ModelUse

SYNC_S = 1.0
"""How often what was written is brought to the disk."""

_LENGTH_BITS = 32


class CallJournal:
    """An append-only JSON Lines file of calls by key; only keys and places are held in memory.

    A line is with the operating system when ``append`` returns, so that a killed process loses nothing; it
    is on the disk at most ``SYNC_S`` and one sync later, so that a power cut takes no more than that. A last
    line that was cut off is dropped. Besides calls, lines say how a model was asked and what went out. A call
    that did not fit into a budget is one that failed in no attempts, without messages.

    Attributes:
        path: Of the file.
        models: What is known of each model, by name, in the order in which they were first asked.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open a journal, or begin one.

        Raises:
            InputError: A line is damaged, or a journal that is only to be read is not there.
            Refused: Another process is writing it.
            StorageError: The disk is full or closed to us.
        """
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
            self._index()
            if not read_only:
                os.ftruncate(self._fd, self._end)
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
        """Bring everything to the disk and close the file.

        Raises:
            StorageError: The disk did not take it.
        """
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
        place = self._places.get(bytes.fromhex(key))
        if place is None:
            return None
        length = place & ((1 << _LENGTH_BITS) - 1)
        call: dict[str, Any] = json.loads(os.pread(self._fd, length, place >> _LENGTH_BITS))
        return call

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
        """Add a call; ``call["model"]`` is the name of who was asked.

        Raises:
            StorageError: The disk is full or closed to us; the journal keeps what it had.
        """
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
        sent_before = self.models[model].sent if model in self.models else {}
        fresh = {name: values - sent_before.get(name, set()) for name, values in sent.items()}
        if any(fresh.values()):
            lists = {
                name: [json.loads(v) for v in sorted(values)] for name, values in fresh.items() if values
            }
            self._append({"model": model, "sent": lists})

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
        self._take(entry, len(line))
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

    def _index(self) -> None:
        with self.path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    break
                try:
                    self._take(json.loads(line), len(line))
                except (ValueError, TypeError, KeyError, AttributeError):
                    raise InputError(
                        f"this line is not a call: {line[:60]!r}",
                        where=f"{self.path}:{number}",
                        next_step="Delete this line: its call will be made again, and all others are kept",
                    ) from None

    def _take(self, entry: dict[str, Any], length: int) -> None:
        use = self.models.setdefault(entry["model"], ModelUse())
        if "key" in entry:
            use.add(entry)
            self._places[bytes.fromhex(entry["key"])] = self._end << _LENGTH_BITS | length
        elif "requested" in entry:
            use.requested.append(entry["requested"])
        elif "session" in entry:
            use.sessions[entry["session"]] += 1
        else:
            for name, values in entry["sent"].items():
                use.sent.setdefault(name, set()).update(json.dumps(value, sort_keys=True) for value in values)
        self._end += length


def _open(path: Path, read_only: bool) -> int:
    if read_only:
        try:
            return os.open(path, os.O_RDONLY)
        except OSError as error:
            raise InputError(f"cannot read this journal of calls: {error.strerror}", where=path) from None
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        raise Refused(
            "another process is writing this journal", where=path, next_step="Wait for it, or stop it first"
        ) from None
    return fd


def _line(entry: dict[str, Any]) -> bytes:
    try:
        return json.dumps(entry, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except UnicodeEncodeError:
        # Half a surrogate pair, which UTF-8 cannot say but an escape can.
        return json.dumps(entry, allow_nan=False).encode() + b"\n"


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
