"""Callers that ask: a call is in the journal, with whatever came back, before its reply is given back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING

from tellapart.environment.clock import seconds_since
from tellapart.llm.breaker import Breaker
from tellapart.llm.budget import Budget, Exhausted
from tellapart.llm.calls import Call, Messages, Request, make_call, now
from tellapart.llm.conversation import reply_of_call
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel, Respondent
from tellapart.llm.questions import Failure
from tellapart.llm.recorded_calls import RecordedCalls

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from tellapart.llm.wire import Wire


class Watch:
    """Lets a breaker see how questions and turns end, and stops all when it has tripped."""

    def __init__(self, name: str, journal: CallJournal, max_failures: int) -> None:
        """Watch who has this name, whose calls ``journal`` holds."""
        self._name, self._journal = name, journal
        self._breaker = Breaker(max_failures)

    def see(self, failure: Failure | None, subject: str, keys: Iterable[str]) -> None:
        """See what came back; raises ``ProviderError`` once too much has failed."""
        breaker = self._breaker
        if failure is None:
            breaker.answered()
            return
        breaker.failed(failure, subject, keys)
        if breaker.tripped is None:
            return
        why = {"cause": "provider", "kind": "unusable", "detail": "one of too many replies that are unusable"}
        line = {"model": self._name, "question": "", "replica": 0, "failure": why, "attempts": 0}
        while breaker.to_repeat:
            # As calls that failed, so that they are made again when resuming.
            self._journal.append(breaker.to_repeat.pop(0), line)
        raise breaker.error(self._name)


class JournalingCaller:
    """Makes calls when the budget allows, and notes each with whatever came back."""

    def __init__(self, model: Respondent, journal: CallJournal, budget: Budget, watch: Watch) -> None:
        """Ask ``model``; ``watch`` sees how turns of conversations end."""
        self._model, self._journal, self._budget, self._watch = model, journal, budget, watch

    async def send(self, request: Request, messages: Messages) -> Call:
        """Send a call, and give what came back of it: a reply and its facts, or why there is none."""
        raise NotImplementedError

    async def call(self, request: Request) -> Call:
        """Make a call; it is in the journal when this returns."""
        messages = request.messages()
        size = sum(len(message["content"].encode(errors="replace")) for message in messages)
        named = {"model": self._model.name, "question": request.id, "replica": request.replica}
        try:
            async with self._budget.room_for(size):
                sent, began = now(), time.monotonic()
                reply = await self.send(request, messages)
                seconds = round(seconds_since(began), 3)
                moment = {"sent": sent} if request.turn else {}
                call = {"time": now(), **moment, **named, **request.line, **reply, "seconds": seconds}
                self._budget.learn(size, call.get("usage"))
                self._journal.append(request.key, call)
        except Exhausted:
            if self._budget.limits.on_budget != "close":
                raise
            # Without its messages: nobody was sent them.
            failure = {"cause": "budget", "kind": "max_cost", "detail": "not asked: the budget ran out"}
            call = {"time": now(), **named, "failure": failure, "attempts": 0}
            self._journal.append(request.key, call)
        if request.turn is not None:
            subject = f"{request.turn.conversation}#{request.replica} {request.turn.text}"
            self._watch.see(reply_of_call(call).failure, subject, [request.key])
        return call


class ModelCaller(JournalingCaller):
    """Makes the calls to a language model that the journal does not hold, for all plays of one event loop."""

    def __init__(
        self,
        model: LanguageModel,
        recorded: RecordedCalls,
        journal: CallJournal,
        budget: Budget,
        watch: Watch,
        connection: tuple[Model, Wire],
    ) -> None:
        """Look calls up in ``recorded`` before they are sent over ``connection``."""
        super().__init__(model, journal, budget, watch)
        self._llm, self._recorded = model, recorded
        self._connected, self._wire = connection
        self._failed: dict[str, Call] = {}
        self._under_way: dict[str, asyncio.Event] = {}

    async def call(self, request: Request) -> Call:
        """Look a call up, or make it; conversations that begin alike make it once."""
        key = request.key
        while key in self._under_way:
            await self._under_way[key].wait()
        call = self._failed.get(key) or self._recorded.get(key)
        if call is None:
            self._under_way[key] = asyncio.Event()
            try:
                call = await super().call(request)
            finally:
                self._under_way.pop(key).set()
            if "failure" in call:
                self._failed[key] = call
        return call

    async def send(self, request: Request, messages: Messages) -> Call:
        """Send messages over the wire, and note which parameters went with them."""
        from inspect_ai.util import span

        # By which the log's reader finds the calls of a turn; those of a question are in one span.
        async with span(request.id, type="question") if request.turn else nullcontext():
            reply = await make_call(self._connected, messages, self._llm, request.reply)
        self._journal.note_sent(self._llm.name, self._wire.sent())
        return reply
