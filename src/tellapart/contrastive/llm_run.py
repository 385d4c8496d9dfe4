"""Running language models as matchers: one journal, Inspect's logs, and their parts of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.item_table import compared_rows, model_label
from tellapart.contrastive.kept_benchmark import part_name
from tellapart.contrastive.llm_matching import (
    MatchQuestions,
    Ordering,
    OrderPlan,
    for_language_models,
    llm_rows,
)
from tellapart.contrastive.selection.levels import hardest
from tellapart.core.asking_order import asking_order
from tellapart.core.comparison import LookPlan, are_told_apart
from tellapart.core.score_notes import Looks
from tellapart.core.scores import ScoreTable
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer
from tellapart.llm.replay import CALLS
from tellapart.llm.run_models import RunCalls
from tellapart.store import OpenRun, RunDirectory, RunPlan


def check_askable(
    run_plan: RunPlan,
    benchmark: Benchmark,
    llms: Sequence[LanguageModel],
    calls: RunCalls,
    *,
    plan: OrderPlan,
) -> None:
    """See that models can be asked, before anything dear is begun and before one of them has cost money."""
    if not llms:
        return
    benchmark, finished = for_language_models(benchmark), run_plan.finished_steps()
    for llm in llms:
        if llm.name not in finished:
            items = (MatchQuestions(benchmark, source, plan) for source in benchmark.sources)
            calls.check(llm, chain.from_iterable(items))


def ask_llms(
    open_run: OpenRun,
    benchmark: Benchmark,
    llms: Sequence[LanguageModel],
    calls: RunCalls,
    *,
    plan: OrderPlan,
    several: bool,
) -> dict[str, dict[str, Any]]:
    """Let language models order the options of every item, one model after the other; skip finished ones."""
    if not llms:
        return {}
    benchmark = for_language_models(benchmark)
    several_sources = len(benchmark.sources) > 1
    questions = {source: MatchQuestions(benchmark, source, plan) for source in benchmark.sources}

    def named(llm: LanguageModel, source: str) -> str:
        return model_label(llm.name, source, True, several_sources)

    askings = [(llm, source) for llm in llms for source in benchmark.sources]
    calls.plan({named(llm, source): (llm, len(questions[source])) for llm, source in askings})
    with calls.opened() as open_calls:
        for llm in llms:
            if open_run.done(llm.name):
                continue
            rows = []
            for source in benchmark.sources:
                session = open_calls.ask(questions[source], llm, label=named(llm, source))
                label = model_label(llm.name, source, several, several_sources)
                answers = session.by_id
                rows.append(
                    llm_rows(
                        benchmark,
                        questions[source],
                        answers,
                        model=label,
                        matcher=llm.name,
                        source=source,
                    )
                )
            open_run.write_frame(part_name(llm.name, "items"), pl.concat(rows))
            open_run.finish_step(llm.name)
        return {llm.name: open_calls.record(llm) for llm in llms}


ORDER = "artifacts/asked.json"
"""Which items were asked until models were told apart, in their order."""


def ask_until_separated(
    open_run: OpenRun,
    benchmark: Benchmark,
    llms: Sequence[LanguageModel],
    calls: RunCalls,
    *,
    plan: OrderPlan,
    several: bool,
    answered: Sequence[pl.DataFrame] = (),
) -> dict[str, dict[str, Any]]:
    """Ask language models items in random order, and stop when every two models are told apart.

    They are of the hardest level alone, in an order fixed by the seed of the benchmark. All models are asked
    the same items before each look.
    """
    benchmark = for_language_models(benchmark)
    order, size = _order(benchmark), 0
    looks, is_decided = LookPlan(len(order)), False
    several_sources = len(benchmark.sources) > 1
    labels = {
        (llm, source): model_label(llm.name, source, several, several_sources)
        for llm in llms
        for source in benchmark.sources
    }
    answers: dict[str, dict[str, Answer[Ordering]]] = {label: {} for label in labels.values()}
    others = [frame.filter(condition="summary") for frame in answered]
    with calls.opened() as open_calls:
        while not is_decided and size < len(order):
            batch = order[size : looks.next_size(size)]
            size += len(batch)
            so_far = set(order[:size])
            part = replace(benchmark, sets=benchmark.sets.filter(pl.col("item").is_in(so_far)))
            rows: dict[str, list[pl.DataFrame]] = {llm.name: [] for llm in llms}
            for (llm, source), label in labels.items():
                questions = MatchQuestions(benchmark, source, plan, set(batch))
                step = f"{model_label(llm.name, source, True, several_sources)}, {size:,} items"
                answers[label] |= open_calls.ask(questions, llm, label=step).by_id
                questions = MatchQuestions(benchmark, source, plan, so_far)
                rows[llm.name].append(
                    llm_rows(part, questions, answers[label], model=label, matcher=llm.name, source=source)
                )
            table = pl.concat([*others, *chain(*rows.values())], how="diagonal")
            scores = ScoreTable.from_frame(compared_rows(table))
            # Where writers are compared, they are the models of the table, and all are awaited.
            is_decided = are_told_apart(scores, order[:size], looks, awaited=list(labels.values()))
        for name, of_model in rows.items():
            open_run.write_frame(part_name(name, "items"), pl.concat(of_model))
            open_run.finish_step(name)
        open_run.write_json(ORDER, Looks(max_items=len(order), order=tuple(order[:size])).model_dump())
        return {llm.name: open_calls.record(llm) for llm in llms}


def _order(benchmark: Benchmark) -> list[str]:
    items = benchmark.sets.filter(level=hardest(benchmark.sets["level"].unique()))["item"]
    return asking_order(items.to_list(), seed=benchmark.header.seed)


def warn_of_unusable(run: RunDirectory) -> list[str]:
    """Warn of language models none of whose replies in a complete run could be used."""
    # Only an asking has an order.
    answers = run.frame("items.parquet").filter(
        pl.col("method") == "llm", pl.col("condition") == "summary", pl.col("order").is_not_null()
    )
    several_sources = answers["source"].n_unique() > 1
    warnings = []
    for (matcher, source), rows in answers.group_by("matcher", "source", maintain_order=True):
        if rows["correct"].null_count() < rows.height:
            continue
        counts = rows.group_by("missing", "failure").len()
        why = counts.sort("len", "missing", "failure", descending=[True, False, False]).row(0)
        name = model_label(str(matcher), str(source), True, several_sources)
        warnings.append(
            f"{name}: {rows.height:,} of {rows.height:,} askings have no usable reply, most often {why[0]} "
            f"({why[1]}, {why[2]:,} times); see {run.path / CALLS}"
        )
    return warnings
