"""A language model explains proposals: the questions, its replies, and the run that keeps them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from tellapart.codesearch.results.learnings import ExplanationRecord, Learnings
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.core.progress import SILENT, Progress
from tellapart.core.seed import SEED
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote, visible
from tellapart.llm.run_models import RunCalls, prompt_hashes
from tellapart.store import RunPlan, load_record

BATCH = 3
"""Proposals in one question: a reply to three, of at most 75 words each, is within 500 tokens."""

FACTS = (
    "iteration_number",
    "conversations",
    "pattern",
    "basis",
    "traced_by",
    "areas",
    "patterns",
    "outliers",
    "notes",
)
"""What of learnings goes with every question; a proposal brings the facts that it rests on."""

_OF_MARKER = 6


class Explanation(BaseModel):
    """What the model says of one proposal, which it names by its label in the question."""

    model_config = ConfigDict(extra="forbid")

    proposal: str
    explanation: str
    check_first: str
    risk: str


class Explanations(BaseModel):
    """What the model replies."""

    model_config = ConfigDict(extra="forbid")

    explanations: list[Explanation]
    reasoning: str


@cache
def explain_prompt() -> Prompt:
    """The prompt of every batch."""
    return read_prompt("tellapart.codesearch.learning", "explain")


class ExplainQuestions:
    """One question for each batch of proposals; prompts are made while they are iterated.

    Attributes:
        batches: The proposals as learnings have them, in their order.
    """

    def __init__(self, learnings: Learnings) -> None:
        """Ask about all proposals of ``learnings``."""
        proposals = learnings.proposals
        self.batches = [proposals[i : i + BATCH] for i in range(0, len(proposals), BATCH)]
        record = learnings.to_json()
        self._facts = {name: record[name] for name in FACTS}

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.batches)

    def __iter__(self) -> Iterator[Question[Explanations]]:
        """Make the questions, batch after batch."""
        for number, batch in enumerate(self.batches):
            quoted = quote(
                [_shown(one) for one in (self._facts, *(proposal.to_json() for proposal in batch))]
            )
            facts, *texts = quoted.texts
            labels = [f"{place}-{quoted.marker[:_OF_MARKER]}" for place in range(1, len(batch) + 1)]
            prompt = explain_prompt().render(
                marker=quoted.marker,
                facts=facts,
                proposals=[{"label": label, "text": text} for label, text in zip(labels, texts, strict=True)],
                schema=schema_text(Explanations),
            )
            yield Question(batch_id(number), prompt, Explanations, each_once(labels))


def batch_id(number: int) -> str:
    """Name the question about a batch, by its place from 0."""
    return f"proposals#{number + 1}"


def place_of(label: str) -> int:
    """The place of a proposal in its question, from 0."""
    return int(label.partition("-")[0]) - 1


def each_once(labels: Sequence[str]) -> Callable[[Explanations], str | None]:
    """Make what says whether a reply explains each of the proposals exactly once, and no other."""

    def check(reply: Explanations) -> str | None:
        explained = [one.proposal for one in reply.explanations]
        unknown = sorted(set(explained) - set(labels))
        if unknown:
            return f"'explanations' has the proposal {unknown[0]!r}, expected {', '.join(labels)}"
        if sorted(explained) == sorted(labels):
            return None
        return f"'explanations' has {len(explained)} proposals, expected each of {', '.join(labels)} once"

    return check


def _shown(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False)


LEARNINGS = "artifacts/learnings.json"
"""The learnings with their explanations, in a run directory."""

_SUITE = "codesearch-learn"
_SENTENCE = "x" * 150


def explained(
    learnings: Learnings,
    model: LanguageModel,
    *,
    out: Path | None = None,
    limits: Limits = NO_LIMITS,
    seed: int = SEED,
    progress: Progress = SILENT,
) -> Learnings:
    """Have a model explain the proposals; facts and proposals stay as they are."""
    if not learnings.proposals:
        progress("there is no proposal to explain")
        return learnings.model_copy(update={"explained_by": model.name, "explanations": {}})
    plan = _plan(learnings, model, seed=seed, out=out)
    if plan.finished_run("explained", progress) is not None:
        return _kept(plan.path)
    questions = ExplainQuestions(learnings)
    calls = RunCalls(plan, limits=limits, is_judge=True, progress=progress)
    calls.check(model, questions)
    with plan.writing() as open_run:
        with calls.opened() as open_calls:
            answers = open_calls.ask(questions, model, label=f"{model.name}, explaining")
            explanations = _explanations(questions, answers.by_id)
        plan.record.models = {model.name: answers.record}
        result = learnings.model_copy(update={"explained_by": model.name, "explanations": explanations})
        open_run.write_json(LEARNINGS, result.to_json())
        failed = sum(one.failed for one in explanations.values())
        plan.record.counts = {"proposals": len(explanations), "failed": failed}
    return _kept(plan.path)


def estimate_explaining_cost(
    learnings: Learnings,
    model: LanguageModel,
    *,
    out: Path | None = None,
    limits: Limits = NO_LIMITS,
    seed: int = SEED,
) -> dict[str, Estimate]:
    """Estimate what explaining takes; nothing is sent or written."""
    plan = _plan(learnings, model, seed=seed, out=out)
    plan.check_path()
    one = Explanation(proposal="1-000000", explanation=_SENTENCE, check_first=_SENTENCE, risk=_SENTENCE)
    most = Explanations(explanations=[one] * BATCH, reasoning=_SENTENCE)
    estimate = RunCalls(plan, limits=limits).estimate(
        ExplainQuestions(learnings), model, reply_characters=len(most.model_dump_json())
    )
    return {f"{model.name}, explaining": estimate}


def _plan(learnings: Learnings, model: LanguageModel, *, seed: int, out: Path | None) -> RunPlan:
    config = {
        "model": model.requested(),
        "batch": BATCH,
        **prompt_hashes({"explain_prompt": explain_prompt()}),
    }
    inputs = {"learnings": sha256(canonical_json(learnings.to_json()))}
    return RunPlan(_SUITE, config, inputs, seed=seed, out=out)


def _explanations(
    questions: ExplainQuestions, answers: Mapping[str, Answer[Explanations]]
) -> dict[str, ExplanationRecord]:
    explanations: dict[str, ExplanationRecord] = {}
    for number, batch in enumerate(questions.batches):
        answer = answers[batch_id(number)]
        if answer.value is None:
            failure = asdict(answer.failure) if answer.failure else {}
            explanations |= {proposal.id: ExplanationRecord(failure=failure) for proposal in batch}
            continue
        by_place = {place_of(one.proposal): one for one in answer.value.explanations}
        for place, proposal in enumerate(batch):
            reply = by_place[place]
            explanations[proposal.id] = ExplanationRecord(
                explanation=_line(reply.explanation),
                check_first=_line(reply.check_first),
                risk=_line(reply.risk),
                reasoning=_line(answer.value.reasoning),
            )
    return explanations


def _line(text: str) -> str:
    return visible(" ".join(text.split()))


def _kept(path: Path) -> Learnings:
    return load_record(path / LEARNINGS, Learnings, "record of what was learnt")
