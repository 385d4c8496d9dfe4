"""What a model is asked about proposals: to explain them, from the facts of learnings and no others."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Question
from tellapart.llm.quoting import quote

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


class ExplainQuestions(Collection[Question[Explanations]]):
    """One question for each batch of proposals; prompts are made while they are iterated.

    Attributes:
        batches: The proposals as learnings have them, in their order.
    """

    def __init__(self, learnings: Mapping[str, Any]) -> None:
        """Ask about all proposals of ``learnings``."""
        proposals = learnings["proposals"]
        self.batches = [proposals[i : i + BATCH] for i in range(0, len(proposals), BATCH)]
        self._facts = {name: learnings[name] for name in FACTS}

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.batches)

    def __contains__(self, question: object) -> bool:
        """Never asked, but part of a collection."""
        return any(question == own for own in self)

    def __iter__(self) -> Iterator[Question[Explanations]]:
        """Make the questions, batch after batch."""
        for number, batch in enumerate(self.batches):
            quoted = quote([_shown(one) for one in (self._facts, *batch)])
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
