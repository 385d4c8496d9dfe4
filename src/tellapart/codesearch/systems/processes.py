"""Programs that are run once for each conversation."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tellapart.codesearch.case import Failed

MOST_OUTPUT_BYTES = 20_000_000
_TAIL_BYTES = 4_000
_PIECE_BYTES = 65_536


class _TooMuch(Exception):
    """The program prints without end."""


@dataclass(frozen=True)
class Finished:
    """A program that came to an end.

    Attributes:
        status: Its exit status; below 0 the number of the signal that ended it.
        output: What it printed.
        complaint: The end of what it printed on standard error.
    """

    status: int
    output: bytes
    complaint: str


async def run_program(
    words: Sequence[str], given: bytes, timeout_s: float | None, *, directory: Path | None = None
) -> Finished | Failed:
    """Run a program in a process group of its own, all of which is ended with it when it fails us.

    Args:
        words: The program and its arguments; no shell is asked.
        given: For its standard input; it need not read it.
        timeout_s: How long it may take; None where somebody else sees to that.
        directory: In which it runs; None for that of this process.

    Returns:
        What it printed; a failure where it could not be started, took too long or printed too much.
    """
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *words, stdin=pipe, stdout=pipe, stderr=pipe, cwd=directory, start_new_session=True
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return Failed("infeasible", "start", f"{words[0]!r} could not be started: {reason}")
    ended: Finished | None = None
    try:
        ended = await asyncio.wait_for(_talk(process, given), timeout_s)
        return ended
    except TimeoutError:
        return Failed("timeout", "timeout", f"{words[0]!r} took more than {timeout_s:g} s")
    except _TooMuch:
        return Failed("parse", "output", f"{words[0]!r} printed more than {MOST_OUTPUT_BYTES:,} bytes")
    finally:
        if ended is None:
            await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a program and what it started, so that nobody holds its pipes open."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdin:
        process.stdin.close()
    await process.wait()


async def _talk(process: asyncio.subprocess.Process, given: bytes) -> Finished:
    assert process.stdin and process.stdout and process.stderr
    _, output, complaint, status = await asyncio.gather(
        _feed(process.stdin, given), _all_of(process.stdout), _end_of(process.stderr), process.wait()
    )
    return Finished(status, output, complaint.decode("utf-8", "replace").strip())


async def _feed(stream: asyncio.StreamWriter, given: bytes) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        stream.write(given)
        await stream.drain()
        stream.close()
        await stream.wait_closed()


async def _all_of(stream: asyncio.StreamReader) -> bytes:
    read = bytearray()
    while piece := await stream.read(_PIECE_BYTES):
        read += piece
        if len(read) > MOST_OUTPUT_BYTES:
            raise _TooMuch
    return bytes(read)


async def _end_of(stream: asyncio.StreamReader) -> bytes:
    end = b""
    while piece := await stream.read(_PIECE_BYTES):
        end = (end + piece)[-_TAIL_BYTES:]
    return end
