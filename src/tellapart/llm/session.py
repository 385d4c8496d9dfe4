"""Many questions to one model, inside an Inspect task that keeps the transcript."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from math import ceil
from pathlib import Path
from typing import Any, Generic

from tellapart.llm.asking import ask, recorded
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.connection import Wire, connect
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer, Question, Reply

QUESTIONS_A_SAMPLE = 40
"""Questions in one sample of the Inspect log; one sample for each would cost more than a fast call."""


@dataclass(frozen=True)
class Answers(Generic[Reply]):
    """What a model answered.

    Attributes:
        by_id: An answer for every question.
        requested: Parameters as asked for.
        effective: Parameters as they went over the wire in this process; empty where nothing was sent.
    """

    by_id: dict[str, Answer[Reply]]
    requested: dict[str, Any]
    effective: dict[str, Any]


def ask_all(
    questions: Collection[Question[Reply]],
    model: LanguageModel,
    journal: CallJournal,
    *,
    logs: Path,
    limits: Limits = NO_LIMITS,
    progress: Callable[[str], None] = lambda _: None,
) -> Answers[Reply]:
    """Ask what the journal does not hold yet.

    Args:
        questions: With distinct ids; iterated once, so that prompts may be made as they are needed.
        model: Who is asked.
        journal: Of calls; every reply is in it before this returns.
        logs: Directory of the Inspect logs.
        limits: What that may take.
        progress: Told how far it is.
    """
    answers: dict[str, Answer[Reply]] = {}
    open_questions = _unanswered(questions, model, journal, answers)
    first = next(open_questions, None)
    wire = Wire()
    if first is not None:
        todo = chain([first], open_questions)
        wire = _run_task(todo, len(questions), model, journal, answers, logs, limits)
    progress(f"{model.name}: {len(answers):,} of {len(questions):,} questions")
    return Answers(answers, model.requested(), wire.effective())


def _unanswered(
    questions: Collection[Question[Reply]],
    model: LanguageModel,
    journal: CallJournal,
    answers: dict[str, Answer[Reply]],
) -> Iterator[Question[Reply]]:
    for question in questions:
        answer = recorded(question, model, journal)
        if answer is None:
            yield question
        else:
            answers[question.id] = answer


def _run_task(
    todo: Iterator[Question[Reply]],
    at_most: int,
    model: LanguageModel,
    journal: CallJournal,
    answers: dict[str, Answer[Reply]],
    logs: Path,
    limits: Limits,
) -> Wire:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import Generate, TaskState, solver

    connected, wire = connect(model, max_connections=limits.max_connections)

    @solver
    def asking() -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            for _, question in zip(range(QUESTIONS_A_SAMPLE), todo, strict=False):
                answers[question.id] = await ask(question, model, connected, journal)
            return state

        return solve

    samples = [Sample(input=f"questions, part {i + 1}") for i in range(ceil(at_most / QUESTIONS_A_SAMPLE))]
    log = eval(
        Task(dataset=samples, solver=asking(), name="questions"),
        model=connected,
        max_samples=limits.max_connections,
        log_dir=str(logs),
        log_realtime=False,
        log_header_only=True,
        display="none",
    )[0]
    if log.status != "success":
        raise RuntimeError(str(log.error))
    return wire
