"""Conversations with a system under test: a process or an object of Python each, begun at the first turn.

A system has a state that no journal holds. So a conversation is either whole in the journal, and then nothing
of it is said again, or it is said again from its first turn, to a system that is started anew.

A command reads a line of JSON for each turn and writes one back. The line to it is an object with ``type``
(``message`` gives material, ``probe`` asks for it, ``history`` was said before), ``id`` of the step,
``conversation`` (the name that stands for ``{session}`` in the command) and ``content``; where they are known
``system`` (the system prompt, with the first turn only), ``session`` (in which session of the user it is
said), ``date`` (when), and of history ``reply``, which was given to it then. See ``SystemReply`` for the line
back; an object of Python returns the same as a dictionary, or a text.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import shlex
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

from tellapart.environment.programs import child_environment, withheld_hint
from tellapart.environment.secrets import without_secrets, without_secrets_in
from tellapart.environment.threads import LoopThread
from tellapart.errors import InputError, UsageError, quoted
from tellapart.files import JsonError, check_record, parse_json, storage
from tellapart.llm.breaker import Breaker
from tellapart.llm.callers import Budget, JournalingCaller
from tellapart.llm.calls import Call, Messages, Request, Turn
from tellapart.llm.conversation import reply_of_call
from tellapart.llm.journal import CallJournal
from tellapart.llm.questions import Cause, Failure, Kind
from tellapart.llm.systems import System, factory_of, words_of

EXPECTED = 'one line of JSON such as {"content": "…"}'
"""What a command writes for each turn."""

MOST_OF_A_REPLY = 4 * 2**20
"""Bytes of a line that a command writes, and characters of what an object of Python replies."""

Tokens = Annotated[int, Field(ge=0)]


class TurnFailed(Exception):
    """A turn brought no reply."""

    def __init__(self, cause: Cause, kind: Kind, detail: str) -> None:
        super().__init__(detail)
        self.failure = Failure(cause, kind, detail)


class SystemStep(BaseModel):
    """Something that the system did before it replied; arguments and result are any JSON."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    arguments: Any = None
    result: Any = None


class SystemUsage(BaseModel):
    """Tokens of the model calls of one turn, all of them together; what else providers count is ignored."""

    model_config = ConfigDict(strict=True)

    prompt_tokens: Tokens
    completion_tokens: Tokens


class SystemReply(BaseModel):
    """A reply: ``content``, or ``error`` where there is none; to history an empty object will do."""

    model_config = ConfigDict(extra="forbid", strict=True)

    content: str | None = None
    id: str | None = None
    usage: SystemUsage | None = None
    steps: list[SystemStep] = []
    error: str | None = None


def call_of_value(value: Any, turn: Turn) -> Call:
    """Read what ``reply`` of a Python object returned for a turn: a text, or a dictionary of that form."""
    try:
        fields = {"content": value} if isinstance(value, str) else value
        line = json.dumps(fields, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise _misshapen(f"the reply to {turn.facts.id} cannot be kept as JSON: {why}") from None
    if len(line) > MOST_OF_A_REPLY:
        what = f"replied to {turn.facts.id} with {len(line):,} characters, expected {MOST_OF_A_REPLY:,}"
        raise _misshapen(f"{what} at most")
    return call_of_line(line, turn)


def call_of_line(line: str | bytes, turn: Turn) -> Call:
    """Read the line of JSON that came for a turn."""
    step = turn.facts.id
    try:
        value = parse_json(line, "the line", finite=True)
    except JsonError:
        value = None
    if not isinstance(value, dict):
        text = line if isinstance(line, str) else line.decode(errors="replace")
        what = f"replied to {step} with what is no JSON object: {quoted(text.strip())}; expected {EXPECTED}"
        raise TurnFailed("parse", "not_json", f"{what}. A program writes everything else to stderr")
    try:
        reply = check_record(value, SystemReply, "the line")
    except InputError as error:
        known = ", ".join(SystemReply.model_fields)
        what = f"replied to {step} in another form: {error.what}; expected an object with the keys {known}"
        raise _misshapen(f"{what}, of which only 'content' is needed") from None
    if reply.id not in (None, step):
        raise _misshapen(f"replied to {reply.id!r} where {step!r} was asked; expected one reply to each turn")
    if reply.error is not None:
        raise TurnFailed("provider", "reported", f"reported an error at {step}: {reply.error[:500]}")
    # What was replied when it was said stays the reply, whatever is said to it now.
    content = reply.content if turn.facts.reply is None else turn.facts.reply
    if content is None:
        raise _misshapen(f"replied to {step} with neither 'content' nor 'error'; expected {EXPECTED}")
    call: Call = {"reply": content, "stop_reason": "stop"}
    if (usage := reply.usage) is not None:
        call["usage"] = {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens}
    if reply.steps:
        call["steps"] = [step.model_dump() for step in reply.steps]
    return call


def _misshapen(detail: str) -> TurnFailed:
    return TurnFailed("parse", "schema", detail)


def line_of(turn: Turn, session: str) -> bytes:
    """The line that a command is sent for a turn."""
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
    return json.dumps({name: value for name, value in fields.items() if value is not None}).encode() + b"\n"


MOST_OF_A_LOG = 2**20
"""Bytes of stderr that are kept of one conversation."""

END_S = 5.0
"""How long a program may take to end once its stdin is closed, and again once it is asked to."""


class CommandSession:
    """A running program; one turn at a time."""

    def __init__(self, system: System, session: str, process: asyncio.subprocess.Process, log: Path) -> None:
        """Talk to a process that was just started; see ``start``."""
        assert process.stdin and process.stdout and process.stderr
        self._system, self._session, self._process, self._log = system, session, process, log
        self._stdin, self._stdout = process.stdin, process.stdout
        self._last_words = "nothing"
        self._stderr = asyncio.create_task(self._keep(process.stderr))
        self._line = asyncio.create_task(self._next_line())

    @classmethod
    async def start(cls, system: System, session: str, log: Path) -> CommandSession:
        """Start the program in a session of its own, so that Ctrl-C reaches us alone and we end it."""
        words, pipe = system.words(session), asyncio.subprocess.PIPE
        environment = child_environment(system.pass_env)
        streams: dict[str, Any] = {"stdin": pipe, "stdout": pipe, "stderr": pipe, "limit": MOST_OF_A_REPLY}
        try:
            process = await asyncio.create_subprocess_exec(
                *words, env=environment, start_new_session=True, **streams
            )
        except OSError as error:
            raise UsageError(
                f"the command {system.target!r} cannot be started: {words[0]!r}: {error.strerror}",
                next_step=f"Try it by itself: {shlex.join(words)}",
            ) from None
        return cls(system, session, process, log)

    async def say(self, turn: Turn) -> Call:
        """Send a turn and read the reply; after ``TurnFailed`` the program is of no further use."""
        step = turn.facts.id
        # Time for a line that is here already to be seen, of a program that has more to say than was asked.
        await asyncio.wait([self._line], timeout=0)
        early = self._line.done()
        if not early:
            # Not drained: a program that does not read would keep us from noticing how late it is.
            self._stdin.write(line_of(turn, self._session))
            await asyncio.wait([self._line], timeout=self._system.turn_timeout_s)
        if not self._line.done():
            more = f", with {self._last_words} on stderr; expected {EXPECTED}, flushed"
            raise _late(self._system, turn, more)
        line = self._line.result()
        if line is None:
            what = f"wrote more than {MOST_OF_A_REPLY:,} bytes to stdout at {step} without the end of a line"
            raise TurnFailed("parse", "too_long", f"{what}; expected {EXPECTED}")
        if not line.endswith(b"\n"):
            raise await self._ended(step)
        if early:
            shown = quoted(line.decode(errors="replace"))
            what = f"wrote more than one line to the turn before {step}: {shown}; expected {EXPECTED}"
            raise TurnFailed("parse", "schema", f"{what}, and all else on stderr")
        self._line = asyncio.create_task(self._next_line())
        return call_of_line(line, turn)

    async def close(self, *, at_once: bool = False) -> None:
        """Close the program's stdin, then ask it to end, then kill it; it is gone when this returns."""
        try:
            self._stdin.close()
            if not at_once and not await self._ends():
                self._signal(signal.SIGTERM)
                await self._ends()
        finally:
            # What the program started itself is of its group; so is the program, where we were interrupted.
            self._signal(signal.SIGKILL)
        await self._process.wait()
        await asyncio.wait([self._stderr], timeout=END_S)
        for task in (self._stderr, self._line):
            task.cancel()
        await asyncio.gather(self._stderr, self._line, return_exceptions=True)
        # A program in a session of its own may hold the pipes open; asyncio has no public way to leave them.
        self._process._transport.close()  # type: ignore[attr-defined]

    async def _ends(self) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), END_S)
        return self._process.returncode is not None

    def _signal(self, how: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, how)

    async def _next_line(self) -> bytes | None:
        """The next line; without its end where the program ended, None where it is too long."""
        try:
            return await self._stdout.readline()
        except ValueError:
            return None

    async def _keep(self, stderr: asyncio.StreamReader) -> None:
        """Keep what the program writes to stderr, but no secret; a line of megabytes is left out."""
        left = MOST_OF_A_LOG
        while True:
            try:
                line = without_secrets((await stderr.readline()).decode(errors="replace"))
            except ValueError:
                continue
            if not line:
                return
            if line.strip():
                self._last_words = quoted(line.strip())
            if left > 0:
                left -= len(line)
                with storage(self._log):
                    self._log.parent.mkdir(parents=True, exist_ok=True)
                    with self._log.open("a", encoding="utf-8") as log:
                        log.write(line if left > 0 else f"{line}[tellapart: the rest is not kept]\n")

    async def _ended(self, step: str) -> TurnFailed:
        """Why there is no whole line: the program ended, or closed its stdout."""
        await self._ends()
        await asyncio.wait([self._stderr], timeout=END_S)
        code = self._process.returncode
        how = "closed its stdout" if code is None else f"ended with exit code {code}"
        words = shlex.join(self._system.words(self._session))
        return TurnFailed(
            "provider",
            "exited",
            f"the program {how} before it replied to {step}, with {self._last_words} on stderr; expected "
            f"{EXPECTED} for each turn until its stdin is closed. Try it by itself: "
            f"{words}{withheld_hint(self._system.pass_env)}",
        )


def _late(system: System, turn: Turn, more: str) -> TurnFailed:
    what = f"no reply to {turn.facts.id} within {system.turn_timeout_s:g} s{more}"
    return TurnFailed("timeout", "timeout", f"{what}. Give it more with --timeout")


class PythonSession:
    """An object, and the thread in which it is made and asked; one turn at a time."""

    def __init__(self, system: System, factory: Callable[..., Any], session: str) -> None:
        """Ask an object that ``factory`` makes when the first turn is said."""
        self._system, self._factory, self._session = system, factory, session
        self._thread = LoopThread()
        self._object: Any = None

    async def say(self, turn: Turn) -> Call:
        """Say a turn, and give the reply to it."""
        work = asyncio.ensure_future(self._thread.run(lambda: self._reply(turn)))
        done, _ = await asyncio.wait([work], timeout=self._system.turn_timeout_s)
        if not done:
            work.cancel()
            raise _late(self._system, turn, "")
        try:
            value = work.result()
        except Exception as error:
            where = "the factory" if self._object is None else "reply()"
            what = f"{where} raised at {turn.facts.id}: {words_of(error)}"
            raise TurnFailed("provider", "raised", what) from None
        return call_of_value(value, turn)

    async def close(self, *, at_once: bool = False) -> None:
        """Let the thread end, which nothing can end at once; an object with ``close`` is closed there."""
        self._thread.close(self._closed)

    async def _reply(self, turn: Turn) -> Any:
        if self._object is None:
            made = await _called(self._factory, session=self._session, system=turn.system)
            if not callable(getattr(made, "reply", None)):
                raise TypeError(f"it gave {type(made).__name__}, which has no reply(message)")
            self._object = made
        facts = turn.facts
        known = {"id": facts.id, "type": facts.type, "session": facts.session, "date": facts.date}
        if facts.reply is None:
            return await _called(self._object.reply, turn.text, **known)
        # Without ``remember`` it cannot know what was said before, and this raises.
        await _called(self._object.remember, turn.text, facts.reply, **known)
        return {}

    async def _closed(self) -> None:
        close = getattr(self._object, "close", None)
        if callable(close):
            await _called(close)


async def _called(function: Callable[..., Any], *arguments: str, **offered: str | None) -> Any:
    """Call a function with what it takes by name of what is offered, and await what it gives."""
    named: dict[str, str | None] = {}
    with suppress(TypeError, ValueError):  # Of a function that is not Python's own nothing is known.
        parameters = inspect.signature(function).parameters
        takes_all = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
        named = {name: value for name, value in offered.items() if takes_all or name in parameters}
    value = function(*arguments, **named)
    return await value if inspect.isawaitable(value) else value


class SystemCaller(JournalingCaller):
    """Says the turns of one conversation, or of several after one another; see ``close``."""

    def __init__(
        self, system: System, logs: Path, journal: CallJournal, budget: Budget, breaker: Breaker
    ) -> None:
        """Start ``system`` at the first turn of each conversation."""
        super().__init__(system, journal, budget, breaker)
        self._system, self._logs = system, logs
        self._session: CommandSession | PythonSession | None = None
        self._name = ""
        self._last: str | None = None

    async def call(self, request: Request) -> Call:
        """Say a turn; it is in the journal when this returns, with whatever came back."""
        turn = request.turn
        if turn is None or turn.after not in (None, self._last):
            raise RuntimeError("a system is asked turn by turn, and not from a snapshot")
        if turn.after is None:
            await self.close()
        call = await super().call(request)
        if reply_of_call(call).text is not None:
            self._last = request.key
        return call

    async def send(self, request: Request, messages: Messages) -> Call:
        """Say a turn to the system that is running, or to one that is started for it."""
        assert request.turn is not None
        if self._session is None:
            await self._start(request.turn.conversation, request.replica)
        assert self._session is not None
        try:
            call = without_secrets_in(await self._session.say(request.turn))
        except TurnFailed as error:
            session, self._session = self._session, None
            await session.close(at_once=True)
            why = replace(error.failure, detail=without_secrets(error.failure.detail))
            call = {"failure": asdict(why)}
        return {"session": self._name, **call, "attempts": 1}

    async def _start(self, conversation: str, replica: int) -> None:
        """Start it under a new name: what it kept of a conversation that was cut off is not its memory."""
        plain = re.sub(r"[^A-Za-z0-9]", "-", conversation)[:40].strip("-")
        self._name = f"{plain or 'case'}-e{replica + 1}-{uuid4().hex[:8]}"
        system = self._system
        if system.is_python:
            self._session = PythonSession(system, factory_of(system.target), self._name)
        else:
            log = self._logs / f"{self._name}.stderr.log"
            self._session = await CommandSession.start(system, self._name, log)

    async def close(self) -> None:
        """End the system that is running, if one is."""
        session, self._session, self._last = self._session, None, None
        if session is not None:
            await session.close()
