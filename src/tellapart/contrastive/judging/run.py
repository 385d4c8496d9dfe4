"""The shell of the judges: what touches files, models and progress."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tellapart.contrastive.benchmark import Benchmark, read_benchmark
from tellapart.contrastive.judging.criteria import PAIRWISE, POINTWISE, WEIGHTS
from tellapart.contrastive.judging.figures import judge_report
from tellapart.contrastive.judging.judgements import (
    JUDGEMENTS,
    counted_scores,
    item_texts,
    judgement_rows,
)
from tellapart.contrastive.judging.questions import Preferred, Scored, judged_units
from tellapart.contrastive.judging.request import JudgeSettings, judge_questions, judge_request
from tellapart.contrastive.judging.results import JudgeReport
from tellapart.contrastive.kept_benchmark import keep_benchmark, part_name
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.llm.costs import Estimate
from tellapart.llm.replay import CALLS
from tellapart.llm.run_models import RunCalls
from tellapart.report.missing_reasons import by_cause
from tellapart.store import OpenRun, RunDirectory, load_record

_SENTENCE = "x" * 120
"""As long as a sentence of twenty words."""


def judge(
    bench: str | Path,
    settings: JudgeSettings,
    *,
    out: str | Path | None = None,
    progress: Progress = SILENT,
) -> RunDirectory:
    """Have the summaries of a benchmark judged, or finish an interrupted run of the same."""
    bench, out = Path(bench), None if out is None else Path(out)
    benchmark = read_benchmark(bench)
    run_plan = judge_request(benchmark, settings, out)
    questions = judge_questions(benchmark, settings)
    if (complete := run_plan.finished_run("judged", progress)) is not None:
        return complete
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse, is_judge=True, progress=progress)
    finished = run_plan.finished_steps()
    for judge_model in settings.judges:
        for method, batch in questions.items():
            if _step(judge_model.name, method) not in finished:
                calls.check(judge_model, batch)
    with run_plan.writing() as open_run:
        keep_benchmark(bench, open_run)
        calls.plan(
            {
                _step(judge_model.name, method): (judge_model, len(batch))
                for judge_model in settings.judges
                for method, batch in questions.items()
            }
        )
        with calls.opened() as open_calls:
            for judge_model in settings.judges:
                for method, batch in questions.items():
                    step = _step(judge_model.name, method)
                    if open_run.done(step):
                        continue
                    answers = open_calls.ask(batch, judge_model, label=step).by_id
                    rows = judgement_rows(benchmark, judge_model.name, batch, answers, settings.families)
                    open_run.write_frame(part_name(judge_model.name, method), rows)
                    open_run.finish_step(step)
            run_plan.record.models = {
                judge_model.name: open_calls.record(judge_model) for judge_model in settings.judges
            }
        with progress.step("computing figures", None):
            _complete(open_run, benchmark, settings)
    return run_plan.open()


def estimate_judging_cost(bench: Path, settings: JudgeSettings, out: Path | None) -> dict[str, Estimate]:
    """Estimate what it takes to have summaries judged; see ``judge``."""
    benchmark = read_benchmark(bench)
    run_plan = judge_request(benchmark, settings, out)
    questions = judge_questions(benchmark, settings)
    run_plan.check_path()
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse)
    replies = {
        POINTWISE: Scored.model_validate(dict.fromkeys(WEIGHTS, 3) | {"reasoning": _SENTENCE}),
        PAIRWISE: Preferred(better="second", reasoning=_SENTENCE),
    }
    return {
        _step(judge_model.name, method): calls.estimate(
            batch, judge_model, reply_characters=len(replies[method].model_dump_json())
        )
        for judge_model in settings.judges
        for method, batch in questions.items()
    }


def _step(judge: str, method: str) -> str:
    return f"{judge}, {method}"


def _complete(open_run: OpenRun, benchmark: Benchmark, settings: JudgeSettings) -> None:
    """Join what the judges said, and derive the score table and the report's figures."""
    families = settings.families
    targets = judged_units(benchmark, settings.units)
    judgements = pl.concat(
        [
            JUDGEMENTS.to_frame(),
            *(
                open_run.read_frame(part_name(judge_model.name, method))
                for judge_model in settings.judges
                for method in settings.methods
            ),
        ]
    )
    scores = counted_scores(benchmark, judgements, targets, families)
    both = len(settings.methods) > 1
    notes = ScoreNotes(by="method" if both else "judge", primary=("method", POINTWISE) if both else None)
    report = judge_report(benchmark, judgements, targets, families, settings.methods)
    open_run.write_frame("judgements.parquet", judgements)
    open_run.write_frame("items.parquet", item_texts(benchmark, judgements))
    open_run.write_frame("scores.parquet", scores, notes.model_copy(update={"cautions": report.cautions}))
    open_run.write_json("artifacts/judging.json", report.to_json())
    open_run.record.counts = {"models": scores["model"].n_unique(), "items": scores["item"].n_unique()}


def warn_of_unusable(run: RunDirectory) -> list[str]:
    """Warn of judges none of whose replies in a complete run could be used, a sentence each."""
    report = load_record(run.artifacts / "judging.json", JudgeReport, "part of a run")
    return [
        f"{use.judge}: no verdict could be used ({by_cause(use.failures)}); see {run.path / CALLS}"
        for use in report.judges
        if use.failures and not use.verdicts
    ]
