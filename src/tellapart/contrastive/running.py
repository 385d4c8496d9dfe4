"""The suite's shell: what touches files, models and progress; the steps themselves are pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tellapart.contrastive.answers import ITEM_SCHEMA, SWAP_SCHEMA, answer, compared_rows
from tellapart.contrastive.assembly import item_rows, selection_texts
from tellapart.contrastive.benchmark import Benchmark, read_benchmark
from tellapart.contrastive.bias import SelectionBias, selection_bias
from tellapart.contrastive.cautions import with_cautions
from tellapart.contrastive.figures import report_results
from tellapart.contrastive.kept_benchmark import keep_benchmark, part_name
from tellapart.contrastive.llm_matching import ONCE, OrderPlan
from tellapart.contrastive.llm_run import ORDER, ask_llms, ask_until_separated, check_askable
from tellapart.contrastive.models import Models, opened, require_models, require_selectors
from tellapart.contrastive.request import RunSettings, run_request, with_primary
from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.distractors import choose_distractors
from tellapart.contrastive.selection.levels import level_called
from tellapart.contrastive.selection.selectors import FUSION
from tellapart.contrastive.suspects import SUSPECTS, find_suspects
from tellapart.contrastive.validate import Validation, compare_setups, with_original_sets
from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.randomness import generator
from tellapart.core.score_notes import Looks, ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.embed.vector_matcher import VectorMatcher
from tellapart.errors import UsageError
from tellapart.files import read_object
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls
from tellapart.store import OpenRun, RunDirectory


def run(
    bench: str | Path,
    models: Sequence[str],
    *,
    llms: Sequence[LanguageModel] = (),
    plan: OrderPlan = ONCE,
    limits: Limits = NO_LIMITS,
    reuse: Path | None = None,
    out: str | Path | None = None,
    base_url: str | None = None,
    loaded: Models | None = None,
    primary: tuple[str, str] | None = None,
    until_separated: bool = False,
    progress: Progress = SILENT,
) -> RunDirectory:
    """Let models answer a benchmark, or finish an interrupted run of the same."""
    bench, out = Path(bench), None if out is None else Path(out)
    if isinstance(models, str) or not isinstance(models, Sequence):
        raise UsageError(
            f"models is {models!r}, expected a list of names", next_step='Give models=["bm25", "lsa"]'
        )
    require_models(models)
    benchmark = read_benchmark(bench)
    names = list(dict.fromkeys(models))
    several = len(names) + len(llms) > 1
    settings = with_primary(
        benchmark, RunSettings(names, base_url, llms, plan, primary, until_separated, limits, reuse)
    )
    run_plan = run_request(benchmark, settings, out)
    if (complete := run_plan.finished_run("answered", progress)) is not None:
        return complete
    calls = RunCalls(run_plan, limits=limits, reuse=reuse, progress=progress)
    check_askable(run_plan, benchmark, llms, calls, plan)
    with run_plan.writing() as open_run, opened(loaded, base_url, progress) as models_by_name:
        keep_benchmark(bench, open_run)
        for name in names:
            if not open_run.done(name):
                progress(f"{name} answers {benchmark.sets.height} items and their controls")
                matcher = models_by_name.matcher(name, benchmark.units)
                with progress.step(f"{name} answers", None):
                    items, twins = answer(benchmark, matcher, several_matchers=several)
                open_run.write_frame(part_name(name, "items"), items)
                open_run.write_frame(part_name(name, "swaps"), twins)
                open_run.finish_step(name, fingerprint=matcher.fingerprint)
        if until_separated:
            answered = [open_run.read_frame(part_name(name, "items")) for name in names]
            asked_how = ask_until_separated(
                open_run, benchmark, llms, calls, plan=plan, several=several, answered=answered
            )
        else:
            asked_how = ask_llms(open_run, benchmark, llms, calls, plan=plan, several=several)
        run_plan.record.models = open_run.steps | asked_how
        with progress.step("computing figures", None):
            items = _complete(open_run, benchmark, [*names, *(llm.name for llm in llms)], settings.primary)
        with progress.step("looking for second right answers", None):
            open_run.write_json(SUSPECTS, find_suspects(benchmark, items).to_json())
    return run_plan.open()


def validate(
    benchmark: Benchmark,
    models: Sequence[str],
    *,
    answered: pl.DataFrame | None = None,
    base_url: str | None = None,
    loaded: Models | None = None,
    progress: Progress = SILENT,
) -> Validation:
    """Hold the original four-distractor method, its repair and the benchmark's levels beside one another."""
    names = list(dict.fromkeys(models))
    require_models(names)
    with opened(loaded, base_url, progress) as models_by_name:
        whole = with_original_sets(
            benchmark, _candidates(benchmark, models_by_name, benchmark.header.selector)
        )
        to_answer, rows = whole, []
        if answered is not None:
            to_answer = replace(
                whole, sets=whole.sets.filter(~pl.col("item").is_in(benchmark.sets["item"].implode()))
            )
            rows = [answered.filter(condition="summary")]
        for name in names:
            progress(f"{name} answers {to_answer.sets.height} items of the set-ups compared")
            matcher = models_by_name.matcher(name, benchmark.units)
            with progress.step(f"{name} answers", None):
                rows.append(answer(to_answer, matcher, several_matchers=len(names) > 1, controls=())[0])
    with progress.step("comparing set-ups", None):
        return compare_setups(pl.concat(rows), whole.sets)


def bias(
    benchmark: Benchmark,
    models: Sequence[str],
    *,
    selectors: Sequence[str] | None = None,
    level: str = "adversarial",
    base_url: str | None = None,
    loaded: Models | None = None,
    progress: Progress = SILENT,
) -> SelectionBias:
    """Measure how much models suffer from distractors of their own choice."""
    require_models(models)
    require_selectors(selectors or ())
    targets = benchmark.sets["target"].unique().sort().to_list()
    accuracy = {}
    with opened(loaded, base_url, progress) as models_by_name:
        matchers = [models_by_name.matcher(name, benchmark.units) for name in dict.fromkeys(models)]
        embedders = [matcher.name for matcher in matchers if isinstance(matcher, VectorMatcher)]
        for name in selectors or [FUSION, *embedders]:
            progress(f"{name} chooses {level} distractors for {len(targets)} targets")
            candidates = _candidates(benchmark, models_by_name, name)
            sets, _ = choose_distractors(
                candidates,
                targets,
                [level_called(level)],
                seed=benchmark.header.seed,
                progress=progress,
            )
            chosen = replace(benchmark, sets=item_rows(candidates, sets))
            answering = counted(matchers, progress, f"answering with distractors of {name}", unit="models")
            rows = pl.concat([answer(chosen, matcher, controls=())[0] for matcher in answering])
            accuracy[name] = rows.with_columns(pl.col("matcher").alias("model"))
    return selection_bias(accuracy, rng=generator(benchmark.header.seed, "bias"))


def _candidates(benchmark: Benchmark, models: Models, selector: str) -> Candidates:
    """The units of a benchmark as candidates for one another, ranked by ``selector``."""
    texts = selection_texts(benchmark.units, benchmark.summaries, by_models=benchmark.by_models)
    return Candidates(
        benchmark.units,
        texts,
        models.selector(selector, benchmark.units, texts),
        cross_language=benchmark.header.choices.cross_language,
    )


def _complete(
    open_run: OpenRun, benchmark: Benchmark, models: Sequence[str], primary: tuple[str, str] | None
) -> pl.DataFrame:
    """Join the parts, derive the score table and the report's figures, and give the items."""
    items, swaps = (
        pl.concat([schema.to_frame(), *map(open_run.read_frame, filter(open_run.has, parts))])
        for schema, parts in (
            (ITEM_SCHEMA, [part_name(model, "items") for model in models]),
            (SWAP_SCHEMA, [part_name(model, "swaps") for model in models]),
        )
    )
    looks = None
    if open_run.has(ORDER):
        # What embedders answered beyond is compared with nothing.
        looks = Looks.model_validate(read_object(open_run.path / ORDER))
        items = items.filter(pl.col("item").is_in(looks.order))
    open_run.write_frame("items.parquet", items)
    open_run.write_frame("artifacts/swaps.parquet", swaps)
    real = items.filter(pl.col("condition") == "summary")
    report = report_results(benchmark, items, swaps)
    rows = compared_rows(real)
    item_count = len(looks.order) if looks else benchmark.sets.height
    notes = ScoreNotes(by="difficulty", primary=primary, looks=looks)
    scores = ScoreTable.from_frame(rows, notes=notes)
    open_run.write_frame("scores.parquet", rows, with_cautions(scores, report, items).notes)
    open_run.write_json("artifacts/report.json", report.to_json())
    open_run.record.counts = {"models": real["model"].n_unique(), "items": item_count}
    return items
