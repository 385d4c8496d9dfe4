"""Retrieval: each writer's summaries are an index of their own, and queries search it.

A run of queries is a run of ``writers`` whose configuration says ``evidence: retrieval``. It holds the ranks
in ``items.parquet``, their reciprocals in ``scores.parquet``, and the queries in ``artifacts``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl

from tellapart.contrastive.kept_benchmark import keep_benchmark, part_name
from tellapart.contrastive.models import Models, require_models
from tellapart.contrastive.summaries import neutral_text
from tellapart.core.addresses import without_password
from tellapart.core.arrays import F64
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded, settings_record
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import embed
from tellapart.errors import InputError
from tellapart.files import sha256_of
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls, prompt_hashes, recorded_inputs
from tellapart.store import OpenRun, RunDirectory, RunPlan
from tellapart.writers.evidence import Evidence, matcher_units
from tellapart.writers.measures import MEASURES, measures
from tellapart.writers.queries import (
    EXAMPLE,
    asked,
    offline_queries,
    queries_from,
    queries_prompt,
    query_questions,
    read_queries,
)
from tellapart.writers.retrieval_figures import ranks_by_writer
from tellapart.writers.sources import RETRIEVAL
from tellapart.writers.written import Written, read_written

OFFLINE = "offline"
"""The source of queries that no language model wrote."""

OF_THE_CODE = (
    "queries of the code's own words favour writers that repeat them; 'writers retrieve --queries "
    "llm:PROVIDER/MODEL' asks as people do"
)
SMALLEST_INDEX = 2
"""Summaries that an index needs, since among fewer nothing can be ranked."""

RANKS = pl.Schema(
    {
        **dict.fromkeys(("model", "item"), pl.String),
        "score": pl.Float64,
        **dict.fromkeys(
            ("missing", "cluster", "target", "query_kind", "matcher", "language", "unit_type"), pl.String
        ),
        **dict.fromkeys(("rank", "ties"), pl.Int64),
        **dict.fromkeys(("expected_rank", *MEASURES, "least_RR"), pl.Float64),
    }
)
"""One row a writer (``model``), query and matcher; ``item`` is the last two.

``score`` is the reciprocal rank, null just where ``missing`` gives a cause; ``cluster`` is the unit's path.
``rank`` is 1 + the summaries that score above every relevant one; ``least_RR`` is what the reciprocal rank
would be if all summaries that this writer lacks, and another has, came before.
"""

QUERY_FILE = "artifacts/queries.parquet"
_ASK = "queries"
_PAIRS_AT_ONCE = 1 << 21

Fit = Callable[[Sequence[str]], Matcher]
"""Loads a matcher; the lexical ones are fitted on the texts, those of an index."""


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
        queries: The language model that writes queries, a file of them, or None for those from the code.
        base_url: Where an OpenAI-compatible server of embeddings is.
        limits: What a language model may cost, and how many calls run at the same time.
        reuse: An earlier run, or its journal of calls, whose answers are taken over.
    """

    models: Sequence[str]
    queries: Annotated[LanguageModel | Path | None, Recorded(_queries)] = None
    base_url: Annotated[str | None, Recorded(_server)] = None
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None


@dataclass(frozen=True)
class _Index:
    """One writer's summaries.

    Attributes:
        units: Ids of the units with a summary, ascending.
        lacking: Number of units that another writer has summarized and this one has not.
    """

    written: Written
    units: tuple[str, ...]
    texts: tuple[str, ...]
    lacking: int

    @classmethod
    def of(cls, written: Written, writer: str) -> _Index:
        texts = dict(sorted(written.texts[writer].items()))
        everybody = {unit for others in written.texts.values() for unit in others}
        return cls(written, tuple(texts), tuple(texts.values()), len(everybody - texts.keys()))

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        """Rows by the text that stands for their unit, and by its path."""
        rows: dict[str, list[int]] = defaultdict(list)
        for row, name in enumerate(self.units):
            unit = self.written.units[name]
            rows[f"text {neutral_text(unit)}"].append(row)
            rows[f"path {unit.path}"].append(row)
        return rows

    def overlapping(self, name: str) -> list[int]:
        """Rows of the units that contain one or lie in it, itself left out."""
        inner = self.written.units[name]
        others = ((row, self.written.units[self.units[row]]) for row in self._rows[f"path {inner.path}"])
        return [
            row
            for row, other in others
            if other.id != name and other.start_line <= inner.end_line and inner.start_line <= other.end_line
        ]

    def figures(self, name: str, scores: F64) -> dict[str, float]:
        """Measure one ranking of all entries for a query about a unit.

        Relevant are the unit and those that nobody could tell from it by their documentation. Units that
        contain it or lie in it are not ranked, being neither right nor wrong.
        """
        apart = self.overlapping(name)
        alike = self._rows[f"text {neutral_text(self.written.units[name])}"]
        ranked = np.delete(scores, apart)
        right = scores[[row for row in alike if row not in apart]][:, None]
        return measures((ranked > right).sum(axis=1), (ranked == right).sum(axis=1), self.lacking)


def writer_ranks(
    written: Written,
    writer: str,
    matcher_name: str,
    fit: Fit,
    queries: pl.DataFrame,
    progress: Progress = SILENT,
) -> pl.DataFrame:
    """Rank the summaries of one writer for each query with one matcher; rows of ``RANKS``."""
    index = _Index.of(written, writer)
    typed = list(asked(queries).select("query", "unit", "kind", "text").iter_rows())
    entries = set(index.units) if len(index.units) >= SMALLEST_INDEX else set()
    searched = [(name, unit, text) for name, unit, _, text in typed if unit in entries]
    ranked: dict[str, dict[str, float]] = {}
    if searched:
        label = f"{matcher_name} searches the summaries by {writer}"
        with progress.step(label, len(searched), unit="queries") as step:
            texts = list(dict.fromkeys(text for _, _, text in searched))
            similarity = embed(fit(index.texts), texts, index.texts).similarity
            number = {text: i for i, text in enumerate(texts)}
            n = len(index.texts)
            at_once = max(1, _PAIRS_AT_ONCE // n)
            for start in range(0, len(searched), at_once):
                block = searched[start : start + at_once]
                rows = np.array([number[text] for _, _, text in block], dtype=np.int64)
                scores = similarity(np.repeat(rows, n), np.tile(np.arange(n), len(rows))).reshape(-1, n)
                for (name, unit, _), row in zip(block, scores, strict=True):
                    ranked[name] = index.figures(unit, row)
                step.update(len(ranked))
    laid_out = []
    for name, target, kind, _ in typed:
        unit, figures = written.units[target], ranked.get(name, {})
        laid_out.append(
            {
                "model": writer,
                "item": f"{name} | {matcher_name}",
                "score": figures.get("RR"),
                "missing": None if figures else written.why_missing(writer, target),
                "cluster": unit.path,
                "target": target,
                "query_kind": kind,
                "matcher": matcher_name,
                "language": unit.language,
                "unit_type": unit.type,
                **figures,
            }
        )
    return pl.DataFrame(laid_out, schema=RANKS)


def check_searchable(written: Written, queries: pl.DataFrame) -> None:
    """See that there is something to ask, and something to search."""
    if asked(queries).is_empty():
        raise InputError(
            "there is no query: none could be made, or all of them are the text of a summary",
            next_step="Let a language model write them, with --queries llm:PROVIDER/MODEL, or give your own, "
            "with --queries jsonl:FILE",
        )
    if max(map(len, written.texts.values()), default=0) < SMALLEST_INDEX:
        raise InputError(
            f"no writer has {SMALLEST_INDEX} summaries, and among fewer nothing can be ranked",
            next_step="Build the benchmark with more targets: 'tellapart contrastive build REPO --targets N'",
        )


def _plan(written: Written, settings: RetrievalSettings, out: Path | None) -> RunPlan:
    inputs = {"benchmark": written.fingerprint}
    llm = settings.queries if isinstance(settings.queries, LanguageModel) else None
    inputs |= recorded_inputs({f"recording of {llm.name}": llm} if llm else {}, settings.reuse)
    if isinstance(settings.queries, Path):
        inputs["queries"] = sha256_of(settings.queries)
    config = {"evidence": RETRIEVAL, **settings_record(settings)}
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
        bench: Directory of the benchmark.
        settings: What searches, and with which queries.
        out: Run directory; by default ``runs/`` and a name that follows from the settings.
        progress: Is told what is done.

    Returns:
        The run, complete.

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
    if isinstance(settings.queries, LanguageModel) and _ASK not in run_plan.finished_steps():
        calls.check(settings.queries, query_questions(written))
    given = read_queries(settings.queries, written) if isinstance(settings.queries, Path) else None
    with run_plan.writing() as open_run, Models(settings.base_url, progress) as models:
        keep_benchmark(bench, open_run)
        if not open_run.done(_ASK):
            records = {}
            if isinstance(settings.queries, LanguageModel):
                with calls.opened() as open_calls:
                    answers = open_calls.ask(query_questions(written), settings.queries)
                    queries = queries_from(written, answers.by_id)
                    records[settings.queries.name] = open_calls.record(settings.queries)
            else:
                queries = offline_queries(written) if given is None else given
            check_searchable(written, queries)
            open_run.write_frame(QUERY_FILE, queries)
            lines = asked(queries).select("unit", "kind", query="text").write_ndjson()
            open_run.write_text("artifacts/queries.jsonl", lines)
            open_run.finish_step(_ASK, models=records)
        queries = open_run.read_frame(QUERY_FILE)
        names = list(dict.fromkeys(settings.models))
        for name in names:
            _search(open_run, written, models, name, queries, progress)
        ranks = pl.concat(open_run.read_frame(part_name(name, "items")) for name in names)
        open_run.record.models = open_run.steps[_ASK]["models"] | {
            name: {"fingerprints": open_run.steps[name]["fingerprints"]} for name in names
        }
        _write_results(open_run, written, queries, ranks.sort("model", "item"))
    return run_plan.open()


def _search(
    open_run: OpenRun,
    written: Written,
    models: Models,
    name: str,
    queries: pl.DataFrame,
    progress: Progress,
) -> None:
    """Let a matcher search every index, unless an earlier process has finished that."""
    if open_run.done(name):
        return
    fingerprints: dict[str, str] = {}

    def fit(writer: str, texts: Sequence[str]) -> Matcher:
        matcher = models.matcher_of(name, texts)
        fingerprints[writer] = matcher.fingerprint
        return matcher

    parts = [
        writer_ranks(written, writer, name, partial(fit, writer), queries, progress)
        for writer in written.writers
    ]
    open_run.write_frame(part_name(name, "items"), pl.concat(parts))
    open_run.finish_step(name, fingerprints=fingerprints)


def _write_results(open_run: OpenRun, written: Written, queries: pl.DataFrame, ranks: pl.DataFrame) -> None:
    texts = asked(queries).select("text", query="query")
    with_texts = ranks.with_columns(
        query=pl.col("item").str.strip_suffix(pl.format(" | {}", "matcher"))
    ).join(texts, on="query", how="left", maintain_order="left")
    items = with_texts.select(
        *RANKS,
        question="text",
        expected="target",
        response=pl.format("the unit at rank {}", pl.col("expected_rank").round(1)),
    )
    open_run.write_frame("items.parquet", items)
    source = open_run.record.config["queries"]
    name = source if isinstance(source, str) else source["model"]
    notes = ScoreNotes(by="query_kind", cautions=_cautions(written, name, ranks))
    columns = [column for column, kind in RANKS.items() if kind == pl.String or column == "score"]
    open_run.write_frame("scores.parquet", ranks.select(columns), notes)
    open_run.record.counts = {"models": ranks["model"].n_unique(), "items": ranks["item"].n_unique()}


def _cautions(written: Written, source: str, ranks: pl.DataFrame) -> tuple[str, ...]:
    """Say what decides how much a verdict on these writers is worth, a sentence each."""
    sentences = [OF_THE_CODE] if source == OFFLINE else []
    if source in written.writers:
        sentences.append(f"{source} wrote both queries and summaries, and may find its own words more easily")
    index = {writer: len(texts) for writer, texts in written.texts.items()}
    largest = max(index.values())
    for writer, figures in ranks_by_writer(ranks).items():
        if index[writer] < largest and figures.mrr_bounds:
            low, high = figures.mrr_bounds
            sentences.append(
                f"the index of {writer} holds {index[writer]:,} "
                f"{'summary' if index[writer] == 1 else 'summaries'}, the largest {largest:,}: among fewer a "
                f"unit is found more easily; with the missing ones its MRR lies between {low:.3f} and "
                f"{high:.3f}"
            )
    return tuple(sentences)


def estimate_query_cost(bench: Path, settings: RetrievalSettings, out: Path | None) -> dict[str, Estimate]:
    """Estimate what it takes to let a language model write the queries; by its name."""
    written = read_written(bench)
    run_plan = _plan(written, settings, out)
    run_plan.check_path()
    if not isinstance(settings.queries, LanguageModel):
        return {}
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse)
    reply = len(EXAMPLE.model_dump_json())
    estimate = calls.estimate(query_questions(written), settings.queries, reply_characters=reply)
    return {settings.queries.name: estimate}


def retrieval_evidence(ranks: pl.DataFrame, cautions: Sequence[str], made_by: str) -> Evidence:
    """Give one score for each writer and unit: the mean over its queries."""
    rows = ranks.select(
        "matcher", "score", "missing", writer="model", unit="target", path="cluster", part="item"
    ).with_columns(pl.col("part").str.strip_suffix(pl.format(" | {}", "matcher")))
    return Evidence(matcher_units(rows), made_by, tuple(cautions))
