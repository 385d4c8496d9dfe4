"""The one loop in which models are asked: what is recorded first, then the rest, several plays at a time.

A play is a coroutine that makes its calls of a `Speaker`. A question is a play of one turn, and of a second
one that repairs the reply; a conversation has as many as there is to say. A play is first worked through with
what is recorded, and begins anew with the model where a call has yet to be made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from itertools import chain
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tellapart.errors import ProviderError
from tellapart.llm.breaker import Breaker
from tellapart.llm.budget import Limits, cost, dollars, over_budget
from tellapart.llm.callers import Budget, Exhausted, JournalingCaller, ModelCaller
from tellapart.llm.connection import connect
from tellapart.llm.conversation import Speaker
from tellapart.llm.inspecting import run_workers
from tellapart.llm.journal import CallJournal, RecordedCalls
from tellapart.llm.models import Respondent
from tellapart.llm.system_sessions import SystemCaller
from tellapart.llm.systems import System
from tellapart.llm.usage import ModelUse, spent

if TYPE_CHECKING:
    from inspect_ai.model import Model

GRACE_S = 5.0
"""How long calls under way may still bring their replies once no other call is worth making."""

Result = TypeVar("Result")
Job = TypeVar("Job")

Play = Callable[[Speaker], Coroutine[Any, Any, Result]]
"""Puts a question, or holds one conversation or several in turn. It may be begun anew with another speaker,
so it keeps nothing outside, waits for nothing but the speaker, and with the same replies it says the same."""


@dataclass(frozen=True)
class Asking:
    """A model to ask, and within which limits; messages say how many of ``total`` are ``counted``."""

    model: Respondent
    journal: CallJournal
    recorded: RecordedCalls
    limits: Limits
    logs: Path
    counted: str
    total: int
    caches: bool = False
    jobs_a_sample: int = 1

    def spent(self) -> float:
        """US dollars for all calls that the journal holds."""
        return spent(self.journal.models, self.limits)

    def use(self) -> ModelUse:
        """What the calls to the model have taken so far."""
        return self.journal.models.get(self.model.name, ModelUse())

    def so_far(self, done: int) -> str:
        """How much is answered, and what that took, as a clause."""
        paid, price = self.use().paid, self.limits.price_of(self.model.name)
        clause = f"{done:,} of {self.total:,} {self.counted}"
        if not any(paid):
            return clause
        if price is None:
            return f"{clause}, for {paid[0]:,} tokens in and {paid[1]:,} out"
        return f"{clause}, for {dollars(cost(price, *paid))} US dollars"

    def repeat(self, key: str) -> None:
        """Put a call down as one that failed, so that it is made again when resuming."""
        why = {"cause": "provider", "kind": "unusable", "detail": "one of too many replies that are unusable"}
        self.journal.append(key, {"model": self.model.name, "failure": why, "attempts": 0})

    def callers(self, breaker: Breaker) -> tuple[Callable[[], JournalingCaller], Model | None]:
        """What makes the caller of a job, and the model of Inspect if one is asked; nothing is sent yet."""
        model, limits = self.model, self.limits
        budget = Budget(limits, model.name, model.max_tokens, self.spent, caches=self.caches)
        if isinstance(model, System):
            return lambda: SystemCaller(model, self.logs, self.journal, budget, breaker), None
        connection = connect(model, max_connections=limits.at_once, caches=self.caches)
        caller = ModelCaller(model, self.recorded, self.journal, budget, breaker, connection)
        return lambda: caller, connection[0]


def ask_the_rest(
    jobs: Iterator[Job],
    work: Callable[[Job, Speaker, Breaker], Awaitable[None]],
    asking: Asking,
    *,
    answered: Callable[[], int],
) -> None:
    """Do the jobs that need a model, ``limits.at_once`` of them at the same time.

    An error that every other call would run into as well, such as a wrong key, ends all, and so does a row of
    others that is too long, see ``Breaker``; calls under way then have ``GRACE_S`` seconds to bring their
    replies. ``answered`` counts the jobs that have their answer, those that were recorded included.
    """
    try:
        first = next(jobs, None)
        if first is None:
            return
        exhausted = _work_through(chain([first], jobs), work, asking)
    except ProviderError as error:
        done = answered()
        if not done and not any(asking.use().paid):
            raise
        what = f"{error.what}; {asking.so_far(done)}"
        raise ProviderError(what, where=error.where, next_step=error.next_step) from None
    if exhausted:
        # Answers that are recorded may lie behind the first job that was not done.
        for _ in jobs:
            pass
        raise over_budget(asking.spent(), asking.limits, asking.model.name, asking.so_far(answered()))


def _work_through(
    jobs: Iterator[Job], work: Callable[[Job, Speaker, Breaker], Awaitable[None]], asking: Asking
) -> bool:
    """Do jobs until one fails, the money is used up, or none is left; whether the money is."""
    breaker = Breaker(asking.limits.max_failures, asking.model.name, asking.repeat)
    caller_of_job, connected = asking.callers(breaker)
    under_way, stopping, exhausted = 0, False, False

    async def do(job: Job) -> None:
        nonlocal under_way, stopping, exhausted
        under_way += 1
        caller = caller_of_job()
        try:
            await work(job, Speaker(caller), breaker)
        except Exhausted:
            stopping = exhausted = True
        finally:
            try:
                await caller.close()
            finally:
                under_way -= 1

    async def sample() -> None:
        nonlocal stopping
        for number, job in enumerate(() if stopping else jobs, 1):
            try:
                await do(job)
            except Exception as error:
                stopping = True
                if isinstance(error, ProviderError):
                    await _until(lambda: not under_way)
                raise
            if stopping or number == asking.jobs_a_sample:
                return

    at_once = asking.limits.at_once
    samples = max(ceil(asking.total / asking.jobs_a_sample), min(asking.total, at_once))
    run_workers(sample, samples=samples, at_once=at_once, connected=connected, logs=asking.logs)
    return exhausted


async def _until(condition: Callable[[], bool]) -> None:
    loop = asyncio.get_running_loop()
    until = loop.time() + GRACE_S
    while not condition() and loop.time() < until:
        await asyncio.sleep(0.05)
