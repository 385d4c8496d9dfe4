"""Many questions to one model: what the journal does not hold is asked, inside an Inspect task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext
from itertools import chain
from math import ceil
from pathlib import Path
from typing import Any

from tellapart.core.progress import SILENT, Progress
from tellapart.errors import OverBudget, ProviderError
from tellapart.llm.answers import Answers, AnswersOnDisk
from tellapart.llm.asking import Asking, Pace, recorded
from tellapart.llm.budget import NO_LIMITS, Budget, Exhausted, Limits, dollars
from tellapart.llm.connection import connect
from tellapart.llm.inspecting import run_workers
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer, Failure, Question, Reply
from tellapart.llm.recorded_calls import RecordedCalls
from tellapart.llm.replay import calls_file
from tellapart.llm.usage import spent

QUESTIONS_A_SAMPLE = 20
"""Questions in one sample of the Inspect log; one sample for each would cost more than a fast call."""

GRACE_S = 5.0
"""How long calls under way may still bring their replies once no other call is worth making."""


def ask_all(
    questions: Collection[Question[Reply]],
    model: LanguageModel,
    journal: CallJournal,
    *,
    logs: Path,
    limits: Limits = NO_LIMITS,
    reuse: Path | None = None,
    progress: Progress = SILENT,
    label: str | None = None,
    on_answer: Callable[[Answer[Reply]], None] = lambda _: None,
) -> Answers[Reply]:
    """Ask what is not known yet.

    Args:
        questions: With distinct ids; iterated once, so that prompts may be made as they are needed.
        model: Who is asked, or the recording that answers in its place.
        journal: Of calls; every reply is in it before this returns.
        logs: Directory of the Inspect logs.
        limits: What that may take.
        reuse: An earlier run, or its journal; what was answered there is not asked again.
        progress: Receives how far it is.
        label: What the step is called; the model's name by default.
        on_answer: Given every answer as soon as it is known, in whatever order that is.

    Returns:
        An answer for every question.

    Raises:
        OverBudget: The money is used up; what is answered is kept, and the rest can be asked later.
        ProviderError: No question would be answered, such as with a wrong key; resumable as well.
        TellapartError: A journal cannot be used, or a name.
    """
    earlier = model.recording or reuse
    opened = nullcontext() if earlier is None else CallJournal(calls_file(earlier), read_only=True)
    with opened as journals:
        recorded_calls = RecordedCalls(journal, model.name, journals, final=model.recording is not None)
        journal.note_requested(model.name, model.requested())
        session = _Session(questions, model, recorded_calls, limits, progress, label or model.name, on_answer)
        session.run(logs)
    return Answers(session.kept, journal.models[model.name].record(limits.price_of(model.name)))


class _Session:
    """The state that the workers of one task share."""

    def __init__(
        self,
        questions: Collection[Question[Any]],
        model: LanguageModel,
        recorded_calls: RecordedCalls,
        limits: Limits,
        progress: Progress,
        label: str,
        on_answer: Callable[[Answer[Any]], None],
    ) -> None:
        self.kept: AnswersOnDisk[Any] = AnswersOnDisk(recorded_calls.journal)
        self._questions, self._model, self._recorded = questions, model, recorded_calls
        self._limits, self._progress, self._label = limits, progress, label
        self._hear = on_answer
        self._under_way = 0
        self._stopping = False

    def run(self, logs: Path) -> None:
        """Give every question an answer."""
        step = self._progress.step(self._label, len(self._questions), unit="questions", summary=True)
        with step as self._step:
            todo = self._unknown()
            first = next(todo, None)
            if first is not None:
                todo = chain([first], todo)
                budget = Budget(self._limits, self._model.name, self._model.max_tokens, self._spent)
                self._ask(todo, budget, logs)
                if self._stopping:
                    self._run_out(todo)
            self._report()

    def _unknown(self) -> Iterator[Question[Any]]:
        for question in self._questions:
            self.kept.expect(question)
            answer = recorded(question, self._model, self._recorded)
            if answer is not None:
                self._keep(question, *answer)
            elif self._recorded.final:
                why = Failure("provider", "not_recorded", "no such call is in the recording")
                self._keep(question, Answer(question.id, None, why), None)
            else:
                yield question

    def _ask(self, todo: Iterator[Question[Any]], budget: Budget, logs: Path) -> None:
        at_once, most = self._limits.at_once, len(self._questions)
        connected, wire = connect(self._model, max_connections=at_once)
        before = self._recorded.journal.models.get(self._model.name)
        # What is asked anew when resuming may be just what is always turned down.
        wire.replies += bool(before and before.served)
        closes = self._limits.on_budget == "close"
        pace = Pace(self._limits.delay_s)
        asking = Asking(self._model, self._recorded, budget, connected, wire, pace, closes)
        shares = _shares(most, at_once)
        share_of_next = iter(shares)
        left = len(shares) - at_once

        async def work() -> None:
            from inspect_ai.util import span

            nonlocal left
            share = next(share_of_next)
            for number, question in enumerate(todo, 1):
                try:
                    # By which the log's reader finds the calls of a question.
                    async with span(question.id, type="question"):
                        await self._answer(question, asking)
                except Exception as error:
                    self._stopping = True
                    if isinstance(error, ProviderError):
                        await self._wait_for_others()
                    raise
                if self._stopping:
                    return
                # With no other sample to take its place, one goes on: no connection is idle before the end.
                if number >= share and left > 0:
                    left -= 1
                    return

        run_workers(work, samples=len(shares), at_once=at_once, connected=connected, logs=logs)

    async def _answer(self, question: Question[Any], asking: Asking) -> None:
        self._under_way += 1
        try:
            self._keep(question, *await asking.ask(question))
        except Exhausted:
            self._stopping = True
            return
        finally:
            self._under_way -= 1
        self._report()

    def _keep(self, question: Question[Any], answer: Answer[Any], key: str | None) -> None:
        self.kept.keep(question, answer, key)
        self._hear(answer)

    async def _wait_for_others(self) -> None:
        import anyio

        with anyio.move_on_after(GRACE_S):
            while self._under_way:
                await anyio.sleep(0.05)

    def _run_out(self, todo: Iterator[Question[Any]]) -> None:
        # Answers that are known already may lie behind the first question that was not asked.
        for _ in todo:
            pass
        raise OverBudget(
            f"{dollars(self._spent())} of {dollars(self._limits.max_cost or 0)} US dollars are spent, and "
            f"another call might pass the limit: {self._model.name} has answered {self.kept.answered:,} of "
            f"{len(self._questions):,} questions",
            next_step="They are kept: the same command with a higher --max-cost continues from there",
        )

    def _spent(self) -> float:
        return spent(self._recorded.journal.models, self._limits)

    def _report(self) -> None:
        failed = f", {self.kept.failed:,} without a usable reply" if self.kept.failed else ""
        money = f", {self._spent():.2f} US dollars" if self._limits.price else ""
        self._step.update(self.kept.answered, note=failed + money)


def _shares(questions: int, at_once: int) -> list[int]:
    """How many questions each sample takes while others are to follow.

    The first ones differ, so that not all end, and are written to the log, at the same time.
    """
    share = min(QUESTIONS_A_SAMPLE, ceil(questions / at_once))
    if share < QUESTIONS_A_SAMPLE:
        return [share] * min(at_once, questions)
    first = [1 + i * share // at_once for i in range(at_once)]
    return [*first, *[share] * ceil((questions - sum(first)) / share)]
