"""Conversations with one model: what the journal does not hold is said, inside an Inspect task."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tellapart.errors import OverBudget
from tellapart.llm.budget import NO_LIMITS, Exhausted, Limits
from tellapart.llm.conversation import Speaker
from tellapart.llm.engine import LiveCaller, Sender, Watch, calls_of, over_budget, run_jobs, saying_how_far
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.recorded_calls import RecordedCaller, RecordedCalls, Unknown, without_waiting
from tellapart.llm.system_talking import SystemCaller, hold_with_system
from tellapart.llm.systems import System
from tellapart.llm.usage import spent

Result = TypeVar("Result")

Play = Callable[[Speaker], Coroutine[Any, Any, Result]]
"""Holds one conversation, or several in turn. It may be begun anew with another speaker, so it keeps nothing
outside, waits for nothing but the speaker, and with the same replies it says the same."""


def hold_all(
    plays: Sequence[Play[Result]],
    model: LanguageModel | System,
    journal: CallJournal,
    *,
    logs: Path,
    limits: Limits = NO_LIMITS,
    reuse: Path | Sequence[Path] | None = None,
    caches: bool = True,
    on_result: Callable[[Result], None] = lambda _: None,
) -> list[Result]:
    """Hold conversations, ``limits.at_once`` of them at the same time.

    Every call is in the journal when its reply is given back, with its own turn and the key of the call
    before it, so that a journal grows with what is said and not with its square. An error of the provider is
    what came back, and stops nothing but the conversation that stops at it. It is tried again when an
    interrupted run goes on, or with ``reuse``; but for a prompt that was too long. An error that every other
    call would run into as well, such as a wrong key or an account without credit, is no result of a
    conversation: it ends all of them, and so does too long a row of others, see ``Breaker``.
    """
    results: dict[int, Result] = {}
    with calls_of(model, journal, reuse) as recorded_calls:
        speaker = Speaker(RecordedCaller(recorded_calls))
        for i, play in enumerate(plays):
            try:
                results[i] = without_waiting(play(speaker))
            except Unknown:
                continue
        for result in list(results.values()):
            on_result(result)
        watch = Watch(model.name, journal, limits)
        if results:
            watch.answered_before()
        how_far = saying_how_far(
            lambda: journal.models[model.name].calls, None, "turns", model.name, journal, limits
        )
        if len(results) < len(plays):
            with how_far:
                if isinstance(model, System):
                    _hold_with_system(plays, results, model, recorded_calls, limits, logs, watch)
                else:
                    _hold(plays, results, model, recorded_calls, limits, logs, watch, caches=caches)
    return [results[i] for i in range(len(plays))]


def _hold(
    plays: Sequence[Play[Result]],
    results: dict[int, Result],
    model: LanguageModel,
    recorded_calls: RecordedCalls,
    limits: Limits,
    logs: Path,
    watch: Watch,
    *,
    caches: bool,
) -> None:
    """Add the results that are missing."""

    def amount() -> float:
        return spent(recorded_calls.journal.models, limits)

    sender = Sender(model, limits, amount, caches=caches)
    speaker = Speaker(LiveCaller(sender, recorded_calls, watch))

    async def work(i: int) -> None:
        try:
            results[i] = await plays[i](speaker)
        except Exhausted:
            raise _over_budget(amount(), limits, model, len(results), len(plays)) from None

    left = [i for i in range(len(plays)) if i not in results]
    run_jobs(iter(left), work, sender, logs, shares=[1] * len(left), spare=len(left))


def _hold_with_system(
    plays: Sequence[Play[Result]],
    results: dict[int, Result],
    system: System,
    recorded_calls: RecordedCalls,
    limits: Limits,
    logs: Path,
    watch: Watch,
) -> None:
    """Add the results that are missing."""
    journal = recorded_calls.journal

    def amount() -> float:
        return spent(journal.models, limits)

    def held(i: int) -> Callable[[SystemCaller], Coroutine[Any, Any, None]]:
        async def hold(caller: SystemCaller) -> None:
            try:
                results[i] = await plays[i](Speaker(caller))
            except Exhausted:
                raise _over_budget(amount(), limits, system, len(results), len(plays)) from None

        return hold

    left = [held(i) for i in range(len(plays)) if i not in results]
    hold_with_system(left, system, journal, limits=limits, spent=amount, logs=logs, watch=watch)


def _over_budget(
    amount: float, limits: Limits, model: LanguageModel | System, finished: int, conversations: int
) -> OverBudget:
    again = ", and each conversation that is not finished begins again" if model.own_history else ""
    return over_budget(
        amount,
        limits,
        f"{model.name} has finished {finished:,} of {conversations:,} conversations",
        f"What was said is kept: the same command with a higher --max-cost continues from there{again}",
    )
