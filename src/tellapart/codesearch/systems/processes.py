"""Programs that are run once for each conversation."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tellapart.codesearch.model import Failed

MOST_OUTPUT_BYTES = 20_000_000
GRACE_S = 2.0
"""How long the pipes of a program that has ended may stay open."""

_TAIL_BYTES = 4_000


@dataclass(frozen=True)
class Finished:
    """A program that came to an end."""

    status: int
    output: bytes
    complaint: str


async def run_program(
    words: Sequence[str],
    given: bytes,
    timeout_s: float | None,
    *,
    environment: Mapping[str, str],
    directory: Path | None = None,
) -> Finished | Failed:
    """Run a program in a process group of its own, all of which is ended with it when it fails us.

    A program that has ended may leave something behind that holds its pipes open, such as a server that it
    started. That is waited for ``GRACE_S`` at most and ended; what was printed until then counts.
    """
    pipe = asyncio.subprocess.PIPE
    try:
        transport, talk = await asyncio.get_running_loop().subprocess_exec(
            _Talk,
            *words,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=directory,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return Failed("infeasible", "start", f"{words[0]!r} could not be started: {reason}")
    try:
        entrance = transport.get_pipe_transport(0)
        assert isinstance(entrance, asyncio.WriteTransport)
        entrance.write(given)
        entrance.close()
        try:
            await asyncio.wait_for(talk.over.wait(), timeout_s)
        except TimeoutError:
            return Failed("timeout", "timeout", f"{words[0]!r} took more than {timeout_s:g} s")
        with suppress(TimeoutError):
            await asyncio.wait_for(talk.drained.wait(), GRACE_S)
        if len(talk.output) > MOST_OUTPUT_BYTES:
            return Failed("parse", "output", f"{words[0]!r} printed more than {MOST_OUTPUT_BYTES:,} bytes")
        status = transport.get_returncode()
        assert status is not None
        return Finished(status, bytes(talk.output), talk.complaint.decode("utf-8", "replace").strip())
    finally:
        if transport.get_returncode() is None or not talk.drained.is_set():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(transport.get_pid(), signal.SIGKILL)
        transport.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(talk.ended.wait(), GRACE_S)


class _Talk(asyncio.SubprocessProtocol):
    """What a program prints, up to a limit.

    Attributes:
        complaint: The end of what it printed on standard error.
        over: Set when the program has ended or printed too much, whoever still holds its pipes.
        drained: Set when nobody can print any more, or when it was too much.
    """

    def __init__(self) -> None:
        self.output, self.complaint = bytearray(), bytearray()
        self.over, self.drained, self.ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self.output += data
        else:
            self.complaint = (self.complaint + data)[-_TAIL_BYTES:]
        if len(self.output) > MOST_OUTPUT_BYTES:
            self.over.set()
            self.drained.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open:
            self.drained.set()

    def process_exited(self) -> None:
        self.over.set()
        self.ended.set()
