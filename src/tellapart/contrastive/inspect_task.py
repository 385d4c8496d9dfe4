"""The suite as a task of Inspect: ``inspect eval tellapart/contrastive --model MODEL -T bench=BENCH``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from tellapart.contrastive.answers import item_facts, model_label
from tellapart.contrastive.benchmark import Benchmark, read_benchmark
from tellapart.contrastive.llm_matching import (
    Ordering,
    OrderPlan,
    Shown,
    answer_columns,
    for_language_models,
    match_prompt,
    match_questions,
)
from tellapart.errors import UsageError, near_match
from tellapart.llm.questions import Answer
from tellapart.llm.tasks import Grade, Task, TaskQuestion, question_task, task

COLUMNS = {
    "item": "item",
    "cluster": "path",
    "replicate": "order",
    "difficulty": "level",
    "language": "language",
    "unit_type": "unit_type",
}
"""Which metadata of a sample are which columns of a score table, as ``score_rows`` has them."""

_FACTS = ("item", "level", "target", "path", "language", "unit_type", "difficulty_score", "difficulty")


@task
def contrastive(
    bench: str | None = None,
    orders: int = 1,
    levels: str | Sequence[str] | None = None,
    source: str | None = None,
) -> Task:
    """Ask a model to order the options of every item, as ``tellapart contrastive run --llm`` asks.

    Any model of Inspect, and its flags: ``--temperature``, ``--max-tokens`` and the like win over ours, which
    are temperature 0 and 500 tokens. Retries, the log and going on with it (``inspect eval-retry LOG``) are
    Inspect's; there is no journal of ours. ``--epochs N`` asks everything N times. ``inspect eval`` ends with
    exit code 0 whatever failed: ``tellapart audit LOG`` counts what is missing.

    Anthropic's newest API takes no temperature, and Inspect drops it. What our own command sends is sent with
    ``-M 'default_headers={"anthropic-version": "2023-06-01"}' -M 'extra_body={"temperature": 0}'``.
    """
    if bench is None:
        raise UsageError("no benchmark is given", next_step="Name one: -T bench=PATH")
    if orders < 1:
        raise UsageError(f"orders is {orders}, expected at least 1")
    benchmark = read_benchmark(Path(bench))
    author = _source(benchmark, source)
    wanted = levels.split(",") if isinstance(levels, str) else levels
    return question_task(
        Path(bench).name,
        list(_samples(_at_levels(benchmark, wanted), author, orders)),
        columns=COLUMNS,
        averages=["reciprocal_rank"],
        facts={
            "benchmark": benchmark.header.fingerprint,
            "source": author,
            "prompt": match_prompt().sha256,
            "label": model_label("{model}", author, True, len(benchmark.sources) > 1),
        },
    )


def _source(benchmark: Benchmark, source: str | None) -> str:
    sources = benchmark.sources
    if source is None and len(sources) > 1:
        raise UsageError(
            f"the benchmark has summaries of {len(sources)} sources", next_step="Choose one: -T source=NAME"
        )
    if source is not None and source not in sources:
        raise UsageError(f"there are no summaries of {source!r}", next_step=near_match(source, sources))
    return source or sources[0]


def _at_levels(benchmark: Benchmark, levels: Sequence[str] | None) -> Benchmark:
    """The items of some levels; the target's slot rotates within a level, so it stays where it was."""
    if levels is None:
        return for_language_models(benchmark)
    for level in levels:
        if level not in benchmark.header.levels:
            raise UsageError(
                f"the benchmark has no level {level!r}", next_step=near_match(level, benchmark.header.levels)
            )
    return for_language_models(replace(benchmark, sets=benchmark.sets.filter(pl.col("level").is_in(levels))))


def _samples(benchmark: Benchmark, source: str, orders: int) -> Iterator[TaskQuestion[Ordering]]:
    """Every item in every order, then the items that have no summary."""
    ids = [unit.id for unit in benchmark.units]
    facts = {row["item"]: {name: row[name] for name in _FACTS} for row in item_facts(benchmark).to_dicts()}
    for of_item in facts.values():
        of_item["target"] = ids[of_item["target"]]
    questions = match_questions(benchmark, source, OrderPlan(orders))
    for shown, question in zip(questions.things, questions, strict=True):
        showing = {"order": shown.order, "slot": shown.slot, "options": [ids[unit] for unit in shown.units]}
        name = f"{shown.item}#{shown.order}" if shown.order else shown.item
        grade = partial(_grade, shown, ids)
        yield TaskQuestion(name, question, grade, str(shown.slot), facts[shown.item] | showing)
    shown_ids = {shown.item for shown in questions.things}
    for item, metadata in facts.items():
        if item not in shown_ids:
            yield TaskQuestion(item, None, _never, "", metadata | {"order": 0})


def _grade(shown: Shown, ids: Sequence[str], reply: Ordering) -> Grade:
    figures = answer_columns(shown, Answer("", reply, None))
    copied = ("rank", "reciprocal_rank", "confidence", "top3", "top5", "picked_slot")
    facts = {name: figures[name] for name in copied}
    facts |= {"best_distractor": ids[figures["best_distractor"]], "ordering": reply.order}
    return Grade(figures["correct"], str(reply.selected), facts)


def _never(_: Ordering) -> Grade:
    raise LookupError("an item without a question has no reply")
