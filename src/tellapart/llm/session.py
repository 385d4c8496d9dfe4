"""Many questions to one model: what the journal does not hold is asked, inside an Inspect task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import ceil
from pathlib import Path
from typing import Any

from tellapart.core.progress import SILENT, Progress
from tellapart.llm.answers import Answers, AnswersOnDisk
from tellapart.llm.asking import ask, call_key, recorded
from tellapart.llm.budget import NO_LIMITS, Limits, dollars
from tellapart.llm.engine import (
    LiveCaller,
    Sender,
    Watch,
    calls_of,
    over_budget,
    rest,
    run_jobs,
    saying_how_far,
)
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer, Failure, Question, Questions, Reply
from tellapart.llm.recorded_calls import Reading, RecordedCalls
from tellapart.llm.usage import spent

QUESTIONS_A_SAMPLE = 20
"""Questions in one sample of the Inspect log; one sample for each would cost more than a fast call."""


def ask_all(
    questions: Questions[Reply],
    model: LanguageModel,
    journal: CallJournal,
    *,
    logs: Path,
    limits: Limits = NO_LIMITS,
    reuse: Path | Sequence[Path] | None = None,
    only_usable: bool = False,
    is_judge: bool = False,
    progress: Progress = SILENT,
    label: str | None = None,
    on_answer: Callable[[Answer[Reply]], None] = lambda _: None,
) -> Answers[Reply]:
    """Ask what is not known yet."""
    with calls_of(model, journal, reuse) as recorded_calls:
        session = _Session(questions, model, recorded_calls, limits, progress, label or model.name, on_answer)
        session.only_usable, session.is_judge = only_usable, is_judge
        session.run(logs)
    return Answers(session.kept, journal.models[model.name].record(limits.price_of(model.name)))


class _Session:
    """The state that the workers of one task share."""

    def __init__(
        self,
        questions: Questions[Any],
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
        self._on_answer = on_answer
        self.only_usable = False
        self.is_judge = False

    def run(self, logs: Path) -> None:
        """Give every question an answer."""
        step = self._progress.step(self._label, len(self._questions), unit="questions", summary=True)
        journal, total = self._recorded.journal, len(self._questions)
        self._watch = Watch(self._model.name, journal, self._limits, is_judge=self.is_judge)
        how_far = saying_how_far(
            lambda: self.kept.answered - self.kept.failed,
            total,
            "questions",
            self._model.name,
            journal,
            self._limits,
        )
        with step as self._step, how_far:
            todo = self._unknown()
            first = next(todo, None)
            if first is not None:
                self._ask(chain([first], todo), logs)
            self._report()

    def _unknown(self) -> Iterator[Question[Any]]:
        for question in self._questions:
            self.kept.expect(question)
            answer = self._known(question)
            if answer is not None:
                self._keep(question, *answer)
                if answer[0].value is not None:
                    self._watch.answered_before()
            elif self._recorded.final:
                why = Failure("provider", "not_recorded", "no such call is in the recording")
                self._keep(question, Answer(question.id, None, why), None)
            else:
                yield question

    def _known(self, question: Question[Any]) -> tuple[Answer[Any], str] | None:
        if not self.only_usable or self._recorded.final:
            return recorded(question, self._model, self._recorded)
        journal = self._recorded.journal
        for earlier in self._recorded.earlier:
            if recorded(question, self._model, Reading([journal])) is not None:
                break
            answer = recorded(question, self._model, Reading([earlier]))
            if answer is not None and answer[0].value is not None:
                return recorded(question, self._model, RecordedCalls(journal, self._model.name, [earlier]))
        return recorded(question, self._model, self._own_calls)

    @property
    def _own_calls(self) -> RecordedCalls:
        """What need not be asked once earlier runs have been looked at."""
        if not self.only_usable or self._recorded.final:
            return self._recorded
        return RecordedCalls(self._recorded.journal, self._model.name)

    def _ask(self, todo: Iterator[Question[Any]], logs: Path) -> None:
        sender = Sender(self._model, self._limits, self._spent)
        caller = LiveCaller(sender, self._own_calls)

        async def work(question: Question[Any]) -> None:
            from inspect_ai.util import span

            # By which the log's reader finds the calls of a question.
            async with span(question.id, type="question"):
                answer, key = await ask(question, self._model, caller)
                self._keep(question, answer, key)
                self._report()
                first = call_key(question, self._model, [{"role": "user", "content": question.prompt}])
                self._watch.see(answer.failure, question.prompt, {first, key})

        shares = _shares(len(self._questions), self._limits.at_once)
        spare = len(shares) - self._limits.at_once
        if run_jobs(todo, work, sender, logs, shares=shares, spare=spare):
            self._run_out(todo)

    def _keep(self, question: Question[Any], answer: Answer[Any], key: str | None) -> None:
        self.kept.keep(question, answer, key)
        self._on_answer(answer)

    def _run_out(self, todo: Iterator[Question[Any]]) -> None:
        # Answers that are known already may lie behind the first question that was not asked.
        for _ in todo:
            pass
        done, total = self.kept.answered, len(self._questions)
        raise over_budget(
            self._spent(),
            self._limits,
            f"{self._model.name} has answered {done:,} of {total:,} questions"
            f"{rest(self._model.name, self._recorded.journal, self._limits, done, total)}",
            "They are kept: the same command with a higher --max-cost continues from there",
        )

    def _spent(self) -> float:
        return spent(self._recorded.journal.models, self._limits)

    def _report(self) -> None:
        failed = f", {self.kept.failed:,} without a usable reply" if self.kept.failed else ""
        money = f", {dollars(self._spent())} US dollars" if self._limits.price else ""
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
