"""Language models as matchers: options in orders that favour no slot, questions, and answers as rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import gcd
from typing import Annotated, Any, Generic, TypeVar

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from tellapart.contrastive.answers import ITEM_SCHEMA, with_facts
from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.selection.levels import POOL
from tellapart.core.randomness import generator
from tellapart.errors import UsageError
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote

_GOLDEN = 0.618

LONGEST = 1500
"""Characters of an option that are shown; from the source document."""

CUT = "… (cut)"
"""Stands in for what is not shown."""

LONGEST_CODE = 12_000
"""Characters of a unit that are shown, 3,000 tokens; 1 % of the units in CPython's library are longer."""


def cut(code: str, longest: int = LONGEST) -> str:
    """Cut code on a line boundary to at most ``longest`` characters, ``CUT`` on its own line included.

    A first line too long alone is cut within. Source: ``truncateCode`` of "Contrastive Evaluation Analysis".
    """
    if len(code) <= longest:
        return code
    room = longest - len(CUT) - 1
    end = code.rfind("\n", 0, room + 1)
    return f"{code[: end if end > 0 else room]}\n{CUT}"


@dataclass(frozen=True, slots=True)
class Shown:
    """One asking of an item: the options in the order shown, the target in ``slot``, from 1."""

    item: str
    order: int
    repeat: int
    slot: int
    units: tuple[int, ...]

    @property
    def id(self) -> str:
        """Name the asking."""
        return f"{self.item}#{self.order}.{self.repeat}"


@dataclass(frozen=True)
class OrderPlan:
    """How many orders of the options each item is asked in, and how often each order is repeated."""

    orders: int = 1
    repeats: int = 1


ONCE = OrderPlan()


def shown_items(benchmark: Benchmark, plan: OrderPlan = ONCE) -> list[Shown]:
    """Every asking of every item, item after item; the seed and the item's id shuffle its distractors."""
    sizes: dict[str, int] = dict(benchmark.sets["level"].value_counts().iter_rows())
    seen = dict.fromkeys(sizes, -1)
    shown = []
    columns = benchmark.sets.select("item", "level", "target", "distractors")
    for item, level, target, distractors in columns.iter_rows():
        seen[level] += 1
        for order in range(plan.orders):
            slot = target_slot(seen[level], order, sizes[level], len(distractors) + 1)
            rng = generator(benchmark.header.seed, "options", item, str(order))
            units = [distractors[i] for i in rng.permutation(len(distractors))]
            units.insert(slot, target)
            shown += [Shown(item, order, repeat, slot + 1, tuple(units)) for repeat in range(plan.repeats)]
    return shown


def target_slot(number: int, order: int, items: int, slots: int) -> int:
    """Say where the target of an item stands in one of its orders.

    Slots are used equally often over the items of each order and over all orders; as many orders of an item
    as there are slots differ in it. Neighbours, among items and among orders, are far apart.
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


Thing = TypeVar("Thing")
Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True)
class Questions(Generic[Thing, Reply]):
    """One question about each of ``things``; prompts are long, so none is kept."""

    things: Sequence[Thing]
    question: Callable[[Thing], Question[Reply]]

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.things)

    def __iter__(self) -> Iterator[Question[Reply]]:
        """Make the questions, one thing after the other."""
        return map(self.question, self.things)


class Ordering(BaseModel):
    """What a model replies: numbers of all options, best first; how many there are, each question checks."""

    model_config = ConfigDict(extra="forbid")

    order: list[int]
    selected: int
    confidence: Annotated[float, Field(ge=0, le=1)]
    reasoning: str


@cache
def match_prompt() -> Prompt:
    """The prompt of every item."""
    return read_prompt("tellapart.contrastive", "match")


def for_language_models(benchmark: Benchmark) -> Benchmark:
    """Leave out the items that no prompt could hold, those of ``pool``."""
    sets = benchmark.sets.filter(pl.col("level") != POOL.name)
    if sets.is_empty():
        raise UsageError(
            f"language models are not asked items of the level {POOL.name!r}, and there are no others",
            next_step="Build with another level too, such as --levels ladder,pool",
        )
    return replace(benchmark, sets=sets)


def match_questions(
    benchmark: Benchmark, source: str, plan: OrderPlan = ONCE, only: Collection[str] | None = None
) -> Questions[Shown, Ordering]:
    """Ask every item that has a summary by ``source``, or of these the items in ``only``."""
    by_id = benchmark.texts[source]
    texts = {
        item: by_id[unit]
        for item, target in benchmark.sets.select("item", "target").iter_rows()
        if (unit := benchmark.units[target].id) in by_id and (only is None or item in only)
    }

    def question(shown: Shown) -> Question[Ordering]:
        codes = (cut(benchmark.units[unit].content) for unit in shown.units)
        quoted = quote([texts[shown.item], *codes])
        summary, *options = quoted.texts
        prompt = match_prompt().render(
            marker=quoted.marker, summary=summary, options=options, schema=schema_text(Ordering)
        )
        return Question(shown.id, prompt, Ordering, _complete(len(shown.units)), replica=shown.repeat)

    return Questions([shown for shown in shown_items(benchmark, plan) if shown.item in texts], question)


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
    shown: Sequence[Shown],
    answers: Mapping[str, Answer[Ordering]],
    *,
    model: str,
    matcher: str,
    source: str,
) -> pl.DataFrame:
    """One row an asking, as ``ITEM_SCHEMA``; an item without a summary is one row, with the cause."""
    repeats = max((asking.repeat for asking in shown), default=0) + 1
    rows = [
        {
            "item": asking.item,
            "replicate": asking.order * repeats + asking.repeat,
            **answer_columns(asking, answers[asking.id]),
        }
        for asking in shown
    ]
    columns = ("item", "replicate", *_ANSWER)
    figures = pl.DataFrame(rows, schema={name: ITEM_SCHEMA[name] for name in columns})
    every = benchmark.sets.select("item").join(figures, on="item", how="left", maintain_order="left_right")
    every = every.with_columns(pl.col("replicate").fill_null(0), condition=pl.lit("summary"))
    return with_facts(benchmark, every, model=model, method="llm", matcher=matcher, source=source)


_RANKS = ("correct", "top3", "top5", "rank", "ties", "expected_rank", "reciprocal_rank")
_ANSWER = (
    *("order", "slot", "picked_slot", *_RANKS),
    *("best_distractor", "confidence", "missing", "failure", "repaired"),
)


def answer_columns(shown: Shown, answer: Answer[Ordering]) -> dict[str, Any]:
    """Say what one answer comes to in the columns of ``ITEM_SCHEMA``; without a value, why there is none."""
    facts: dict[str, Any] = {"order": shown.order, "slot": shown.slot, "repaired": answer.repaired}
    if answer.value is None:
        failure = answer.failure
        assert failure is not None
        return {**facts, "missing": failure.cause, "failure": failure.kind}
    order = answer.value.order
    rank = order.index(shown.slot) + 1
    best = next(slot for slot in order if slot != shown.slot)
    figures = (float(rank == 1), float(rank <= 3), float(rank <= 5), rank, 0, float(rank), 1 / rank)
    return {
        **facts,
        **dict(zip(_RANKS, figures, strict=True)),
        "picked_slot": order[0],
        "best_distractor": shown.units[best - 1],
        "confidence": answer.value.confidence,
    }
