"""The suite's shell: what touches files, models and progress; the steps themselves are pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import polars as pl

from tellapart.contrastive.answers import ITEM_SCHEMA, SWAP_SCHEMA, answer, compared_rows, model_label
from tellapart.contrastive.benchmark import Benchmark, keep_benchmark, read_benchmark
from tellapart.contrastive.figures import cautions
from tellapart.contrastive.llm_matching import (
    ONCE,
    Ordering,
    OrderPlan,
    for_language_models,
    llm_rows,
    match_prompt,
    match_questions,
)
from tellapart.contrastive.models import Models, opened, recorded_server, require_models
from tellapart.contrastive.selection.levels import POOL, declared
from tellapart.core.comparison import LookPlan, are_told_apart
from tellapart.core.fingerprint import sha256
from tellapart.core.progress import SILENT, Progress
from tellapart.core.randomness import asking_order
from tellapart.core.score_notes import Looks, ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded, settings_record
from tellapart.errors import UsageError, near_match
from tellapart.files import read_object
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer
from tellapart.llm.run_models import RunCalls, check_distinct, prompt_hashes, recorded_inputs
from tellapart.store import OpenRun, RunDirectory, RunPlan
from tellapart.store.runs import PARTS

ORDER = "artifacts/asked.json"
"""Which items were asked until models were told apart, in their order."""


def _llms(settings: RunSettings) -> dict[str, Any]:
    if not settings.llms:
        return {}
    return {
        "llms": [llm.requested() for llm in settings.llms],
        "plan": settings_record(settings.plan),
        **prompt_hashes({"prompt": match_prompt()}),
    }


def _primary(settings: RunSettings) -> dict[str, list[str]]:
    return {"primary": list(settings.primary)} if settings.primary else {}


def _until_separated(settings: RunSettings) -> dict[str, bool]:
    return {"until_separated": True} if settings.until_separated else {}


@dataclass(frozen=True)
class RunSettings:
    """How a benchmark is answered; ``primary`` is declared before the scores are known."""

    models: Sequence[str]
    base_url: Annotated[str | None, Recorded(recorded_server)] = None
    llms: Annotated[Sequence[LanguageModel], Recorded(_llms)] = ()
    plan: Annotated[OrderPlan, Recorded(_llms)] = ONCE
    primary: Annotated[tuple[str, str] | None, Recorded(_primary)] = None
    until_separated: Annotated[bool, Recorded(_until_separated)] = False
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None

    @property
    def several(self) -> bool:
        """Whether several matchers answer."""
        return len(self.models) + len(self.llms) > 1


def with_primary(benchmark: Benchmark, settings: RunSettings) -> RunSettings:
    """Declare which level the verdict is about, where nobody has: the mean over levels hides differences."""
    levels = [level for level in benchmark.sets["level"].unique() if not settings.llms or level != POOL.name]
    if settings.primary or settings.until_separated or len(levels) < 2:
        return settings
    return replace(settings, primary=("difficulty", declared(levels, for_llms=bool(settings.llms))))


def run_request(benchmark: Benchmark, settings: RunSettings, out: Path | None = None) -> RunPlan:
    """Plan a run of models that answer a benchmark."""
    check_primary(benchmark, settings.primary)
    if settings.llms and settings.primary == ("difficulty", POOL.name):
        raise UsageError(
            f"the verdict cannot be about {POOL.name}: language models are not asked its items",
            next_step="Take another level, such as --primary difficulty=ladder",
        )
    _check_until_separated(benchmark, settings)
    check_distinct(
        settings.llms, next_step="Name it once in a run; to ask it with other settings, start another run"
    )
    recordings = recorded_inputs({f"recording of {llm.name}": llm for llm in settings.llms}, settings.reuse)
    inputs = {"benchmark": benchmark.header.fingerprint, **recordings}
    return RunPlan("contrastive", settings_record(settings), inputs, seed=benchmark.header.seed, out=out)


def _check_until_separated(benchmark: Benchmark, settings: RunSettings) -> None:
    if not settings.until_separated:
        return
    if settings.primary:
        raise UsageError("--until-separated asks items of the declared level, and --primary names others")
    models = len(settings.models) + len(settings.llms)
    if not settings.llms or models * len(benchmark.sources) < 2:
        raise UsageError(
            "--until-separated asks language models until they are told apart, and there are no two models",
            next_step="Name two: --llm PROVIDER/MODEL --llm PROVIDER/MODEL",
        )


def check_primary(benchmark: Benchmark, primary: tuple[str, str] | None) -> None:
    """See that a benchmark has the part of the items that a verdict is to be about."""
    if primary is None:
        return
    column, value = primary
    values = {
        "difficulty": list(dict.fromkeys(benchmark.sets["level"])),
        "language": sorted({target.language for target in benchmark.targets}),
        "unit_type": sorted({target.type for target in benchmark.targets}),
    }
    if column not in values:
        raise UsageError(
            f"--primary names the column {column!r}, expected one of {', '.join(values)}",
            next_step=near_match(column, values),
        )
    if value not in values[column]:
        raise UsageError(
            f"no item of this benchmark has {column} {value!r}", next_step=near_match(value, values[column])
        )


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
    settings = with_primary(
        benchmark, RunSettings(names, base_url, llms, plan, primary, until_separated, limits, reuse)
    )
    run_plan = run_request(benchmark, settings, out)
    if (complete := run_plan.finished_run("answered", progress)) is not None:
        return complete
    calls = RunCalls(run_plan, limits=limits, reuse=reuse, progress=progress)
    check_askable(run_plan, benchmark, settings, calls)
    with run_plan.writing() as open_run, opened(loaded, base_url, progress) as models_by_name:
        keep_benchmark(bench, open_run)
        for name in names:
            if not open_run.done(name):
                progress(f"{name} answers {benchmark.sets.height} items and their controls")
                matcher = models_by_name.matcher(name, benchmark.units)
                with progress.step(f"{name} answers", None):
                    items, twins = answer(benchmark, matcher, several_matchers=settings.several)
                open_run.write_frame(part_name(name, "items"), items)
                open_run.write_frame(part_name(name, "swaps"), twins)
                open_run.finish_step(name, fingerprint=matcher.fingerprint)
        ask = ask_until_separated if until_separated else ask_llms
        asked_how = ask(open_run, benchmark, settings, calls)
        run_plan.record.models = open_run.steps | asked_how
        with progress.step("computing scores", None):
            _complete(open_run, benchmark, [*names, *(llm.name for llm in llms)], settings.primary)
    return run_plan.open()


def estimate_run_cost(bench: Path, settings: RunSettings, out: Path | None) -> dict[str, Estimate]:
    """Estimate what it takes to let language models answer a benchmark, before anything is sent."""
    benchmark = read_benchmark(bench)
    run_plan = run_request(benchmark, with_primary(benchmark, settings), out)
    benchmark = for_language_models(benchmark)
    run_plan.check_path()
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse)
    estimates = {}
    for llm in settings.llms:
        for source in benchmark.sources:
            name = llm.name if len(benchmark.sources) == 1 else f"{llm.name}, summaries by {source}"
            questions = match_questions(benchmark, source, settings.plan)
            estimates[name] = calls.estimate(questions, llm, reply_characters=_ordering_characters(benchmark))
    return estimates


def _ordering_characters(benchmark: Benchmark) -> int:
    """Length of an ordinary reply to an item, on average over the items."""
    options = (len(distractors) + 1 for distractors in benchmark.sets["distractors"].to_list())
    # The reasoning is as long as a sentence of twenty words.
    replies = (
        Ordering(order=list(range(1, count + 1)), selected=1, confidence=0.85, reasoning="x" * 120)
        for count in options
    )
    return round(fmean(len(reply.model_dump_json()) for reply in replies))


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


def respondents(benchmark: Benchmark, settings: RunSettings) -> list[Respondent]:
    """Every language model with every source of summaries."""
    several_sources = len(benchmark.sources) > 1
    return [
        Respondent(
            llm,
            source,
            model_label(llm.name, source, settings.several, several_sources),
            model_label(llm.name, source, True, several_sources),
        )
        for llm in settings.llms
        for source in benchmark.sources
    ]


def check_askable(run_plan: RunPlan, benchmark: Benchmark, settings: RunSettings, calls: RunCalls) -> None:
    """See that models can be asked, before anything dear is begun and before one of them has cost money."""
    if not settings.llms:
        return
    benchmark, finished = for_language_models(benchmark), run_plan.finished_steps()
    for llm in settings.llms:
        if llm.name not in finished:
            asked = (match_questions(benchmark, source, settings.plan) for source in benchmark.sources)
            calls.check(llm, chain.from_iterable(asked))


def ask_llms(
    open_run: OpenRun, benchmark: Benchmark, settings: RunSettings, calls: RunCalls
) -> dict[str, dict[str, Any]]:
    """Let language models order the options of every item, one model after the other; skip finished ones."""
    if not settings.llms:
        return {}
    benchmark = for_language_models(benchmark)
    everyone = respondents(benchmark, settings)
    with calls.opened() as open_calls:
        for llm in settings.llms:
            if open_run.done(llm.name):
                continue
            rows = []
            for one in everyone:
                if one.llm is llm:
                    questions = match_questions(benchmark, one.source, settings.plan)
                    session = open_calls.ask(questions, llm, label=one.step)
                    names = {"model": one.label, "matcher": llm.name, "source": one.source}
                    rows.append(llm_rows(benchmark, questions.things, session.by_id, **names))
            open_run.write_frame(part_name(llm.name, "items"), pl.concat(rows))
            open_run.finish_step(llm.name)
        return {llm.name: open_calls.record(llm) for llm in settings.llms}


def ask_until_separated(
    open_run: OpenRun, benchmark: Benchmark, settings: RunSettings, calls: RunCalls
) -> dict[str, dict[str, Any]]:
    """Ask all models items of the declared level in random order until every two are told apart."""
    answered = [open_run.read_frame(part_name(name, "items")) for name in settings.models]
    others = [frame.filter(condition="summary") for frame in answered]
    benchmark = for_language_models(benchmark)
    level = declared(benchmark.sets["level"].unique(), for_llms=True)
    items = benchmark.sets.filter(level=level)["item"].to_list()
    order, size = asking_order(items, seed=benchmark.header.seed), 0
    looks, is_decided = LookPlan(len(order)), False
    everyone = respondents(benchmark, settings)
    answers: dict[str, dict[str, Answer[Ordering]]] = {one.label: {} for one in everyone}
    rows: dict[str, pl.DataFrame] = {}
    with calls.opened() as open_calls:
        while not is_decided and size < len(order):
            batch = order[size : looks.next_size(size)]
            size += len(batch)
            so_far = set(order[:size])
            part = replace(benchmark, sets=benchmark.sets.filter(pl.col("item").is_in(so_far)))
            for one in everyone:
                step = f"{one.step}, {size:,} items"
                asked = match_questions(benchmark, one.source, settings.plan, set(batch))
                answers[one.label] |= open_calls.ask(asked, one.llm, label=step).by_id
                whole = match_questions(benchmark, one.source, settings.plan, so_far).things
                names = {"model": one.label, "matcher": one.llm.name, "source": one.source}
                rows[one.label] = llm_rows(part, whole, answers[one.label], **names)
            table = pl.concat([*others, *rows.values()], how="diagonal")
            scores = ScoreTable.from_frame(compared_rows(table))
            # Where writers are compared, they are the models of the table, and all are awaited.
            is_decided = are_told_apart(scores, order[:size], looks, awaited=list(answers))
        for llm in settings.llms:
            of_model = [rows[one.label] for one in everyone if one.llm is llm]
            open_run.write_frame(part_name(llm.name, "items"), pl.concat(of_model))
            open_run.finish_step(llm.name)
        open_run.write_json(ORDER, Looks(max_items=len(order), order=tuple(order[:size])).model_dump())
        return {llm.name: open_calls.record(llm) for llm in settings.llms}


def _complete(
    open_run: OpenRun, benchmark: Benchmark, models: Sequence[str], primary: tuple[str, str] | None
) -> None:
    """Join the parts, and derive the score table."""
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
    rows = compared_rows(real)
    item_count = len(looks.order) if looks else benchmark.sets.height
    notes = ScoreNotes(by="difficulty", primary=primary, looks=looks, cautions=cautions(items))
    open_run.write_frame("scores.parquet", rows, ScoreTable.from_frame(rows, notes=notes).notes)
    open_run.record.counts = {"models": real["model"].n_unique(), "items": item_count}
