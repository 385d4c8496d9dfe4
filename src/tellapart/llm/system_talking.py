"""Conversations with a system under test: a process or an object each, begun at the first turn.

A system has a state that no journal holds. So a conversation is either whole in the journal, and then nothing
of it is said again, or it is said again from its first turn, to a system that is started anew.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from tellapart.environment.clock import seconds_since
from tellapart.environment.secrets import without_secrets, without_secrets_in
from tellapart.errors import MissingExtra
from tellapart.llm.budget import Limits
from tellapart.llm.calls import Call, Messages, Request, Turn, now
from tellapart.llm.command_sessions import CommandSession
from tellapart.llm.conversation import reply_of_call
from tellapart.llm.engine import Gate, Watch, names_of, noted_call
from tellapart.llm.journal import CallJournal
from tellapart.llm.python_sessions import PythonSession, factory_of
from tellapart.llm.system_replies import TurnFailed
from tellapart.llm.systems import System, check_command, session_name

Start = Callable[[str], Coroutine[Any, Any, "Session"]]
"""Starts a system for the conversation of a name."""


class Session(Protocol):
    """A system that is started, for one conversation."""

    async def say(self, turn: Turn) -> Call:
        """Say a turn; raises ``TurnFailed``, after which it is of no further use."""

    async def close(self) -> None:
        """End it as it should end."""

    async def kill(self) -> None:
        """End it at once."""


def check_system(system: System) -> None:
    """See that a system can be started, before anything is."""
    if system.recording is not None:
        return
    if system.is_python:
        factory_of(system)
    else:
        check_command(system)


class SystemCaller:
    """Says the turns of one conversation, or of several after one another; see ``close``."""

    def __init__(self, system: System, start: Start, gate: Gate, journal: CallJournal, watch: Watch) -> None:
        """Start ``system`` at the first turn of each conversation; ``watch`` sees what comes back."""
        self._system, self._start, self._gate, self._journal = system, start, gate, journal
        self._watch = watch
        self._session: Session | None = None
        self._name = ""
        self._last: str | None = None

    async def call(self, request: Request) -> Call:
        """Say a turn; it is in the journal when this returns, with whatever came back."""
        turn = request.turn
        if turn is None or turn.after not in (None, self._last):
            raise RuntimeError("a system is asked turn by turn, and not from a snapshot")
        if turn.after is None:
            await self.close()

        async def send(_: Messages) -> Call:
            session = self._session or await self._begin(request, turn)
            return await self._say(request, turn, session)

        call = await noted_call(
            request, send, model=self._system.name, gate=self._gate, journal=self._journal
        )
        if reply_of_call(call).text is not None:
            self._last = request.key
        self._watch.see_turn(request, call)
        return call

    async def close(self) -> None:
        """End the system that is running, if one is."""
        session, self._session, self._last = self._session, None, None
        if session is not None:
            await session.close()

    async def _begin(self, request: Request, turn: Turn) -> Session:
        attempt = self._journal.begin_session(self._system.name, f"{turn.conversation}#{request.replica}")
        self._name = session_name(self._system, turn.conversation, request.replica, attempt)
        self._session = await self._start(self._name)
        return self._session

    async def _say(self, request: Request, turn: Turn, session: Session) -> Call:
        sent, began = now(), time.monotonic()
        try:
            call = without_secrets_in(await session.say(turn))
        except TurnFailed as error:
            self._session = None
            await session.kill()
            why = error.failure
            call = {"failure": {"cause": why.cause, "kind": why.kind, "detail": without_secrets(why.detail)}}
        seconds = round(seconds_since(began), 3)
        line = {**names_of(request, self._system.name), **request.line, "session": self._name, **call}
        return {"time": now(), "sent": sent, **line, "attempts": 1, "seconds": seconds}


def hold_with_system(
    conversations: Iterable[Callable[[SystemCaller], Coroutine[Any, Any, None]]],
    system: System,
    journal: CallJournal,
    *,
    limits: Limits,
    spent: Callable[[], float],
    logs: Path,
    watch: Watch,
) -> None:
    """Hold conversations, ``limits.at_once`` of them at the same time."""
    if limits.max_cost is not None or limits.delay_s:
        _require_anyio()
    start = _starter(system, logs)
    gate = Gate(system, limits, spent)
    todo = iter(conversations)

    async def work() -> None:
        for hold in todo:
            caller = SystemCaller(system, start, gate, journal, watch)
            try:
                await hold(caller)
            finally:
                await caller.close()

    async def all_of_them() -> None:
        workers = [asyncio.create_task(work()) for _ in range(limits.at_once)]
        try:
            done, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        for worker in done:
            worker.result()

    _run(all_of_them())


def _starter(system: System, logs: Path) -> Start:
    if system.is_python:
        factory = factory_of(system)

        async def make(session: str) -> Session:
            return PythonSession(system, factory, session)

        return make

    async def start(session: str) -> Session:
        return await CommandSession.start(system, session, logs / f"{session}.stderr.log")

    return start


def _require_anyio() -> None:
    try:
        import anyio  # noqa: F401
    except ImportError:
        raise MissingExtra("a budget or a delay between calls", "llm") from None


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run it in an event loop of its own, also where one is running, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()
