"""Retrieval: each writer's summaries are an index of their own, and queries search it.

A run of queries is a run of ``writers`` whose configuration says ``evidence: retrieval``. It holds the ranks
in ``items.parquet``, their reciprocals in ``scores.parquet``, and the queries in ``artifacts``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl

from tellapart.contrastive.kept_benchmark import keep_benchmark, part_name
from tellapart.contrastive.models import Models, require_models
from tellapart.contrastive.summaries import neutral_text
from tellapart.core.addresses import without_password
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded, settings_record
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import embed
from tellapart.errors import InputError
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls, prompt_hashes, recorded_inputs
from tellapart.store import OpenRun, RunDirectory, RunPlan
from tellapart.writers.measures import MEASURES, measures
from tellapart.writers.queries import EXAMPLE, offline_queries, queries_from, queries_prompt, query_questions
from tellapart.writers.weights import RETRIEVAL
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
        **dict.fromkeys(MEASURES, pl.Float64),
        **dict.fromkeys(("question", "expected", "response"), pl.String),
    }
)
"""One row a writer (``model``), query and matcher; ``item`` is the last two.

``score`` is the reciprocal rank, null just where ``missing`` gives a cause; ``cluster`` is the unit's path.
``rank`` is 1 + the summaries that score above every relevant one, with which others are tied.
"""

_SCORES = RANKS.names()[: RANKS.names().index("rank")]
"""Columns of the score table."""

QUERY_FILE = "artifacts/queries.parquet"
_ASK = "queries"
_ID, _PATH, _START, _END = map(attrgetter, ("id", "path", "start_line", "end_line"))


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
        limits: What a language model may cost, and how many calls run at the same time.
        reuse: An earlier run, or its journal of calls, whose answers are taken over.
    """

    models: Sequence[str]
    queries: Annotated[LanguageModel | None, Recorded(_queries)] = None
    base_url: Annotated[str | None, Recorded(_server)] = None
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None


def writer_ranks(
    written: Written,
    writer: str,
    matcher_name: str,
    fit: Callable[[Sequence[str]], Matcher],
    queries: pl.DataFrame,
) -> pl.DataFrame:
    """Rank the summaries of one writer for each query with one matcher; rows of ``RANKS``.

    Relevant are the unit of the query and those that nobody could tell from it by their documentation. Units
    that contain it or lie in it are not ranked, being neither right nor wrong.

    Args:
        written: The summaries.
        writer: Whose summaries are the index.
        matcher_name: As the rows name it.
        fit: Loads the matcher for the texts of an index; the lexical ones are fitted on them.
        queries: Rows of ``queries.QUERIES``.
    """
    index = [written.units[name] for name in sorted(written.texts[writer])]
    texts = [written.texts[writer][unit.id] for unit in index]
    entries = {unit.id for unit in index} if len(index) >= SMALLEST_INDEX else set()
    ids, paths, neutral, starts, ends = (
        np.array([value(unit) for unit in index], dtype=object)
        for value in (_ID, _PATH, neutral_text, _START, _END)
    )
    searched = queries.filter(pl.col("missing").is_null()).sort("unit", "kind")
    distinct = searched.filter(pl.col("unit").is_in(entries))["text"].unique(maintain_order=True).to_list()
    similarity = embed(fit(texts), distinct, texts).similarity if distinct else None
    rows = []
    for name, kind, text in searched.select("unit", "kind", "text").iter_rows():
        unit, figures = written.units[name], {}
        if similarity is not None and name in entries:
            query = np.full(len(texts), distinct.index(text))
            scores = similarity(query, np.arange(len(texts)))
            apart = (
                (paths == unit.path) & (ids != name) & (starts <= unit.end_line) & (unit.start_line <= ends)
            )
            ranked, right = scores[~apart], scores[(neutral == neutral_text(unit)) & ~apart][:, None]
            figures = measures((ranked > right).sum(axis=1), (ranked == right).sum(axis=1))
        rows.append(
            {
                "model": writer,
                "item": f"{kind}/{name} | {matcher_name}",
                "score": figures.get("RR"),
                "missing": None if figures else written.why_missing(writer, name),
                "cluster": unit.path,
                "target": name,
                "query_kind": kind,
                "matcher": matcher_name,
                "language": unit.language,
                "unit_type": unit.type,
                **figures,
                "question": text,
                "expected": name,
                "response": f"the unit at rank {figures['rank']}" if figures else None,
            }
        )
    return pl.DataFrame(rows, schema=RANKS)


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
    return RunPlan(
        "writers", config, {"benchmark": written.fingerprint, **recordings}, seed=written.seed, out=out
    )


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
    if settings.queries and _ASK not in run_plan.finished_steps():
        calls.check(settings.queries, query_questions(written))
    with run_plan.writing() as open_run, Models(settings.base_url, progress) as models:
        keep_benchmark(bench, open_run)
        if not open_run.done(_ASK):
            _make_queries(open_run, written, settings.queries, calls)
        queries = open_run.read_frame(QUERY_FILE)
        names = list(dict.fromkeys(settings.models))
        for name in names:
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
    """Let a matcher search every index, unless an earlier process has finished that."""
    if open_run.done(name):
        return
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


def estimate_query_cost(bench: Path, settings: RetrievalSettings, out: Path | None) -> dict[str, Estimate]:
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
