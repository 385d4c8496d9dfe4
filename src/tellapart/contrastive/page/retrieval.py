"""A retrieval run as a report: terminal, JSON, and a document for Markdown and a page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.contrastive.page.view import short_names
from tellapart.contrastive.retrieval.measures import CUTS
from tellapart.contrastive.retrieval.queries import KINDS
from tellapart.contrastive.retrieval.results import RetrievalFigures, RetrievalReport
from tellapart.core.comparison import Comparison, ComparisonSettings, to_json
from tellapart.core.estimate import Estimate
from tellapart.report import comparison as block
from tellapart.report import model_parameters
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Chart, Point, curves
from tellapart.report.document import Document, Links, Section
from tellapart.report.palette import looks
from tellapart.report.tables import Cell, Table, figure, table, undefined
from tellapart.report.terminal import fitted_table, rich_list
from tellapart.store import RunDirectory, load_record

NO_RANKS = "no query has a rank"
REPLIES = "Every message and reply is in calls.jsonl of the run directory."

Groups = Mapping[str, Mapping[str, RetrievalFigures]]


@dataclass(frozen=True)
class RetrievalView:
    """A retrieval run to be reported."""

    run: RunDirectory
    report: RetrievalReport
    settings: ComparisonSettings

    @property
    def writers(self) -> tuple[str, ...]:
        """Who wrote summaries, in ascending order."""
        return tuple(self.report.overall)

    @property
    def language_models(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Who wrote the queries, where a language model did."""
        models = self.run.record.models
        return [(name, "queries", model) for name, model in models.items() if "requested" in model]

    @cached_property
    def comparison(self) -> Comparison | None:
        """What the scores say of the writers; None where fewer than two have a score."""
        return self.run.comparison(self.settings)


def load_retrieval(run: RunDirectory, settings: ComparisonSettings) -> RetrievalView:
    """Read the record of a retrieval run."""
    report = load_record(run.artifacts / "report.json", RetrievalReport, "part of a run")
    return RetrievalView(run, report, settings)


def retrieval_json(view: RetrievalView) -> dict[str, Any]:
    """Give all figures for scripts: those stored, and the comparison of the writers."""
    figures = view.report.to_json()
    return figures if view.comparison is None else {**figures, "comparison": to_json(view.comparison)}


def retrieval_terminal(view: RetrievalView) -> list[RenderableType]:
    """Show the verdict with its pairs, then ranks and kinds of query."""
    comparison = view.comparison
    verdict: list[RenderableType] = [Text(headline(view), style="bold")]
    if comparison is not None:
        verdict = block.terminal(comparison, strata=False, what="writers")
    shown = [overall(view), by_kind(view), *_matchers(view)]
    return [
        *verdict,
        rich_list(sentences(view)),
        *map(fitted_table, shown),
        Text(f"\nbenchmark {view.report.fingerprint}", style="dim"),
    ]


def retrieval_document(view: RetrievalView, links: Links = ()) -> Document:
    """Arrange a run: the verdict, ranks, kinds of query, matchers, and what was asked."""
    comparison = view.comparison
    sections = [
        *(
            [block.section(comparison, order=tuple(KINDS), title="Which writers differ", what="writers")]
            if comparison
            else []
        ),
        Section(
            "retrieval",
            "Retrieval",
            "The summaries of each writer are an index of their own, and every query searches it. A query "
            "finds its unit at some rank; tied summaries stand in every order that their ties allow.",
            charts=(chart_by_kind(view),),
            tables=(overall(view),),
        ),
        Section("kinds", "Kinds of query", tables=(by_kind(view), query_kinds(view))),
        *([Section("matchers", "Matchers", tables=tuple(_matchers(view)))] if _matchers(view) else []),
        *([model_parameters.section(view.language_models, REPLIES)] if view.language_models else []),
    ]
    counts = view.report.queries
    return Document(
        "contrastive: find code by what summaries say",
        headline(view),
        tuple(sentences(view)),
        {
            "Benchmark": view.report.fingerprint,
            "Writers": show.listed(view.writers),
            "Queries": f"{show.count(sum(counts.by_kind.values()))} from {counts.source}",
            "Matchers": show.listed(list(view.report.by_matcher)),
        },
        tuple(sections),
        {
            "tellapart": view.run.record.tellapart_version,
            "Benchmark": view.report.fingerprint,
            "Seed": str(view.run.record.seed),
        },
        _commands(view),
        links,
    )


def headline(view: RetrievalView) -> str:
    """Give the verdict on the writers in one sentence."""
    if view.comparison:
        return block.headline(view.comparison)
    return block.nothing_to_compare(view.run.scores().scored_models, "writer")


def sentences(view: RetrievalView) -> list[str]:
    """Say what to know before a verdict is believed."""
    counts, lines = view.report.queries, []
    if counts.missing:
        by_kind = [
            f"{_kind(kind)} {show.count(sum(causes.values()))} ({', '.join(causes)})"
            for kind, causes in counts.missing.items()
        ]
        lines.append(f"Units without a query, asked of nobody: {'; '.join(by_kind)}.")
    if counts.repeated:
        lines.append(
            f"Left out for all writers: {_count(counts.repeated)} with the text of a writer's summary."
        )
    if counts.names_leaked:
        lines.append(
            f"Names leaked: {_count(counts.names_leaked)} of {show.count(sum(counts.by_kind.values()))} "
            "with the name of their unit."
        )
    lacking = [
        f"{writer} {show.count(figures.missing)} "
        f"({', '.join(f'{show.count(n)} {cause}' for cause, n in figures.missing_by_cause.items())})"
        for writer, figures in view.report.overall.items()
        if figures.missing
    ]
    if lacking:
        lines.append(f"Ranks missing, since there is no summary of the unit: {'; '.join(lacking)}.")
    return lines


def overall(view: RetrievalView) -> Table:
    """Ranks of each writer over all queries and matchers."""
    rows: list[list[Cell | str]] = [
        [
            writer,
            _mrr(figures),
            *(_rate(figures.measures[f"Success@{k}"]) for k in CUTS),
            _decimal(figures.measures["nDCG@10"]),
            figure(figures.mean_rank, lambda rank: show.decimal(rank, 1), NO_RANKS),
            show.count(view.report.index[writer]),
            show.count(figures.n),
        ]
        for writer, figures in view.report.overall.items()
    ]
    return table(
        "ranks",
        "Ranks of the unit that a query is about",
        ["Writer", "MRR", *(f"In first {k}, %" for k in CUTS), "nDCG@10", "Mean rank", "Index", "n"],
        rows,
        note="95 % intervals, clustered by file. Index: summaries that are searched. n: queries, each with "
        "each matcher."
        + (_BOUNDS if any(lacking.missing for lacking in view.report.overall.values()) else ""),
    )


_BOUNDS = (
    " Bounds, where summaries are missing: MRR if they were found last and before all others, and if they "
    "were found first."
)


def by_kind(view: RetrievalView) -> Table:
    """MRR of each writer by kind of query."""
    names = short_names(view.writers)
    rows: list[list[Cell | str]] = [
        [
            show.capital(_kind(kind)),
            *(_mrr(figures[writer]) for writer in view.writers),
            show.count(view.report.queries.by_kind[kind]),
        ]
        for kind, figures in view.report.by_kind.items()
    ]
    headings = ["Kind of query", *(names[writer] for writer in view.writers), "Queries"]
    return table("by-kind", "MRR by kind of query", headings, rows)


def _matchers(view: RetrievalView) -> list[Table]:
    if len(view.report.by_matcher) < 2:
        return []
    names = short_names(view.writers)
    rows: list[list[Cell | str]] = [
        [matcher, *(_mrr(figures[writer]) for writer in view.writers)]
        for matcher, figures in view.report.by_matcher.items()
    ]
    headings = ["Matcher", *(names[writer] for writer in view.writers)]
    return [table("by-matcher", "MRR by matcher", headings, rows)]


def query_kinds(view: RetrievalView) -> Table:
    """What each kind of query asks, how many there are, and how many units have none."""
    counts = view.report.queries
    rows: list[list[Cell | str]] = [
        [
            show.capital(_kind(kind)),
            what,
            show.count(counts.by_kind[kind]),
            show.count(sum(counts.missing.get(kind, {}).values())),
        ]
        for kind, what in KINDS.items()
    ]
    headings = ["Kind of query", "What is typed", "Queries", "Units without"]
    return table("asked", "What was asked", headings, rows, words=2)


def chart_by_kind(view: RetrievalView) -> Chart:
    """MRR of each writer by kind of query, with intervals."""
    kinds = list(view.report.by_kind)
    points = [
        Point(index, estimate.value, writer, *(estimate.interval or (estimate.value, estimate.value)))
        for writer in view.writers
        for index, kind in enumerate(kinds)
        if (estimate := view.report.by_kind[kind][writer].measures["RR"]).value is not None
    ]
    axis = Axis("Kind of query", names=list(map(_kind, kinds)))
    scale = Axis("MRR", (0, 1), 6)
    return Chart(
        "by-kind",
        _best(view),
        f"Mean reciprocal rank of {show.listed(view.writers)} by kind of query, with 95 % intervals.",
        lambda width: curves(
            points, width, axis, scale, looks=looks(view.writers), key=short_names(view.writers), height=300
        ),
    )


def _best(view: RetrievalView) -> str:
    """Say who is found best, by kind."""
    first: dict[str, list[str]] = {}
    for kind, figures in view.report.by_kind.items():
        values = {writer: result.measures["RR"].value or 0.0 for writer, result in figures.items()}
        first.setdefault(max(values, key=lambda writer: values[writer]), []).append(_kind(kind))
    if len(first) == 1:
        return f"{next(iter(first))} has the highest MRR in every kind of query"
    parts = [f"{writer} in {show.listed(kinds)}" for writer, kinds in first.items()]
    return f"The highest MRR: {'; '.join(parts)}"


def _commands(view: RetrievalView) -> tuple[str, ...]:
    config = view.run.record.config
    retrieve = ["retrieve", "BENCH", "--out", "RUN"]
    retrieve += [word for name in config["models"] for word in ("--model", name)]
    queries = config["queries"]
    if queries == "jsonl":
        retrieve += ["--queries", "jsonl:FILE"]
    elif not isinstance(queries, str):
        retrieve += ["--queries", f"llm:{queries['model']}"]
    report = ["report", "RUN", "--html", "report.html", "--markdown", "report.md"]
    return tuple(f"tellapart contrastive {shlex.join(words)}" for words in (retrieve, report))


def _mrr(figures: RetrievalFigures) -> Cell:
    bounds = ""
    if figures.missing and figures.mrr_bounds:
        bounds = f"bounds {_span(figures.mrr_bounds)}"
    cell = _decimal(figures.measures["RR"])
    return Cell(cell.text, "; ".join(filter(None, [cell.detail, bounds])), reason=cell.reason)


def _decimal(estimate: Estimate) -> Cell:
    if estimate.value is None:
        return undefined(NO_RANKS)
    detail = _span(estimate.interval) if estimate.interval else "no interval"
    return Cell(show.decimal(estimate.value), detail)


def _rate(estimate: Estimate) -> Cell:
    if estimate.value is None:
        return undefined(NO_RANKS)
    detail = show.rate_range(estimate.interval) if estimate.interval else "no interval"
    return Cell(show.rate(estimate.value), detail)


def _span(ends: Sequence[float]) -> str:
    return f"{show.decimal(ends[0])}–{show.decimal(ends[1])}"


def _count(queries: int) -> str:
    return f"{show.count(queries)} {'query' if queries == 1 else 'queries'}"


def _kind(kind: str) -> str:
    return kind.replace("_", " ").replace("doc api", "doc API")
