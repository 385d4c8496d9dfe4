"""Callers that ask, within a budget: a call is in the journal before its reply is given back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

from tellapart.environment.clock import now, seconds_since
from tellapart.errors import UsageError
from tellapart.llm.breaker import Breaker
from tellapart.llm.budget import Limits, cost
from tellapart.llm.calls import Call, Messages, Request, make_call
from tellapart.llm.conversation import reply_of_call
from tellapart.llm.journal import CallJournal, RecordedCalls
from tellapart.llm.models import LanguageModel, Respondent

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from tellapart.llm.wire import Wire

BYTES_A_TOKEN = 3.0
"""How a prompt's tokens are estimated; text has about four."""


class Exhausted(Exception):
    """A call does not fit into what may still be spent."""


class Budget:
    """Lets a call begin only while the worst that all calls under way may cost still fits.

    The worst is the prompt's tokens, none of which a cache has, and as many of reply as were allowed.
    """

    def __init__(
        self,
        limits: Limits,
        model: str,
        max_tokens: int,
        spent: Callable[[], float],
        *,
        caches: bool = False,
    ) -> None:
        """Watch the calls to one model; ``caches`` says whether its prompts go into caches."""
        self._price = limits.price_of(model)
        if limits.max_cost is not None and self._price is None:
            raise UsageError(
                f"a highest cost of {limits.max_cost} US dollars needs the price of {model!r}",
                next_step="Say what a million tokens cost, in and out (--price IN,OUT); prices are on the "
                "provider's pages",
            )
        self.limits, self._spent, self._max_tokens, self._caches = limits, spent, max_tokens, caches
        self._exhausted = False
        self._under_way: list[float] = []
        self._settled = asyncio.Event()
        self._ended_s: float | None = None

    @asynccontextmanager
    async def room_for(self, prompt_bytes: int) -> AsyncIterator[None]:
        """Wait until a call may begin, and reserve the most that it may cost while it is under way."""
        worst = self._worst(prompt_bytes)
        await self._wait_for(worst)
        self._under_way.append(worst)
        try:
            if self.limits.delay_s and self._ended_s is not None:
                await asyncio.sleep(max(0.0, self._ended_s + self.limits.delay_s - time.monotonic()))
            yield
        finally:
            self._ended_s = time.monotonic()
            self._under_way.remove(worst)
            self._settled.set()
            self._settled = asyncio.Event()

    def _worst(self, prompt_bytes: int) -> float:
        if self.limits.max_cost is None or self._price is None:
            return 0.0
        tokens = prompt_bytes / BYTES_A_TOKEN
        written = tokens if self._caches else 0.0
        return max(cost(self._price, tokens, self._max_tokens, written=part) for part in (0.0, written))

    async def _wait_for(self, worst: float) -> None:
        most = self.limits.max_cost
        if most is None:
            return
        while not self._exhausted and self._spent() + sum(self._under_way) + worst > most:
            if self._under_way:
                await self._settled.wait()
            else:
                self._exhausted = True
        if self._exhausted:
            raise Exhausted


class JournalingCaller:
    """Makes calls when the budget allows, and notes each with whatever came back."""

    def __init__(self, model: Respondent, journal: CallJournal, budget: Budget, breaker: Breaker) -> None:
        """Ask ``model``; ``breaker`` sees how turns of conversations end."""
        self._model, self._journal, self._budget, self._breaker = model, journal, budget, breaker

    async def send(self, request: Request, messages: Messages) -> Call:
        """Send a call, and give what came back of it: a reply and its facts, or why there is none."""
        raise NotImplementedError

    async def close(self) -> None:
        """End what was begun for one play, or several in turn."""

    async def call(self, request: Request) -> Call:
        """Make a call; it is in the journal when this returns."""
        messages = request.messages()
        size = sum(len(message["content"].encode(errors="replace")) for message in messages)
        named = {"model": self._model.name, "question": request.id, "replica": request.replica}
        async with self._budget.room_for(size):
            sent, began = _moment(), time.monotonic()
            reply = await self.send(request, messages)
            seconds = round(seconds_since(began), 3)
            moment = {"sent": sent} if request.turn else {}
            call = {"time": _moment(), **moment, **named, **request.line, **reply, "seconds": seconds}
            self._journal.append(request.key, call)
        if request.turn is not None:
            subject = f"{request.turn.conversation}#{request.replica} {request.turn.text}"
            self._breaker.see(reply_of_call(call).failure, subject, [request.key])
        return call


class ModelCaller(JournalingCaller):
    """Makes the calls to a language model that no journal holds, for all plays of one event loop."""

    def __init__(
        self,
        model: LanguageModel,
        recorded: RecordedCalls,
        journal: CallJournal,
        budget: Budget,
        breaker: Breaker,
        connection: tuple[Model, Wire],
    ) -> None:
        """Look calls up in ``recorded`` before they are sent over ``connection``."""
        super().__init__(model, journal, budget, breaker)
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
        self._journal.note_sent(self._llm.name, self._wire.parameters)
        return reply


def _moment() -> str:
    return now().isoformat(timespec="milliseconds")
