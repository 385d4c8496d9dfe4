"""Language models as matchers: each orders all options of an item."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.llm.options import Shown, cut, shown_items
from tellapart.contrastive.matching import ITEM_SCHEMA, item_facts, why_no_summary
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote


class Ordering(BaseModel):
    """What a model replies, whatever the number of options: how many there are, each question checks.

    Attributes:
        order: Numbers of all options, from 1, best first.
        selected: The first of them.
        confidence: The probability that it is the right one, as the model states it.
        reasoning: One sentence.
    """

    model_config = ConfigDict(extra="forbid")

    order: list[int]
    selected: int
    confidence: Annotated[float, Field(ge=0, le=1)]
    reasoning: str


@cache
def match_prompt() -> Prompt:
    """The prompt of every item."""
    return read_prompt("tellapart.contrastive.llm", "match")


@dataclass(frozen=True)
class Plan:
    """How often each item is put to a language model.

    Attributes:
        orders: Orders of the options, with the target in another slot each time; at least 1.
        repeats: Askings of each order, to see whether the model repeats itself; at least 1.
    """

    orders: int = 1
    repeats: int = 1


ONCE = Plan()


class Questions(Collection[Question[Ordering]]):
    """Every item in every order, asked ``repeats`` times; prompts are made while they are iterated."""

    def __init__(self, benchmark: Benchmark, source: str, plan: Plan = ONCE) -> None:
        """Ask with the summaries of ``source``; an item without one is not asked."""
        texts = benchmark.texts(source)
        target = dict(benchmark.sets.select("item", "target").iter_rows())
        self.shown = [shown for shown in shown_items(benchmark, plan.orders) if target[shown.item] in texts]
        self._benchmark = benchmark
        self._texts = {item: texts[unit] for item, unit in target.items() if unit in texts}
        self.plan = plan

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.shown) * self.plan.repeats

    def __contains__(self, question: object) -> bool:
        """Never asked, but part of a collection."""
        return any(question == own for own in self)

    def __iter__(self) -> Iterator[Question[Ordering]]:
        """Make the questions, item after item."""
        for shown in self.shown:
            prompt = self._prompt(shown)
            for repeat in range(self.plan.repeats):
                yield Question(
                    question_id(shown, repeat), prompt, Ordering, _complete(len(shown.units)), replica=repeat
                )

    def _prompt(self, shown: Shown) -> str:
        units = [self._benchmark.units[self._benchmark.position[unit]] for unit in shown.units]
        quoted = quote([self._texts[shown.item], *(cut(unit.content) for unit in units)])
        summary, *options = quoted.texts
        return match_prompt().render(
            marker=quoted.marker, summary=summary, options=options, schema=schema_text(Ordering)
        )


def question_id(shown: Shown, repeat: int) -> str:
    """Name an asking of an item: the item, which order, which repeat."""
    return f"{shown.item}#{shown.order}.{repeat}"


def _complete(options: int) -> Any:
    def check(reply: Ordering) -> str | None:
        if sorted(reply.order) != list(range(1, options + 1)):
            return f"'order' is {reply.order}, expected every number from 1 to {options} once"
        if reply.selected != reply.order[0]:
            return f"'selected' is {reply.selected}, but the first of 'order' is {reply.order[0]}"
        return None

    return check


def llm_rows(
    benchmark: Benchmark,
    questions: Questions,
    answers: Mapping[str, Answer[Ordering]],
    *,
    model: str,
    matcher: str,
    source: str,
) -> pl.DataFrame:
    """One row an item, order and repeat, with the columns of ``ITEM_SCHEMA``.

    An item without a summary is one row, with the cause why there is none, ``infeasible`` where nobody said.
    The order of the rows is that of the items, then of the replicates, whatever that of the answers.
    """
    rows, repeats = [], questions.plan.repeats
    for shown in questions.shown:
        for repeat in range(repeats):
            answer = answers[question_id(shown, repeat)]
            rows.append({"item": shown.item, **answer_figures(shown, repeat, repeats, answer)})
    figures = pl.DataFrame(rows, schema=_FIGURES)
    joined = item_facts(benchmark).join(figures, on="item", how="left", maintain_order="left_right")
    return joined.with_columns(
        pl.lit(model).alias("model"),
        pl.lit("summary").alias("condition"),
        pl.lit("llm").alias("method"),
        pl.lit(matcher).alias("matcher"),
        pl.lit(source).alias("source"),
        pl.col("replicate").fill_null(0),
        pl.when(pl.col("rank").is_null())
        .then(pl.coalesce("missing", why_no_summary(benchmark, source)))
        .alias("missing"),
    ).select(
        (pl.col(name) if name in joined.columns or name in _ADDED else pl.lit(None).alias(name)).cast(kind)
        for name, kind in ITEM_SCHEMA.items()
    )


_ADDED = ("model", "condition", "method", "matcher", "source", "missing")
_FIGURES = pl.Schema(
    {
        "item": pl.String,
        "replicate": pl.Int64,
        "order": pl.Int64,
        "slot": pl.Int64,
        "picked_slot": pl.Int64,
        "correct": pl.Float64,
        "top3": pl.Float64,
        "top5": pl.Float64,
        "rank": pl.Int64,
        "ties": pl.Int64,
        "expected_rank": pl.Float64,
        "reciprocal_rank": pl.Float64,
        "best_distractor": pl.String,
        "confidence": pl.Float64,
        "missing": pl.String,
        "failure": pl.String,
        "repaired": pl.Boolean,
    }
)


def answer_figures(shown: Shown, repeat: int, repeats: int, answer: Answer[Ordering]) -> dict[str, Any]:
    """Say what one answer comes to in the columns of ``ITEM_SCHEMA``; without a value, why there is none."""
    facts: dict[str, Any] = {"replicate": shown.order * repeats + repeat, "order": shown.order}
    facts |= {"slot": shown.slot, "repaired": answer.repaired}
    if answer.value is None:
        failure = answer.failure
        assert failure is not None
        return {**facts, "missing": failure.cause, "failure": failure.kind}
    order = answer.value.order
    rank = order.index(shown.slot) + 1
    best = next(slot for slot in order if slot != shown.slot)
    return {
        **facts,
        "picked_slot": order[0],
        "correct": float(rank == 1),
        "top3": float(rank <= 3),
        "top5": float(rank <= 5),
        "rank": rank,
        "ties": 0,
        "expected_rank": float(rank),
        "reciprocal_rank": 1 / rank,
        "best_distractor": shown.units[best - 1],
        "confidence": answer.value.confidence,
    }
