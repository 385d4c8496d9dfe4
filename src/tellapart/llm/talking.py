"""Conversations with one model: what the journal does not hold is said, inside an Inspect task."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tellapart.errors import OverBudget
from tellapart.llm.asking import Pace, make_call, sent_over
from tellapart.llm.budget import NO_LIMITS, Budget, Exhausted, Limits, dollars
from tellapart.llm.connection import connect
from tellapart.llm.conversation import (
    NOT_RECORDED,
    Call,
    Conversation,
    Speaker,
    TurnReply,
    after,
    reply_of_call,
)
from tellapart.llm.inspecting import run_workers
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.recorded_calls import Calls, RecordedCalls
from tellapart.llm.replay import calls_file
from tellapart.llm.usage import spent

if TYPE_CHECKING:
    import anyio
    from inspect_ai.model import Model

    from tellapart.llm.traffic import Wire

Result = TypeVar("Result")

Play = Callable[[Speaker], Awaitable[Result]]
"""Holds one conversation, or several in turn. It may be begun anew with another speaker, so it keeps nothing
outside, and with the same replies it says the same."""


def hold_all(
    plays: Sequence[Play[Result]],
    model: LanguageModel,
    journal: CallJournal,
    *,
    logs: Path,
    limits: Limits = NO_LIMITS,
    reuse: Path | None = None,
    on_result: Callable[[Result], None] = lambda _: None,
) -> list[Result]:
    """Hold conversations, ``limits.at_once`` of them at the same time.

    Every call is in the journal when its reply is given back, with its own turn and the key of the call
    before it, so that a journal grows with what is said and not with its square. An error of the provider is
    what came back, whichever it is: none of them stops anything but the conversation that stops at it. It is
    tried again when an interrupted run goes on, or with ``reuse``; but for a prompt that was too long.

    Args:
        plays: What holds each.
        model: Who is spoken to, or the recording that answers in its place.
        journal: Of calls.
        logs: Directory of the Inspect logs.
        limits: What that may take.
        reuse: An earlier run, or its journal; what was answered there is not asked again.
        on_result: Told of every result for which nothing had to be said, before any call is made.

    Returns:
        What each play gives, in their order.

    Raises:
        OverBudget: The money is used up; what is answered is kept, and the same goes on from there.
        TellapartError: The model cannot be asked, or a journal cannot be used.
    """
    earlier = model.recording or reuse
    opened = nullcontext() if earlier is None else CallJournal(calls_file(earlier), read_only=True)
    with opened as journals:
        calls = RecordedCalls(journal, model.name, journals, final=model.recording is not None)
        journal.note_requested(model.name, model.requested())
        session = _Session(plays, model, calls, limits)
        for result in session.read():
            on_result(result)
        session.hold(logs)
    return [session.results[i] for i in range(len(plays))]


class Unknown(Exception):
    """A call is not in the journal."""


class Recorded:
    """Says only what is known."""

    def __init__(self, recorded_calls: Calls) -> None:
        """Read what is in ``recorded_calls``."""
        self._recorded = recorded_calls

    async def say(self, conversation: Conversation, text: str, name: str) -> tuple[TurnReply, Conversation]:
        """Look a turn up.

        Raises:
            Unknown: It would have to be said.
        """
        call = self._recorded.get(conversation.key(text))
        if call is None and not self._recorded.final:
            raise Unknown
        reply = NOT_RECORDED if call is None else reply_of_call(call)
        return reply, after(conversation, text, reply)


class _Session(Generic[Result]):
    def __init__(
        self,
        plays: Sequence[Play[Result]],
        model: LanguageModel,
        recorded_calls: RecordedCalls,
        limits: Limits,
    ) -> None:
        self.results: dict[int, Result] = {}
        self._plays, self._model, self._recorded, self._limits = plays, model, recorded_calls, limits

    def read(self) -> list[Result]:
        """The results of plays that the journal holds whole."""
        for i, play in enumerate(self._plays):
            try:
                self.results[i] = asyncio.run(awaited(play(Recorded(self._recorded))))
            except Unknown:
                continue
        return list(self.results.values())

    def hold(self, logs: Path) -> None:
        """Play all others."""
        left = [i for i in range(len(self._plays)) if i not in self.results]
        if not left:
            return
        at_once = self._limits.at_once
        budget = Budget(self._limits, self._model.name, self._model.max_tokens, self._spent)
        connected, wire = connect(self._model, max_connections=at_once)
        # An error is a result here, so a wire that only brought errors is no reason to give up.
        wire.replies += 1
        live = _Live(self._model, self._recorded, budget, connected, wire, self._limits)
        todo = iter(left)

        async def work() -> None:
            i = next(todo)
            try:
                self.results[i] = await self._plays[i](live)
            except Exhausted:
                raise self._over_budget() from None

        run_workers(work, samples=len(left), at_once=at_once, connected=connected, logs=logs)

    def _over_budget(self) -> OverBudget:
        return OverBudget(
            f"{dollars(self._spent())} of {dollars(self._limits.max_cost or 0)} US dollars are spent, and "
            f"another call might pass the limit: {self._model.name} has finished {len(self.results):,} of "
            f"{len(self._plays):,} conversations",
            next_step="What was said is kept: the same command with a higher --max-cost continues from there",
        )

    def _spent(self) -> float:
        return spent(self._recorded.journal.models, self._limits)


async def awaited(awaitable: Awaitable[Result]) -> Result:
    """What something that can be awaited gives, as a coroutine, which ``asyncio.run`` wants."""
    return await awaitable


class _Live:
    """Says a turn over the wire unless the journal holds it, for all that play at the same time."""

    def __init__(
        self,
        model: LanguageModel,
        recorded_calls: RecordedCalls,
        budget: Budget,
        connected: Model,
        wire: Wire,
        limits: Limits,
    ) -> None:
        self._model, self._recorded, self._budget = model, recorded_calls, budget
        self._connected, self._wire = connected, wire
        self._closes, self._pace = limits.on_budget == "close", Pace(limits.delay_s)
        self._failed: dict[str, Call] = {}
        self._under_way: dict[str, anyio.Event] = {}

    async def say(self, conversation: Conversation, text: str, name: str) -> tuple[TurnReply, Conversation]:
        """Say something; conversations that begin alike share the calls of what they share.

        Raises:
            Exhausted: It does not fit into the budget.
            StorageError: The journal cannot be written.
        """
        import anyio

        key = conversation.key(text)
        while key in self._under_way:
            await self._under_way[key].wait()
        call = self._failed.get(key) or self._recorded.get(key)
        if call is None:
            self._under_way[key] = anyio.Event()
            try:
                call = await self._call(conversation, text, name)
            finally:
                self._under_way.pop(key).set()
            if "failure" in call:
                self._failed[key] = call
        reply = reply_of_call(call)
        return reply, after(conversation, text, reply)

    async def _call(self, conversation: Conversation, text: str, name: str) -> Call:
        size, call = conversation.size_with(text), dict[str, Any]()
        try:
            async with self._budget.room_for(size), self._pace.turn():
                call = await self._send(conversation, text, name)
                if "usage" in call:
                    self._budget.learn(size, call["usage"]["input_tokens"])
                self._recorded.journal.note_sent(self._model.name, sent_over(self._wire))
                self._recorded.journal.append(conversation.key(text), call)
        except Exhausted:
            if not self._closes:
                raise
            why = {"cause": "budget", "kind": "max_cost", "detail": "not asked: the budget ran out"}
            call = {"time": _now(), **self._facts(conversation, name), "failure": why, "attempts": 0}
            self._recorded.journal.append(conversation.key(text), call)
        return call

    async def _send(self, conversation: Conversation, text: str, name: str) -> dict[str, Any]:
        from inspect_ai.util import span

        sent, begun = _now(), time.perf_counter()
        # By which the log's reader finds the calls of a turn.
        async with span(name, type="question"):
            call = await make_call(self._connected, conversation.messages(text))
        seconds = round(time.perf_counter() - begun, 3)
        begins = {"system": conversation.system} if conversation.last is None else {}
        turn = {**self._facts(conversation, name), **begins, "after": conversation.last, "turn": text}
        return {"time": _now(), "sent": sent, **turn, **call, "seconds": seconds}

    def _facts(self, conversation: Conversation, name: str) -> dict[str, Any]:
        return {"model": self._model.name, "question": name, "replica": conversation.replica}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
