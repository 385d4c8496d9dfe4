"""Conversations with one model or system: what the journal does not hold is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.callers import Watch
from tellapart.llm.conversation import Speaker
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.plays import Asking, Play, Result, ask_the_rest, from_record, recorded_for
from tellapart.llm.recorded_calls import Unknown
from tellapart.llm.systems import System

__all__ = ["Play", "Result", "hold_all"]


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

    The journal holds each turn with the key of the call before it, so that it grows with what is said and not
    with its square. An error of the provider is what came back, and stops nothing but the conversation that
    stops at it. It is tried again when an interrupted run goes on, or with ``reuse``; but for a prompt that
    was too long. See ``ask_the_rest`` for what ends all.
    """
    results: dict[int, Result] = {}
    with recorded_for(model, journal, reuse) as recorded:
        for i, play in enumerate(plays):
            try:
                results[i] = from_record(play, recorded)
            except Unknown:
                continue
        for result in list(results.values()):
            on_result(result)

        async def hold(i: int, speaker: Speaker, _: Watch) -> None:
            results[i] = await plays[i](speaker)

        left = [i for i in range(len(plays)) if i not in results]
        asking = Asking(model, journal, recorded, limits, logs, "conversations", len(plays), caches)
        ask_the_rest(iter(left), hold, asking, answered=lambda: len(results), shares=[1 for _ in left])
    return [results[i] for i in range(len(plays))]
