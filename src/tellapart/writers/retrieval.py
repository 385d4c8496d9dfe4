"""Retrieval: each writer's summaries are an index of their own, and queries search it.

A run of queries is a run of ``writers`` whose configuration says ``evidence: retrieval``. It holds the ranks
in ``items.parquet``, their reciprocals in ``scores.parquet``, and the queries in ``artifacts``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl

from tellapart.contrastive.kept_benchmark import keep_benchmark, part_name
from tellapart.contrastive.models import Models, require_models
from tellapart.contrastive.summaries import neutral_text
from tellapart.core.addresses import without_password
from tellapart.core.estimate import Estimate
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded, settings_record
from tellapart.core.stats import mean_once
from tellapart.embed.lineups import Lineups
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import embed
from tellapart.errors import InputError
from tellapart.extraction.unit import Unit
from tellapart.llm import costs
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls, prompt_hashes, recorded_inputs
from tellapart.store import OpenRun, RunDirectory, RunPlan
from tellapart.writers.evidence import Written, count_causes, matcher_units, mean_by_file, read_written
from tellapart.writers.queries import (
    EXAMPLE,
    KINDS,
    offline_queries,
    queries_from,
    queries_prompt,
    query_questions,
)
from tellapart.writers.weights import RETRIEVAL

OFFLINE = "offline"
"""The source of queries that no language model wrote."""

OF_THE_CODE = (
    "queries of the code's own words favour writers that repeat them; 'writers retrieve --queries "
    "llm:PROVIDER/MODEL' asks as people do"
)
SMALLEST_INDEX = 2
"""Summaries that an index needs, since among fewer nothing can be ranked."""

CUTS = (1, 3, 5, 10)
"""Ranks at which rankings are cut."""

MEASURES = ("RR", *(f"Success@{k}" for k in CUTS))
"""By the names of ir_measures, whose ``Success`` is also called hit rate."""

_TEXTS = ("missing", "cluster", "target", "query_kind", "matcher", "language", "unit_type")
RANKS = pl.Schema(
    {
        **dict.fromkeys(("model", "item"), pl.String),
        "score": pl.Float64,
        **dict.fromkeys(_TEXTS, pl.String),
        **dict.fromkeys(("rank", "ties"), pl.Int64),
        **dict.fromkeys(MEASURES, pl.Float64),
        **dict.fromkeys(("question", "expected", "response"), pl.String),
    }
)
"""One row a writer (``model``), query and matcher; ``item`` is the last two.

``score`` is the reciprocal rank, null just where ``missing`` gives a cause; ``cluster`` is the unit's path.
``rank`` is 1 + the summaries that score above the unit's own, with which ``ties`` others are tied.
"""

_FIGURES = pl.Schema(
    {
        **dict.fromkeys(("unit", "kind"), pl.String),
        **dict.fromkeys(("rank", "ties"), pl.Int64),
        **dict.fromkeys(MEASURES, pl.Float64),
    }
)
_SCORES = ("model", "item", "score", *_TEXTS)
"""Columns of the score table."""

QUERY_FILE = "artifacts/queries.parquet"
_ASK = "queries"


def _server(settings: RetrievalSettings) -> dict[str, str | None]:
    return {"server": without_password(settings.base_url) if settings.base_url else None}


def _queries(settings: RetrievalSettings) -> dict[str, Any]:
    if settings.queries is None:
        return {"queries": OFFLINE}
    return {"queries": settings.queries.requested(), **prompt_hashes({"prompt": queries_prompt()})}


@dataclass(frozen=True)
class RetrievalSettings:
    """How the writers of a benchmark are compared by retrieval.

    Attributes:
        models: Names of matchers.
        queries: The language model that writes queries; None for those from the code.
        base_url: Where an OpenAI-compatible server of embeddings is.
        reuse: An earlier run, or its journal of calls, whose answers are taken over.
    """

    models: Sequence[str]
    queries: Annotated[LanguageModel | None, Recorded(_queries)] = None
    base_url: Annotated[str | None, Recorded(_server)] = None
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None


class _Index:
    """The summaries of one writer, and which of them a search for a unit ranks."""

    def __init__(self, written: Written, writer: str) -> None:
        units = [written.units[name] for name in sorted(written.texts[writer])]
        self.texts = [written.texts[writer][unit.id] for unit in units]
        self.position = {unit.id: i for i, unit in enumerate(units)} if len(units) >= SMALLEST_INDEX else {}
        self._units = units
        self._in_file, self._alike = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
        for i, unit in enumerate(units):
            self._in_file[unit.path].append(i)
            self._alike[neutral_text(unit)].append(i)

    def options(self, unit: Unit) -> list[int]:
        """The unit, and every other one but its parts, what it is a part of, and those of its documentation.

        The others could be found in its place without a mistake.
        """
        own = self.position[unit.id]
        overlapping = {
            i
            for i in self._in_file[unit.path]
            if self._units[i].start_line <= unit.end_line and unit.start_line <= self._units[i].end_line
        }
        unranked = {own, *overlapping, *self._alike[neutral_text(unit)]}
        return [own, *(i for i in range(len(self._units)) if i not in unranked)]


def writer_ranks(
    written: Written,
    writer: str,
    matcher_name: str,
    fit: Callable[[Sequence[str]], Matcher],
    queries: pl.DataFrame,
) -> pl.DataFrame:
    """Rank the summaries of one writer for each query of ``queries.QUERIES``; rows of ``RANKS``.

    ``fit`` loads the matcher for the texts of an index; the lexical ones are fitted on them.
    """
    index = _Index(written, writer)
    searched = queries.filter(pl.col("missing").is_null()).sort("unit", "kind")
    feasible = searched.filter(pl.col("unit").is_in([*index.position]))
    figures = pl.DataFrame(schema=_FIGURES)
    if feasible.height:
        texts = feasible["text"].unique(maintain_order=True).to_list()
        number = {text: i for i, text in enumerate(texts)}
        options = [index.options(written.units[unit]) for unit in feasible["unit"]]
        lineups = Lineups(
            np.array([number[text] for text in feasible["text"]]),
            np.concatenate(options),
            np.cumsum([0, *map(len, options)]),
        )
        ranking = lineups.rank(embed(fit(index.texts), texts, index.texts).similarity)
        figures = feasible.select("unit", "kind").with_columns(
            rank=ranking.rank,
            ties=ranking.ties,
            RR=ranking.reciprocal_rank,
            **{f"Success@{k}": ranking.top(k) for k in CUTS},
        )
    rows = searched.join(figures, on=["unit", "kind"], how="left", maintain_order="left")
    units = [written.units[unit] for unit in rows["unit"]]
    causes = pl.Series([written.why_missing(writer, unit.id) for unit in units], dtype=pl.String)
    return rows.select(
        model=pl.lit(writer),
        item=pl.format("{}/{} | {}", "kind", "unit", pl.lit(matcher_name)),
        score="RR",
        missing=pl.when(pl.col("RR").is_null()).then(causes),
        cluster=pl.Series([unit.path for unit in units], dtype=pl.String),
        target="unit",
        query_kind="kind",
        matcher=pl.lit(matcher_name),
        language=pl.Series([unit.language for unit in units], dtype=pl.String),
        unit_type=pl.Series([unit.type for unit in units], dtype=pl.String),
        **{name: pl.col(name) for name in ("rank", "ties", *MEASURES)},
        question="text",
        expected="unit",
        response=pl.format("the unit at rank {}", "rank"),
    )


def _check_searchable(written: Written, queries: pl.DataFrame) -> None:
    if queries["missing"].null_count() == 0:
        raise InputError(
            "there is no query: none could be made, or all of them are the text of a summary",
            next_step="Let a language model write them, with --queries llm:PROVIDER/MODEL",
        )
    if max(map(len, written.texts.values()), default=0) < SMALLEST_INDEX:
        raise InputError(
            f"no writer has {SMALLEST_INDEX} summaries, and among fewer nothing can be ranked",
            next_step="Build the benchmark with more targets: 'tellapart contrastive build REPO --targets N'",
        )


def _plan(written: Written, settings: RetrievalSettings, out: Path | None) -> RunPlan:
    llm = settings.queries
    recordings = recorded_inputs({f"recording of {llm.name}": llm} if llm else {}, settings.reuse)
    config = {"evidence": RETRIEVAL, **settings_record(settings)}
    inputs = {"benchmark": written.fingerprint, **recordings}
    return RunPlan("writers", config, inputs, seed=written.seed, out=out)


def retrieve(
    bench: str | Path,
    settings: RetrievalSettings,
    *,
    out: str | Path | None = None,
    progress: Progress = SILENT,
) -> RunDirectory:
    """Compare the writers of a benchmark by retrieval, or finish an interrupted run of the same.

    Args:
        out: Run directory; by default ``runs/`` and a name that follows from the settings.

    Raises:
        InputError: There is no query, or no index to search.
        UsageError: A matcher is not known, or the language model cannot be asked.
    """
    bench, out = Path(bench), None if out is None else Path(out)
    require_models(settings.models)
    written = read_written(bench)
    run_plan = _plan(written, settings, out)
    if (complete := run_plan.finished_run("searched", progress)) is not None:
        return complete
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse, progress=progress)
    if settings.queries and _ASK not in run_plan.finished_steps():
        calls.check(settings.queries, query_questions(written))
    with run_plan.writing() as open_run, Models(settings.base_url, progress) as models:
        keep_benchmark(bench, open_run)
        if not open_run.done(_ASK):
            _make_queries(open_run, written, settings.queries, calls)
        queries = open_run.read_frame(QUERY_FILE)
        names = list(dict.fromkeys(settings.models))
        for name in names:
            if not open_run.done(name):
                _search(open_run, written, models, name, queries, progress)
        ranks = pl.concat(open_run.read_frame(part_name(name, "items")) for name in names)
        open_run.record.models = open_run.steps[_ASK]["models"] | {
            name: {"fingerprints": open_run.steps[name]["fingerprints"]} for name in names
        }
        ranks = ranks.sort("model", "item")
        notes = ScoreNotes(by="query_kind", cautions=_cautions(written, settings.queries))
        open_run.write_frame("items.parquet", ranks)
        open_run.write_frame("scores.parquet", ranks.select(_SCORES), notes)
        open_run.record.counts = {"models": ranks["model"].n_unique(), "items": ranks["item"].n_unique()}
    return run_plan.open()


def _make_queries(open_run: OpenRun, written: Written, llm: LanguageModel | None, calls: RunCalls) -> None:
    queries, records = offline_queries(written), {}
    if llm:
        with calls.opened() as open_calls:
            queries = queries_from(written, open_calls.ask(query_questions(written), llm).by_id)
            records[llm.name] = open_calls.record(llm)
    _check_searchable(written, queries)
    open_run.write_frame(QUERY_FILE, queries)
    open_run.finish_step(_ASK, models=records)


def _search(
    open_run: OpenRun,
    written: Written,
    models: Models,
    name: str,
    queries: pl.DataFrame,
    progress: Progress,
) -> None:
    """Let a matcher search every index."""
    fingerprints: dict[str, str] = {}
    parts = []
    with progress.step(f"{name} searches", len(written.texts), unit="writers") as step:
        for writer in written.texts:

            def fit(texts: Sequence[str], writer: str = writer) -> Matcher:
                matcher = models.matcher_of(name, texts)
                fingerprints[writer] = matcher.fingerprint
                return matcher

            parts.append(writer_ranks(written, writer, name, fit, queries))
            step.update(len(parts))
    open_run.write_frame(part_name(name, "items"), pl.concat(parts))
    open_run.finish_step(name, fingerprints=fingerprints)


def _cautions(written: Written, llm: LanguageModel | None) -> tuple[str, ...]:
    """Say what decides how much a verdict on these writers is worth, a sentence each."""
    sentences = [] if llm else [OF_THE_CODE]
    if llm and llm.name in written.texts:
        sentences.append(
            f"{llm.name} wrote both queries and summaries, and may find its own words more easily"
        )
    sizes = {writer: len(texts) for writer, texts in written.texts.items()}
    largest = max(sizes.values())
    sentences += [
        f"the index of {writer} holds {size:,} of {largest:,} summaries: among fewer a unit is found more "
        "easily"
        for writer, size in sizes.items()
        if size < largest
    ]
    return tuple(sentences)


def estimate_query_cost(
    bench: Path, settings: RetrievalSettings, out: Path | None
) -> dict[str, costs.Estimate]:
    """Estimate what it takes to let a language model write the queries; by its name."""
    written = read_written(bench)
    run_plan = _plan(written, settings, out)
    run_plan.check_path()
    if settings.queries is None:
        return {}
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse)
    reply = len(EXAMPLE.model_dump_json())
    estimate = calls.estimate(query_questions(written), settings.queries, reply_characters=reply)
    return {settings.queries.name: estimate}


@dataclass(frozen=True)
class WriterRanks:
    """One writer's summaries as an index, over some queries and matchers.

    Attributes:
        n: Pairs of query and matcher with a rank.
        missing_by_cause: Those without, because the writer has no summary of the unit.
        measures: By the names of ir_measures (``RR`` is MRR, ``Success`` hit rate), clustered by file.
        mrr_bounds: MRR if each query without a summary found nothing, and if it found its unit first.
    """

    n: int
    missing_by_cause: dict[str, int]
    measures: dict[str, Estimate]
    mrr_bounds: tuple[float, float] | None


@dataclass(frozen=True)
class QueryCounts:
    """Queries by kind, and units without one by kind and cause; ``source`` is who wrote them."""

    source: str
    by_kind: dict[str, int]
    missing: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Retrieval:
    """All that ranks come to, by writer; ``index`` counts the summaries of each."""

    queries: QueryCounts
    index: dict[str, int]
    overall: dict[str, WriterRanks]
    by_kind: dict[str, dict[str, WriterRanks]]
    by_matcher: dict[str, dict[str, WriterRanks]]


def retrieval(written: Written, source: str, queries: pl.DataFrame, ranks: pl.DataFrame) -> Retrieval:
    """Compute the figures of ranks."""
    rows = ranks.sort("model", "item")
    missing = {kind: queries.filter(kind=kind)["missing"] for kind in KINDS}
    used = {kind: causes.null_count() for kind, causes in missing.items()}
    return Retrieval(
        queries=QueryCounts(
            source, used, {kind: by for kind, causes in missing.items() if (by := count_causes(causes))}
        ),
        index={writer: len(texts) for writer, texts in written.texts.items()},
        overall=_by_writer(rows),
        by_kind={kind: _by_writer(rows.filter(query_kind=kind)) for kind in KINDS if used[kind]},
        by_matcher={name: _by_writer(rows.filter(matcher=name)) for name in rows["matcher"].unique().sort()},
    )


def retrieval_evidence(ranks: pl.DataFrame) -> pl.DataFrame:
    """Give one score for each writer and unit: the mean over its queries."""
    part = pl.col("item").str.strip_suffix(pl.format(" | {}", "matcher"))
    return matcher_units(
        ranks.select("matcher", "score", "missing", writer="model", unit="target", path="cluster", part=part)
    )


def _by_writer(ranks: pl.DataFrame) -> dict[str, WriterRanks]:
    return {str(name): _figures(rows) for (name,), rows in ranks.group_by("model", maintain_order=True)}


def _figures(rows: pl.DataFrame) -> WriterRanks:
    scored = rows.drop_nulls("score").rename({"cluster": "path"})
    low, high = (mean_once(rows["score"].fill_null(worst)) for worst in (0.0, 1.0))
    return WriterRanks(
        n=scored.height,
        missing_by_cause=count_causes(rows["missing"]),
        # A hit rate, which is 0 or 1 but for ties, has Wilson's interval; a mean of grades has Student's.
        measures={name: mean_by_file(scored, name, is_rate=name.startswith("Success")) for name in MEASURES},
        mrr_bounds=None if low is None or high is None else (low, high),
    )
