"""Running language models as matchers: one journal, Inspect's logs, and their parts of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import polars as pl

from tellapart.contrastive.answers import compared_rows, model_label
from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.llm_matching import (
    Ordering,
    OrderPlan,
    Shown,
    for_language_models,
    llm_rows,
    match_questions,
)
from tellapart.contrastive.selection.levels import declared
from tellapart.core.comparison import LookPlan, are_told_apart
from tellapart.core.fingerprint import sha256
from tellapart.core.randomness import asking_order
from tellapart.core.score_notes import Looks
from tellapart.core.scores import ScoreTable
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer
from tellapart.llm.run_models import RunCalls
from tellapart.store import OpenRun, RunPlan
from tellapart.store.runs import PARTS

ORDER = "artifacts/asked.json"
"""Which items were asked until models were told apart, in their order."""


def part_name(model: str, kind: str) -> str:
    """Name the file of one model's rows of one kind, ``items`` or ``swaps``, inside a run directory."""
    return f"{PARTS}/{sha256(model.encode())[:12]}-{kind}.parquet"


@dataclass(frozen=True)
class Respondent:
    """A language model that is asked with the summaries of one source; ``label`` is its name in the run."""

    llm: LanguageModel
    source: str
    label: str
    step: str

    def rows(
        self, benchmark: Benchmark, asked: Sequence[Shown], answers: Mapping[str, Answer[Ordering]]
    ) -> pl.DataFrame:
        """Its answers as rows."""
        return llm_rows(
            benchmark, asked, answers, model=self.label, matcher=self.llm.name, source=self.source
        )


def respondents(benchmark: Benchmark, llms: Sequence[LanguageModel], *, several: bool) -> list[Respondent]:
    """Every language model with every source of summaries; ``several`` says whether matchers are compared."""
    several_sources = len(benchmark.sources) > 1
    return [
        Respondent(
            llm,
            source,
            model_label(llm.name, source, several, several_sources),
            model_label(llm.name, source, True, several_sources),
        )
        for llm in llms
        for source in benchmark.sources
    ]


def check_askable(
    run_plan: RunPlan, benchmark: Benchmark, llms: Sequence[LanguageModel], calls: RunCalls, plan: OrderPlan
) -> None:
    """See that models can be asked, before anything dear is begun and before one of them has cost money."""
    if not llms:
        return
    benchmark, finished = for_language_models(benchmark), run_plan.finished_steps()
    for llm in llms:
        if llm.name not in finished:
            asked = (match_questions(benchmark, source, plan) for source in benchmark.sources)
            calls.check(llm, chain.from_iterable(asked))


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
    everyone = respondents(benchmark, llms, several=several)
    with calls.opened() as open_calls:
        for llm in llms:
            if open_run.done(llm.name):
                continue
            rows = []
            for one in everyone:
                if one.llm is llm:
                    questions = match_questions(benchmark, one.source, plan)
                    session = open_calls.ask(questions, llm, label=one.step)
                    rows.append(one.rows(benchmark, questions.things, session.by_id))
            open_run.write_frame(part_name(llm.name, "items"), pl.concat(rows))
            open_run.finish_step(llm.name)
        return {llm.name: open_calls.record(llm) for llm in llms}


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

    They are of the declared level alone, in an order fixed by the seed of the benchmark. All models are asked
    the same items before each look.
    """
    benchmark = for_language_models(benchmark)
    level = declared(benchmark.sets["level"].unique(), for_llms=True)
    items = benchmark.sets.filter(level=level)["item"].to_list()
    order, size = asking_order(items, seed=benchmark.header.seed), 0
    looks, is_decided = LookPlan(len(order)), False
    everyone = respondents(benchmark, llms, several=several)
    answers: dict[str, dict[str, Answer[Ordering]]] = {one.label: {} for one in everyone}
    others = [frame.filter(condition="summary") for frame in answered]
    rows: dict[str, pl.DataFrame] = {}
    with calls.opened() as open_calls:
        while not is_decided and size < len(order):
            batch = order[size : looks.next_size(size)]
            size += len(batch)
            so_far = set(order[:size])
            part = replace(benchmark, sets=benchmark.sets.filter(pl.col("item").is_in(so_far)))
            for one in everyone:
                step = f"{one.step}, {size:,} items"
                asked = match_questions(benchmark, one.source, plan, set(batch))
                answers[one.label] |= open_calls.ask(asked, one.llm, label=step).by_id
                whole = match_questions(benchmark, one.source, plan, so_far).things
                rows[one.label] = one.rows(part, whole, answers[one.label])
            table = pl.concat([*others, *rows.values()], how="diagonal")
            scores = ScoreTable.from_frame(compared_rows(table))
            # Where writers are compared, they are the models of the table, and all are awaited.
            is_decided = are_told_apart(scores, order[:size], looks, awaited=list(answers))
        for llm in llms:
            of_model = [rows[one.label] for one in everyone if one.llm is llm]
            open_run.write_frame(part_name(llm.name, "items"), pl.concat(of_model))
            open_run.finish_step(llm.name)
        open_run.write_json(ORDER, Looks(max_items=len(order), order=tuple(order[:size])).model_dump())
        return {llm.name: open_calls.record(llm) for llm in llms}
