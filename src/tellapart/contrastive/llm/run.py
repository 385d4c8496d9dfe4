"""The shell of what language models do in this suite: journals, logs and parts of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from tellapart.contrastive.answers import model_label
from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.llm.matching import Plan, Questions, llm_rows
from tellapart.contrastive.parts import part_name
from tellapart.llm.budget import Limits
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.session import ask_all
from tellapart.store import OpenRun

Progress = Callable[[str], None]


def ask_llm(
    open_run: OpenRun,
    benchmark: Benchmark,
    llm: LanguageModel,
    plan: Plan,
    limits: Limits,
    several: bool,
    progress: Progress,
) -> None:
    """Let a language model order the options of every item, with the summaries of every source."""
    rows: list[pl.DataFrame] = []
    effective: dict[str, Any] = {}
    with CallJournal(open_run.path / "calls.jsonl") as journal:
        for source in benchmark.sources:
            questions = Questions(benchmark, source, plan)
            found = ask_all(
                questions,
                llm,
                journal,
                logs=open_run.path / "artifacts" / "inspect",
                limits=limits,
                progress=progress,
            )
            label = model_label(llm.name, source, several, len(benchmark.sources) > 1)
            rows.append(
                llm_rows(benchmark, questions, found.by_id, model=label, matcher=llm.name, source=source)
            )
            effective = found.effective or effective
    open_run.write_frame(part_name(llm.name, "items"), pl.concat(rows))
    open_run.finish_step(llm.name, requested=llm.requested(), effective=effective)
