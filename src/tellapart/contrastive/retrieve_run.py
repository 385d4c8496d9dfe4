"""The shell of retrieval runs: queries are made or read, every index is searched, figures are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from tellapart.contrastive.benchmark import Benchmark, read_benchmark
from tellapart.contrastive.evidence_kinds import RETRIEVAL
from tellapart.contrastive.kept_benchmark import keep_benchmark, part_name
from tellapart.contrastive.models import Models, opened, require_models
from tellapart.contrastive.retrieval.evidence import (
    EVIDENCE_SCHEMA,
    check_searchable,
    item_id,
    ranked_rows,
)
from tellapart.contrastive.retrieval.figures import OFFLINE, cautions, report_retrieval
from tellapart.contrastive.retrieval.llm_queries import (
    QueryQuestions,
    example_characters,
    queries_from,
    queries_prompt,
)
from tellapart.contrastive.retrieval.offline_queries import offline_queries
from tellapart.contrastive.retrieval.queries import Queries, query_lines, read_queries, usable
from tellapart.core.addresses import without_password
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded, settings_record
from tellapart.files import sha256_of
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import OpenCalls, RunCalls, prompt_hashes, recorded_inputs
from tellapart.store import OpenRun, RunDirectory, RunPlan

QUERIES = "artifacts/queries.parquet"
"""Where a run keeps its queries, and why others are missing."""

_ASK = "queries"
"""The step that makes them."""


def _server(settings: RetrievalSettings) -> dict[str, str | None]:
    return {"server": without_password(settings.base_url) if settings.base_url else None}


def _queries(settings: RetrievalSettings) -> dict[str, Any]:
    source = settings.queries
    if isinstance(source, LanguageModel):
        return {"queries": source.requested(), **prompt_hashes({"prompt": queries_prompt()})}
    return {"queries": "jsonl" if source else OFFLINE}


@dataclass(frozen=True)
class RetrievalSettings:
    """How the writers of a benchmark are compared by retrieval.

    Attributes:
        models: Names of matchers, each once.
        queries: The language model that writes queries, a file of them, or None for ``offline_queries``.
        base_url: Where an OpenAI-compatible server of embeddings is.
        limits: What a language model may cost, and how many calls run at the same time.
        reuse: An earlier run, or its journal of calls, that is taken over.
    """

    models: Sequence[str]
    queries: Annotated[LanguageModel | Path | None, Recorded(_queries)] = None
    base_url: Annotated[str | None, Recorded(_server)] = None
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None

    @property
    def source(self) -> str:
        """Where the queries are from, as ``QueryCounts`` has it."""
        if isinstance(self.queries, LanguageModel):
            return self.queries.name
        return "jsonl" if self.queries else OFFLINE


def retrieval_request(benchmark: Benchmark, settings: RetrievalSettings, out: Path | None = None) -> RunPlan:
    """Plan a run."""
    inputs = {"benchmark": benchmark.header.fingerprint}
    llm = settings.queries if isinstance(settings.queries, LanguageModel) else None
    inputs |= recorded_inputs({f"recording of {llm.name}": llm} if llm else {}, settings.reuse)
    if isinstance(settings.queries, Path):
        inputs["queries"] = sha256_of(settings.queries)
    config = {"evidence": RETRIEVAL, **settings_record(settings)}
    return RunPlan("contrastive", config, inputs, seed=benchmark.header.seed, out=out)


def retrieve(
    bench: str | Path,
    settings: RetrievalSettings,
    *,
    out: str | Path | None = None,
    loaded: Models | None = None,
    progress: Progress = SILENT,
) -> RunDirectory:
    """Compare the writers of a benchmark by retrieval, or finish an interrupted run of the same.

    The run's scores have one row a writer, query and matcher: see ``EVIDENCE_SCHEMA``.
    """
    bench, out = Path(bench), None if out is None else Path(out)
    require_models(settings.models)
    benchmark = read_benchmark(bench)
    run_plan = retrieval_request(benchmark, settings, out)
    if (complete := run_plan.finished_run("searched", progress)) is not None:
        return complete
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse, progress=progress)
    if isinstance(settings.queries, LanguageModel) and _ASK not in run_plan.finished_steps():
        calls.check(settings.queries, QueryQuestions(benchmark))
    given = read_queries(settings.queries, benchmark) if isinstance(settings.queries, Path) else None
    with run_plan.writing() as open_run, opened(loaded, settings.base_url, progress) as models:
        keep_benchmark(bench, open_run)
        if not open_run.done(_ASK):
            if isinstance(settings.queries, LanguageModel):
                with calls.opened() as open_calls:
                    queries, asked_how = _written(benchmark, settings.queries, open_calls)
            else:
                prepared = offline_queries(benchmark) if given is None else usable(benchmark, given)
                queries, asked_how = prepared, {}
            check_searchable(benchmark, queries)
            open_run.write_frame(QUERIES, queries.frame())
            open_run.write_text("artifacts/queries.jsonl", query_lines(queries))
            open_run.finish_step(_ASK, repeated=queries.repeated, models=asked_how)
        step = open_run.steps[_ASK]
        queries = Queries.from_frame(open_run.read_frame(QUERIES), step["repeated"])
        rows = _search(open_run, benchmark, models, list(dict.fromkeys(settings.models)), queries, progress)
        open_run.record.models = step["models"] | {
            name: {"fingerprints": open_run.steps[name]["fingerprints"]} for name in settings.models
        }
        with progress.step("computing figures", None):
            _complete(open_run, benchmark, queries, settings.source, rows)
    return run_plan.open()


def estimate_query_cost(bench: Path, settings: RetrievalSettings, out: Path | None) -> dict[str, Estimate]:
    """Estimate what it takes to let a language model write the queries; by its name."""
    benchmark = read_benchmark(bench)
    run_plan = retrieval_request(benchmark, settings, out)
    run_plan.check_path()
    if not isinstance(settings.queries, LanguageModel):
        return {}
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse)
    questions = QueryQuestions(benchmark)
    estimate = calls.estimate(questions, settings.queries, reply_characters=example_characters())
    return {settings.queries.name: estimate}


def _written(
    benchmark: Benchmark, model: LanguageModel, calls: OpenCalls
) -> tuple[Queries, dict[str, dict[str, Any]]]:
    answers = calls.ask(QueryQuestions(benchmark), model)
    return queries_from(benchmark, answers.by_id), {model.name: calls.record(model)}


def _search(
    open_run: OpenRun,
    benchmark: Benchmark,
    models: Models,
    names: Sequence[str],
    queries: Queries,
    progress: Progress,
) -> pl.DataFrame:
    """Let every matcher search every index; what an earlier process finished is read back."""
    for name in names:
        if open_run.done(name):
            continue
        fingerprints: dict[str, str] = {}

        def fit(
            source: str, texts: Sequence[str], name: str = name, of: dict[str, str] = fingerprints
        ) -> Any:
            matcher = models.matcher_of(name, texts)
            of[source] = matcher.fingerprint
            return matcher

        parts = [
            ranked_rows(benchmark, source, name, partial(fit, source), queries, progress=progress)
            for source in benchmark.sources
        ]
        open_run.write_frame(part_name(name, "items"), pl.concat(parts))
        open_run.finish_step(name, fingerprints=fingerprints)
    parts = [open_run.read_frame(part_name(name, "items")) for name in names]
    return pl.concat([EVIDENCE_SCHEMA.to_frame(), *parts]).sort("model", "item")


def _complete(
    open_run: OpenRun, benchmark: Benchmark, queries: Queries, source: str, rows: pl.DataFrame
) -> None:
    """Derive the score table and the report's figures."""
    report = report_retrieval(benchmark, queries, source, rows)
    texts = {
        item_id(name, matcher): query.text
        for name, query in queries.by_id.items()
        for matcher in rows["matcher"].unique()
    }
    with_texts = rows.with_columns(
        pl.col("item").replace_strict(texts, return_dtype=pl.String).alias("question"),
        pl.col("target").alias("expected"),
        pl.format("the unit at rank {}", pl.col("expected_rank").round(1)).alias("response"),
    )
    open_run.write_frame("items.parquet", with_texts)
    notes = ScoreNotes(by="query_kind", cautions=cautions(report))
    strings = [name for name, kind in EVIDENCE_SCHEMA.items() if kind == pl.String or name == "score"]
    open_run.write_frame("scores.parquet", rows.select(strings), notes)
    open_run.write_json("artifacts/report.json", report.to_json())
    open_run.record.counts = {"models": rows["model"].n_unique(), "items": rows["item"].n_unique()}
