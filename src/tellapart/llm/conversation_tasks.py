"""Conversations as a task of Inspect, for ``inspect eval``: one sample each, scored over its probes.

Importing this imports Inspect, so only a suite's ``inspect_task.py`` does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, GenerateConfig, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from tellapart.llm.calls import Call, Request, make_call, now
from tellapart.llm.conversation import Conversation, Speaker, TurnReply
from tellapart.llm.models import LanguageModel
from tellapart.llm.tasks import SCORE, Task

_RECORD = "record"


@dataclass(frozen=True)
class Outcome:
    """What a conversation is worth.

    Attributes:
        score: Mean over the probes that have a score, in [0, 1]; None where none has.
        missing: How many probes have none, by cause.
        figures: More of it, by name; JSON-able.
    """

    score: float | None
    missing: Mapping[str, int]
    figures: Mapping[str, Any]


@dataclass(frozen=True)
class Held:
    """One sample.

    Attributes:
        id: Unique within the task.
        play: Holds the conversation, as which epoch from 0; gives what is to be kept of it, JSON-able.
        grade: Says what that is worth.
        metadata: What is known of the sample; never sent to the model.
    """

    id: str
    play: Callable[[LanguageModel, Speaker, int], Awaitable[dict[str, Any]]]
    grade: Callable[[dict[str, Any]], Outcome]
    metadata: Mapping[str, Any]


def conversation_task(
    name: str,
    samples: Sequence[Held],
    *,
    columns: Mapping[str, str],
    temperature: float,
    max_tokens: int,
    facts: Mapping[str, Any],
) -> Task:
    """Make a task: each conversation is held, and scored from what was kept of it.

    An error of the provider is what came back of a turn, and stops no other sample. A sample without any
    scored probe is not scored (NaN in Inspect), with the commonest cause as its reason.

    Args:
        name: Of what is asked.
        samples: With distinct ids.
        columns: For ``tellapart audit``; see ``tasks.question_task``.
        temperature: Unless the user of Inspect says otherwise.
        max_tokens: Of a reply, the same.
        facts: Of the whole task, for the log.
    """
    by_id = {sample.id: sample for sample in samples}
    return Task(
        dataset=MemoryDataset(
            [Sample(id=one.id, input=f"(the case {one.id})", metadata=dict(one.metadata)) for one in samples],
            name=name,
        ),
        solver=_holding(by_id),
        scorer=[_correct(by_id, columns["cluster"])],
        config=GenerateConfig(
            temperature=temperature,
            max_tokens=max_tokens,
            max_retries=LanguageModel.max_retries,
            attempt_timeout=LanguageModel.attempt_timeout_s,
            cache_prompt=False,
        ),
        metadata={**facts, "score_table": {"score": SCORE, **columns}},
    )


class _SampleSpeaker(Speaker):
    """Says turns to the model of the sample, which keeps them."""

    def __init__(self, state: TaskState) -> None:
        super().__init__(_SampleCaller())
        self._state = state

    async def say(self, conversation: Conversation, text: str, name: str) -> tuple[TurnReply, Conversation]:
        reply, grown = await super().say(conversation, text, name)
        self._state.messages.append(ChatMessageUser(content=text))
        self._state.messages.append(ChatMessageAssistant(content=reply.text or "(no reply)"))
        return reply, grown


class _SampleCaller:
    async def call(self, request: Request) -> Call:
        sent = now()
        return {**await make_call(get_model(), request.messages()), "sent": sent, "time": now()}


def _holding(by_id: Mapping[str, Held]) -> Solver:
    @solver(name="conversation")
    def holding() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            held = by_id[str(state.sample_id)]
            state.messages.clear()
            model = LanguageModel(str(get_model()))
            state.store.set(_RECORD, await held.play(model, _SampleSpeaker(state), state.epoch - 1))
            return state

        return solve

    return holding()


def _correct(by_id: Mapping[str, Held], cluster: str) -> Scorer:
    @scorer(metrics=[mean(), stderr(cluster=cluster)], name=SCORE)
    def correct() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            record = state.store.get(_RECORD)
            if record is None:
                return Score.unscored(reason="timeout", explanation="Inspect ended the sample.")
            graded = by_id[str(state.sample_id)].grade(record)
            figures = {**graded.figures, "missing": dict(graded.missing)}
            lost = ", ".join(f"{cause} {n}" for cause, n in sorted(graded.missing.items()))
            explanation = f"probes without a score: {lost or 'none'}"
            if graded.score is None:
                reason = max(
                    sorted(graded.missing), key=lambda cause: graded.missing[cause], default="infeasible"
                )
                return Score.unscored(reason=reason, explanation=explanation, metadata=figures)
            return Score(value=graded.score, explanation=explanation, metadata=figures)

        return score

    return correct()
