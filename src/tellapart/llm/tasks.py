"""Tasks of Inspect, for ``inspect eval``: one sample a question, scored by its suite.

Importing this imports Inspect, so only a suite's ``inspect_task.py`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Generic, ParamSpec

from inspect_ai import Task as Task
from inspect_ai import task as register
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from rich.markup import escape

from tellapart.errors import TellapartError
from tellapart.llm.asking import converse
from tellapart.llm.calls import Call, Messages, chat, replied
from tellapart.llm.calls import generate as send
from tellapart.llm.inspect_private import PrerequisiteError
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer, Question, Reply

Parameters = ParamSpec("Parameters")

SCORE = "correct"
"""The scorer whose values are the scores."""

_CALLS = "calls"


@dataclass(frozen=True)
class Grade:
    """What a reply is worth: a score in [0, 1], the answer for people, and further figures, JSON-able."""

    score: float
    answer: str
    figures: Mapping[str, Any]


@dataclass(frozen=True)
class TaskQuestion(Generic[Reply]):
    """One sample; without a question it is ``infeasible``. Its metadata is never sent to the model."""

    id: str
    question: Question[Reply] | None
    grade: Callable[[Reply], Grade]
    target: str
    metadata: Mapping[str, Any]


def task(build: Callable[Parameters, Task]) -> Callable[Parameters, Task]:
    """Register what builds a task, under its name; our own errors are shown without a traceback."""

    @register
    @wraps(build)
    def built(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Task:
        try:
            return build(*args, **kwargs)
        except TellapartError as error:
            raise PrerequisiteError(escape(str(error))) from None

    return built


def question_task(
    name: str,
    samples: Sequence[TaskQuestion[Any]],
    *,
    columns: Mapping[str, str],
    averages: Sequence[str],
    facts: Mapping[str, Any],
) -> Task:
    """Make a task: each question is put once, and once more to repair a reply that cannot be read.

    What fails is not scored (NaN in Inspect) and has the cause as its reason; it stops no other sample.
    Defaults are those of ``LanguageModel``. The provider's own client retries within one attempt of Inspect;
    ``-M max_retries=0`` leaves all of it to Inspect.
    """
    by_id = {sample.id: sample for sample in samples}
    spread = stderr(cluster=columns["cluster"])
    dataset = [
        Sample(
            id=sample.id,
            input=sample.question.prompt if sample.question else "(nothing to ask)",
            target=sample.target,
            metadata=dict(sample.metadata),
        )
        for sample in samples
    ]
    return Task(
        dataset=MemoryDataset(dataset, name=name),
        solver=_asking(by_id),
        scorer=[
            _scorer(by_id, SCORE, [accuracy(), spread]),
            *(_scorer(by_id, figure, [mean(), spread]) for figure in averages),
        ],
        config=GenerateConfig(
            temperature=LanguageModel.temperature,
            max_tokens=LanguageModel.max_tokens,
            max_retries=LanguageModel.max_retries,
            attempt_timeout=LanguageModel.attempt_timeout_s,
            cache_prompt=False,
        ),
        # Says which metadata of a sample are which columns of a score table.
        metadata={**facts, "score_table": {"score": SCORE, **columns}},
    )


def _asking(by_id: Mapping[str, TaskQuestion[Any]]) -> Solver:
    @solver(name="typed_question")
    def asking() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            question, calls = by_id[str(state.sample_id)].question, []

            async def call(messages: Messages) -> Call:
                model, sent = get_model(), chat(messages)
                output, reply = await send(model, sent, LanguageModel(str(model)))
                calls.append(reply)
                state.store.set(_CALLS, calls)
                state.output = output or ModelOutput(model=str(state.model), error=str(reply.get("failure")))
                # The first message is the sample's input, the second the reply to it.
                state.messages.extend(sent[2:])
                state.messages.append(ChatMessageAssistant(content=state.output.completion))
                return reply

            if question is not None:
                await converse(question, call)
            return state

        return solve

    return asking()


_CUT_SHORT = {
    "failure": {"cause": "timeout", "kind": "timeout", "detail": "Inspect ended the sample before a reply"}
}


async def _answer(question: Question[Any], state: TaskState) -> Answer[Any]:
    """Read what was replied anew, so that ``inspect score`` grades a log as it stands, of any solver."""
    recorded = state.store.get(_CALLS)
    of_solver = replied(state.output) if recorded is None and state.output.choices else None
    calls = iter(recorded or ())

    async def replay(_: Messages) -> Call:
        return of_solver or next(calls, _CUT_SHORT)

    return await converse(question, replay)


def _scorer(by_id: Mapping[str, TaskQuestion[Any]], name: str, metrics: Sequence[Any]) -> Scorer:
    """Score by the grade, or by a figure of this name that it has."""

    @scorer(metrics=list(metrics), name=name)
    def graded() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            sample = by_id[str(state.sample_id)]
            if sample.question is None:
                return Score.unscored(reason="infeasible", explanation="There is nothing to ask.")
            answer = await _answer(sample.question, state)
            repaired = {"repaired": answer.repaired}
            if (why := answer.failure) is not None:
                facts = {"kind": why.kind, **repaired}
                return Score.unscored(reason=why.cause, explanation=why.detail, metadata=facts)
            grade = sample.grade(answer.value)
            return Score(
                value=grade.score if name == SCORE else float(grade.figures[name]),
                answer=grade.answer,
                explanation=state.output.completion,
                metadata={**grade.figures, **repaired},
            )

        return score

    return graded()
