"""Any program as a system under test."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from tellapart.codesearch.case import Conversation, Failed
from tellapart.codesearch.reading.answers import FILES, says_no_match
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.searching import SystemAnswer
from tellapart.errors import UsageError, near_match

PLACEHOLDERS = ("conversation_id", "issue", "iteration", "learnings", "product_area", "repos_path")
"""What may stand in braces."""

_BRACED = re.compile(r"\{([A-Za-z_]+)\}")


def split_command(command: str) -> list[str]:
    """Cut a command line into words, as a shell would, which never sees it.

    Raises:
        UsageError: It is empty, a quote is not closed, or a placeholder is misspelt.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command is {command!r}: {str(error).lower()}") from None
    if not words:
        raise UsageError("the command is empty", next_step="Name a program: --command 'prog {issue}'")
    for name in _BRACED.findall(command):
        if name not in PLACEHOLDERS and get_close_matches(name, PLACEHOLDERS, n=1):
            raise UsageError(f"the command has {{{name}}}", next_step=near_match(name, PLACEHOLDERS))
    return words


def filled(words: list[str], values: Mapping[str, str]) -> list[str]:
    """Put values in the place of ``{name}``; each word stays one argument, whatever the values hold.

    Braces around anything else stay as they are, and so do those inside values.
    """
    return [_BRACED.sub(lambda match: values.get(match[1], match[0]), word) for word in words]


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


async def run_program(words: Sequence[str], given: bytes, timeout_s: float) -> Finished | Failed:
    """Run a program in a process group of its own, all of which is ended with it when it fails us.

    Args:
        words: The program and its arguments; no shell is asked.
        given: For its standard input; it need not read it.
        timeout_s: How long it may take.

    Returns:
        What it printed; a failure where it could not be started, took too long or printed too much.
    """
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
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


TIMEOUT_S = 600.0
"""For one conversation."""

_QUOTED_CHARACTERS = 500


@dataclass(frozen=True)
class CommandSystem:
    """Runs a program once for each conversation.

    The program finds the conversation in its arguments, where placeholders stand, and as JSON on standard
    input. What it prints is read in any form that names files; see ``reading.answers``. A search that finds
    nothing prints ``{"files_found": []}``, or ends as grep does: with nothing printed, on standard error
    neither, and status 1 or 0. Any other status above 0 is a failure, and so are time-outs.

    Attributes:
        command: Words and placeholders, cut as a shell would; no shell is asked.
        repositories: Where files may be.
        iteration: For ``{iteration}``.
        learnings: A file for ``{learnings}``; empty where there is none.
        timeout_s: For one conversation.
    """

    command: str
    repositories: Repositories
    iteration: int | None = None
    learnings: Path | None = None
    timeout_s: float = TIMEOUT_S

    @cached_property
    def words(self) -> list[str]:
        """The command, cut.

        Raises:
            UsageError: See ``split_command``.
        """
        return split_command(self.command)

    @property
    def name(self) -> str:
        """The command line."""
        return self.command

    def prepare(self) -> None:
        """See that the program is there.

        Raises:
            UsageError: It is not, or ``split_command`` refuses the command.
        """
        if "{" not in self.words[0] and shutil.which(self.words[0]) is None:
            raise UsageError(
                f"the command's program {self.words[0]!r} is not on PATH, or may not be run",
                next_step="Give its path; for a shell's own words: --command \"sh -c '…' sh {issue}\"",
            )

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Run the program for one conversation."""
        values = {
            "conversation_id": conversation.id,
            "issue": conversation.issue_summary,
            "iteration": "" if self.iteration is None else str(self.iteration),
            "learnings": str(self.learnings or ""),
            "product_area": conversation.product_area,
            "repos_path": str(self.repositories.root),
        }
        given = {
            "conversation_id": conversation.id,
            "issue_summary": conversation.issue_summary,
            "product_area": conversation.product_area,
            "classification_confidence": conversation.classification_confidence,
            "iteration_number": self.iteration,
            "repos_path": str(self.repositories.root),
            "approved_repos": list(self.repositories.names),
            "learnings": str(self.learnings) if self.learnings else None,
        }
        words = filled(self.words, values)
        ended = await run_program(words, json.dumps(given).encode() + b"\n", self.timeout_s)
        return ended if isinstance(ended, Failed) else _answer(ended, words[0])


def _answer(ended: Finished, program: str) -> SystemAnswer | Failed:
    silent = not ended.output.strip() and not ended.complaint
    if ended.status == 1 and not ended.complaint and says_no_match(ended.output):
        return SystemAnswer({FILES: []}, silent=silent)
    if ended.status:
        how = f"status {ended.status}" if ended.status > 0 else f"signal {-ended.status}"
        complaint = f": {ended.complaint[-_QUOTED_CHARACTERS:]}" if ended.complaint else ""
        return Failed("provider", "exit", f"{program!r} ended with {how}{complaint}")
    if silent:
        return SystemAnswer({FILES: []}, silent=True)
    if not ended.output.strip():
        complaint = ended.complaint[-_QUOTED_CHARACTERS:]
        return Failed("parse", "output", f"{program!r} printed nothing, and on standard error {complaint!r}")
    return SystemAnswer(ended.output, cwd=str(Path.cwd()))
