"""The swap test for language models: each swap is a question of two options, put in both orders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal

import polars as pl
from pydantic import BaseModel, ConfigDict

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.item_table import SWAP_SCHEMA
from tellapart.contrastive.shown_code import cut
from tellapart.contrastive.swaps import Swap, swaps_of
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote

ORDERS = (0, 1)
"""Place of the true summary among the two: each swap is asked with it first, and with it second."""


class Choice(BaseModel):
    """What a model replies.

    Attributes:
        selected: Number of the description that fits the code.
    """

    model_config = ConfigDict(extra="forbid")

    selected: Literal[1, 2]
    reasoning: str


@cache
def swap_prompt() -> Prompt:
    """The prompt of every swap."""
    return read_prompt("tellapart.contrastive", "swap")


class SwapQuestions:
    """Every swap in both orders; prompts are made while they are iterated."""

    def __init__(self, benchmark: Benchmark, source: str) -> None:
        """Ask about the swaps of the summaries by ``source``."""
        self.swaps = swaps_of(benchmark, source)
        self._benchmark = benchmark

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.swaps) * len(ORDERS)

    def __iter__(self) -> Iterator[Question[Choice]]:
        """Make the questions, swap after swap."""
        for swap in self.swaps:
            for order in ORDERS:
                yield Question(swap_id(swap, order), self._prompt(swap, order), Choice)

    def _prompt(self, swap: Swap, order: int) -> str:
        unit = self._benchmark.units[self._benchmark.position[swap.unit]]
        texts = [swap.true, swap.false] if order == 0 else [swap.false, swap.true]
        quoted = quote([cut(unit.content), *texts])
        code, *descriptions = quoted.texts
        return swap_prompt().render(
            marker=quoted.marker, code=code, descriptions=descriptions, schema=schema_text(Choice)
        )


def swap_id(swap: Swap, order: int) -> str:
    """Name the question about a swap with the true summary at a place."""
    return f"swap/{swap.unit}#{order}"


def llm_swap_rows(
    benchmark: Benchmark, questions: SwapQuestions, answers: Mapping[str, Answer[Choice]], *, model: str
) -> pl.DataFrame:
    """One row a swap, with the columns of ``SWAP_SCHEMA``.

    ``preferred`` is the mean over both orders, so that a model that always takes the first scores one half.
    It is missing where either answer is: the other alone would count a liking for a place.
    """
    rows = []
    for swap in questions.swaps:
        replies = [answers[swap_id(swap, order)] for order in ORDERS]
        right = [
            float(reply.value.selected == order + 1) for order, reply in enumerate(replies) if reply.value
        ]
        missing = next((reply.failure.cause for reply in replies if reply.failure), None)
        rows.append(
            {
                "model": model,
                "target": swap.unit,
                "path": benchmark.units[benchmark.position[swap.unit]].path,
                "kind": swap.kind,
                "true": swap.true,
                "false": swap.false,
                "preferred": sum(right) / len(right) if missing is None else None,
                "missing": missing,
            }
        )
    return pl.DataFrame(rows, schema=SWAP_SCHEMA)
