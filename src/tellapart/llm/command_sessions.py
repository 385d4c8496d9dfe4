"""One conversation with a command: a process, a line of JSON to it and one back for each turn.

Each line to the program is an object with ``type`` (``message`` gives material, ``probe`` asks for it,
``history`` was said before), ``id`` of the step, ``conversation`` (the name that stands for ``{session}`` in
the command) and ``content``; where they are known ``system`` (the system prompt, with the first turn only),
``session`` (in which session of the user it is said), ``date`` (when), and of history ``reply``, which was
given to it then. See ``system_replies`` for the line back.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
from contextlib import suppress
from pathlib import Path

from tellapart.environment.programs import child_environment, withheld_hint
from tellapart.environment.secrets import without_secrets
from tellapart.errors import UsageError, quoted
from tellapart.files import storage
from tellapart.llm.calls import Call, Turn
from tellapart.llm.system_replies import EXPECTED, MOST_OF_A_REPLY, TurnFailed, call_of_line
from tellapart.llm.systems import System

MOST_OF_A_LOG = 2**20
"""Bytes of stderr that are kept of one conversation."""

END_S = 5.0
"""How long a program may take to end once its stdin is closed, and again once it is asked to."""

_TAIL = 300
_CHUNK = 2**16


class CommandSession:
    """A running program; one turn at a time."""

    def __init__(self, system: System, session: str, process: asyncio.subprocess.Process, log: Path) -> None:
        """Talk to a process that was just started; see ``start``."""
        self._system, self._session, self._process, self._log = system, session, process, log
        self._tail = b""
        self._stderr = asyncio.create_task(self._keep_stderr())
        self._line = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, system: System, session: str, log: Path) -> CommandSession:
        """Start the program in a session of its own, so that Ctrl-C reaches us alone and we end it."""
        words = system.words(session)
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=child_environment(system.pass_env),
                limit=MOST_OF_A_REPLY,
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(
                f"the command {system.target!r} cannot be started: {words[0]!r}: {error.strerror}",
                next_step=f"Try it by itself: {shlex.join(words)}",
            ) from None
        return cls(system, session, process, log)

    async def say(self, turn: Turn) -> Call:
        """Send a turn, and read the reply to it."""
        # Time for a line that is here already to be seen, of a program that has more to say than was asked.
        await asyncio.wait([self._line], timeout=0)
        if self._line.done():
            await self._refuse_early(turn)
        assert self._process.stdin is not None
        # Not drained: a program that does not read would keep us from noticing how late it is.
        self._process.stdin.write(_line_of(turn, self._session))
        done, _ = await asyncio.wait([self._line], timeout=self._system.turn_timeout_s)
        if not done:
            raise TurnFailed(
                "timeout",
                "timeout",
                f"no reply to {turn.facts.id} within {self._system.turn_timeout_s:g} s{self._last_words()}; "
                f"expected {EXPECTED}, flushed. Give it more with --turn-timeout",
            )
        line = self._line.result()
        if line is None:
            raise self._flooded(turn)
        if not line.endswith(b"\n"):
            raise await self._ended(turn)
        self._line = asyncio.create_task(self._read())
        return call_of_line(line, turn)

    async def close(self) -> None:
        """Close the program's stdin, then ask it to end, then kill it; it is gone when this returns."""
        try:
            await self._end()
        finally:
            # What the program started itself is of its group; so is the program, where we were interrupted.
            self._signal(signal.SIGKILL)
        await asyncio.wait([self._stderr], timeout=END_S)
        for task in (self._stderr, self._line):
            task.cancel()
        await asyncio.gather(self._stderr, self._line, return_exceptions=True)
        # A program in a session of its own may hold the pipes open; asyncio has no public way to leave them.
        self._process._transport.close()  # type: ignore[attr-defined]

    async def _end(self) -> None:
        process = self._process
        if process.stdin is not None:
            process.stdin.close()
        for how in (None, signal.SIGTERM):
            if how is not None:
                self._signal(how)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), END_S)
                return
        self._signal(signal.SIGKILL)
        await process.wait()

    async def kill(self) -> None:
        """End a program that has failed, without waiting for what it may still want to do."""
        self._signal(signal.SIGKILL)
        await self.close()

    def _signal(self, how: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, how)

    async def _read(self) -> bytes | None:
        """The next line; without its end where the program ended, None where it is too long."""
        assert self._process.stdout is not None
        try:
            return await self._process.stdout.readline()
        except ValueError:
            return None

    async def _keep_stderr(self) -> None:
        assert self._process.stderr is not None
        kept, rest = 0, b""
        while chunk := await self._process.stderr.read(_CHUNK):
            self._tail = (self._tail + chunk)[-_TAIL:]
            # A key may lie across two chunks, but not across two lines.
            whole, end, rest = (rest + chunk).rpartition(b"\n")
            if len(rest) > _CHUNK:
                whole, end, rest = whole + end + rest, b"", b""
            with storage(self._log):
                kept = self._write(_repeating_no_secret(whole + end), kept)
        with storage(self._log):
            self._write(_repeating_no_secret(rest), kept)

    def _write(self, chunk: bytes, kept: int) -> int:
        if not chunk or kept >= MOST_OF_A_LOG:
            return kept
        part = chunk[: MOST_OF_A_LOG - kept]
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            log.write(part)
            if kept + len(part) >= MOST_OF_A_LOG:
                log.write(f"\n[tellapart: the first {MOST_OF_A_LOG:,} bytes are kept]\n".encode())
        return kept + len(part)

    async def _refuse_early(self, turn: Turn) -> None:
        line = self._line.result()
        if line is None:
            raise self._flooded(turn)
        if not line.endswith(b"\n"):
            raise await self._ended(turn)
        raise TurnFailed(
            "parse",
            "schema",
            f"wrote more than one line to the turn before {turn.facts.id}: {_quoted(line)}; expected "
            f"{EXPECTED} for each turn, and everything else on stderr",
        )

    def _flooded(self, turn: Turn) -> TurnFailed:
        return TurnFailed(
            "parse",
            "too_long",
            f"wrote more than {MOST_OF_A_REPLY:,} bytes to stdout at {turn.facts.id} without the end of a "
            f"line; expected {EXPECTED}",
        )

    async def _ended(self, turn: Turn) -> TurnFailed:
        """Why there is no whole line: the program ended, or closed its stdout."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), END_S)
        await asyncio.wait([self._stderr], timeout=END_S)
        half = self._line.result() or b""
        wrote = f", after {_quoted(half)}" if half.strip() else ""
        code = self._process.returncode
        if code is None:
            how = "closed its stdout"
        elif code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        else:
            how = f"ended with exit code {code}"
        test = shlex.quote(_line_of(turn, self._session).decode().strip()[:_TAIL])
        return TurnFailed(
            "provider",
            "exited",
            f"the program {how} before it replied to {turn.facts.id}{wrote}{self._last_words()}; expected "
            f"{EXPECTED} for each turn until its stdin is closed. Try it by itself: echo {test} | "
            f"{shlex.join(self._system.words(self._session))}{withheld_hint(self._system.pass_env)}",
        )

    def _last_words(self) -> str:
        text = without_secrets(self._tail.decode(errors="replace")).strip()
        return f", with {text!r} on stderr" if text else ", with nothing on stderr"


def _repeating_no_secret(written: bytes) -> bytes:
    return without_secrets(written.decode(errors="surrogateescape")).encode(errors="surrogateescape")


def _line_of(turn: Turn, session: str) -> bytes:
    facts = turn.facts
    fields = {
        "type": facts.type,
        "id": facts.id,
        "conversation": session,
        "session": facts.session,
        "date": facts.date,
        "system": turn.system if turn.after is None else None,
        "content": turn.text,
        "reply": facts.reply,
    }
    there = {name: value for name, value in fields.items() if value is not None}
    try:
        return json.dumps(there, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(there).encode() + b"\n"


def _quoted(line: bytes) -> str:
    return quoted(line.decode(errors="replace").strip())
