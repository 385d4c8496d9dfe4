"""``command:PROGRAM {issue}``: any program; and how a program is run for one issue."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.reading import FILES
from tellapart.codesearch.systems.system import (
    MOST_OUTPUT_BYTES,
    SearchSystem,
    SystemAnswer,
    filled,
    split_command,
)
from tellapart.environment.programs import check_passed, child_environment, withheld_hint
from tellapart.errors import UsageError

GRACE_S = 2.0  # How long the pipes of a program that has ended may stay open
_TAIL_BYTES = 4_000
_QUOTED_CHARACTERS = 500


class CommandSystem(SearchSystem):
    """Runs a program once for each conversation."""

    @cached_property
    def words(self) -> list[str]:
        """The command, cut as a shell would; no shell is asked."""
        return split_command(self.request.argument)

    @property
    def name(self) -> str:
        """The command line."""
        return self.request.argument

    def check(self) -> None:
        """See that the program is there."""
        check_passed(self.request.pass_env)
        if "{" not in self.words[0] and shutil.which(self.words[0]) is None:
            raise UsageError(
                f"the command's program {self.words[0]!r} is not on PATH, or may not be run",
                next_step="Give its path; for a shell's own words: --command \"sh -c '…' sh {issue}\"",
            )

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Run the program for one conversation."""
        request = self.request
        values = request.values(conversation)
        ended = await run_program(
            [filled(word, values) for word in self.words],
            json.dumps(request.facts(conversation)).encode() + b"\n",
            request.timeout_s,
            environment=child_environment(request.pass_env),
        )
        outcome = ended if isinstance(ended, Failed) else _answer(ended, self.words[0])
        if isinstance(outcome, Failed) and outcome.kind in ("exit", "output"):
            return replace(outcome, detail=outcome.detail + withheld_hint(request.pass_env))
        return outcome


@dataclass(frozen=True)
class Finished:
    """A program that came to an end."""

    status: int
    output: bytes
    complaint: str


def _answer(ended: Finished, program: str) -> SystemAnswer | Failed:
    printed, complaint = bool(ended.output.strip()), ended.complaint[-_QUOTED_CHARACTERS:]
    silent = not printed and not complaint
    if ended.status and not (ended.status == 1 and silent):
        how = f"status {ended.status}" if ended.status > 0 else f"signal {-ended.status}"
        why = f": {complaint}" if complaint else ""
        return Failed("provider", "exit", f"{program!r} ended with {how}{why}")
    if silent:
        return SystemAnswer({FILES: []}, silent=True)
    if not printed:
        return Failed("parse", "output", f"{program!r} printed nothing, and on standard error {complaint!r}")
    return SystemAnswer(ended.output, cwd=str(Path.cwd()))


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
        transport, output = await asyncio.get_running_loop().subprocess_exec(
            _Output,
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
            await asyncio.wait_for(output.over.wait(), timeout_s)
        except TimeoutError:
            return Failed("timeout", "timeout", f"{words[0]!r} took more than {timeout_s:g} s")
        with suppress(TimeoutError):
            await asyncio.wait_for(output.drained.wait(), GRACE_S)
        if len(output.printed) > MOST_OUTPUT_BYTES:
            return Failed("parse", "output", f"{words[0]!r} printed more than {MOST_OUTPUT_BYTES:,} bytes")
        status = transport.get_returncode()
        assert status is not None
        complaint = output.complaint.decode("utf-8", "replace").strip()
        return Finished(status, bytes(output.printed), complaint)
    finally:
        if transport.get_returncode() is None or not output.drained.is_set():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(transport.get_pid(), signal.SIGKILL)
        transport.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(output.ended.wait(), GRACE_S)


class _Output(asyncio.SubprocessProtocol):
    """What a program prints, up to a limit, and the end of its complaints."""

    def __init__(self) -> None:
        self.printed, self.complaint = bytearray(), bytearray()
        self.over, self.drained, self.ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self.printed += data
        else:
            self.complaint = (self.complaint + data)[-_TAIL_BYTES:]
        if len(self.printed) > MOST_OUTPUT_BYTES:
            self.over.set()
            self.drained.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open:
            self.drained.set()

    def process_exited(self) -> None:
        self.over.set()
        self.ended.set()
