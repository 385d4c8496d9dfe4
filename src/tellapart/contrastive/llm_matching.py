"""Language models as matchers: options in orders that favour no slot, questions, and answers as rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import gcd
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.item_table import ITEM_SCHEMA, item_facts, why_no_summary
from tellapart.contrastive.selection.levels import POOL
from tellapart.contrastive.shown_code import cut
from tellapart.core.randomness import generator
from tellapart.errors import UsageError
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote

_GOLDEN = 0.618


@dataclass(frozen=True, slots=True)
class Shown:
    """One item in one order.

    Attributes:
        order: Which of several orders; 0 for the first.
        slot: Where the target stands, from 1.
        units: Ids of the options, in the order in which they are shown.
    """

    item: str
    order: int
    slot: int
    units: tuple[str, ...]


def shown_items(benchmark: Benchmark, orders: int = 1) -> list[Shown]:
    """Every item in ``orders`` orders, item after item.

    Where the target stands follows from the item's place in its level by ``target_slot``; distractors are
    shuffled by the seed and the item's id. What an order looks like depends neither on the other levels nor
    on how many orders there are.
    """
    sizes: dict[str, int] = dict(benchmark.sets["level"].value_counts().iter_rows())
    seen = dict.fromkeys(sizes, -1)
    shown = []
    columns = benchmark.sets.select("item", "level", "target", "distractors")
    for item, level, target, distractors in columns.iter_rows():
        seen[level] += 1
        for order in range(orders):
            slot = target_slot(seen[level], order, sizes[level], len(distractors) + 1)
            shown.append(_shown(item, order, slot, target, distractors, benchmark.header.seed))
    return shown


def target_slot(number: int, order: int, items: int, slots: int) -> int:
    """Say where the target of an item stands in one of its orders.

    Within each order the slots are used equally often over the items, up to one; so are they over any number
    of orders together. As many orders of an item as there are slots differ in its slot; further ones begin
    anew. Neighbours, among items and among orders, are far apart.
    """
    # Whole rounds over the slots are balanced however they begin. The items left over, a run of slots, move
    # on by the length of the run, and by one more whenever that would bring them to where they were before.
    left_over = items % slots
    start = order * left_over + order // (slots // gcd(left_over, slots))
    return (number + start) * _stride(slots) % slots


def _stride(slots: int) -> int:
    """The step nearest to the golden section of the list that visits every slot; the smaller of two."""
    steps = (step for step in range(1, slots + 1) if gcd(step, slots) == 1)
    return min(steps, key=lambda step: abs(step - _GOLDEN * slots))


def _shown(item: str, order: int, slot: int, target: str, distractors: Sequence[str], seed: int) -> Shown:
    rng = generator(seed, "options", item, str(order))
    units = [distractors[i] for i in rng.permutation(len(distractors))]
    units.insert(slot, target)
    return Shown(item, order, slot + 1, tuple(units))


class Ordering(BaseModel):
    """What a model replies, whatever the number of options: how many there are, each question checks.

    Attributes:
        order: Numbers of all options, from 1, best first.
        confidence: The probability that it is the right one, as the model states it.
    """

    model_config = ConfigDict(extra="forbid")

    order: list[int]
    selected: int
    confidence: Annotated[float, Field(ge=0, le=1)]
    reasoning: str


@cache
def match_prompt() -> Prompt:
    """The prompt of every item."""
    return read_prompt("tellapart.contrastive", "match")


@dataclass(frozen=True)
class OrderPlan:
    """How often each item is put to a language model.

    Attributes:
        orders: Orders of the options, with the target in another slot each time; at least 1.
        repeats: Askings of each order, to see whether the model repeats itself; at least 1.
    """

    orders: int = 1
    repeats: int = 1


ONCE = OrderPlan()


def for_language_models(benchmark: Benchmark) -> Benchmark:
    """Leave out the items that no prompt could hold, those of ``pool``."""
    sets = benchmark.sets.filter(pl.col("level") != POOL.name)
    if sets.is_empty():
        raise UsageError(
            f"language models are not asked items of the level {POOL.name!r}, and there are no others",
            next_step="Build with another level too, such as --levels ladder,pool",
        )
    return replace(benchmark, sets=sets)


class MatchQuestions:
    """Every item in every order, asked ``repeats`` times; prompts are made while they are iterated."""

    def __init__(
        self,
        benchmark: Benchmark,
        source: str,
        plan: OrderPlan = ONCE,
        only: Collection[str] | None = None,
    ) -> None:
        """Ask with the summaries of ``source``; an item without one is not asked, nor one not in ``only``."""
        texts = benchmark.texts(source)
        target = dict(benchmark.sets.select("item", "target").iter_rows())
        self.shown = [
            shown
            for shown in shown_items(benchmark, plan.orders)
            if target[shown.item] in texts and (only is None or shown.item in only)
        ]
        self._benchmark = benchmark
        self._texts = {item: texts[unit] for item, unit in target.items() if unit in texts}
        self.plan = plan

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.shown) * self.plan.repeats

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
    questions: MatchQuestions,
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
            rows.append({"item": shown.item, **answer_columns(shown, repeat, repeats, answer)})
    figures = pl.DataFrame(rows, schema=_ANSWER_SCHEMA)
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
_ANSWER_SCHEMA = pl.Schema(
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


def answer_columns(shown: Shown, repeat: int, repeats: int, answer: Answer[Ordering]) -> dict[str, Any]:
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
