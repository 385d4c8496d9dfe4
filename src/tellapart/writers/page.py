"""The ranking of writers: its figures, and the report of writers, their pairs, queries and judges."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import TypeAdapter

from tellapart.core.comparison import Comparison
from tellapart.core.comparison.pairs import pair_frame
from tellapart.core.estimate import Estimate
from tellapart.report import comparison as block
from tellapart.report import model_parameters
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, present
from tellapart.report.figures import cell, interval_cell, labels
from tellapart.report.missing_reasons import by_cause
from tellapart.report.result import Result
from tellapart.report.screen import differences
from tellapart.report.tables import Cell, table
from tellapart.writers.queries import QUERY_KINDS
from tellapart.writers.retrieval import QueryCounts
from tellapart.writers.verdicts import CRITERIA, PAIRWISE, POINTWISE, JudgeUse
from tellapart.writers.weights import SOURCES, WEIGHTS, NearestChange, Weights, write_weights

_Rows = list[list[Cell | str]]


@dataclass(frozen=True)
class WriterResult:
    """One writer of summaries; ``n`` of the first four counts units.

    Attributes:
        contrastive: Mean share of items whose target was picked, over matchers; in [0, 1].
        retrieval: Mean reciprocal rank.
        judge: Mean score by judges, in [0, 1].
        combined: Weighted mean of the three over the units that have all evidence that counts.
        missing: Units without a combined score, by cause.
        cost: Of one summary, in dollars; counted, so without an interval. ``cost_total`` is of all.
    """

    name: str
    contrastive: Estimate
    retrieval: Estimate
    judge: Estimate
    combined: Estimate
    missing: dict[str, int]
    cost: Estimate
    cost_total: float | None


@dataclass(frozen=True)
class RankingFigures:
    """Everything about some writers, as ``writers rank --json`` prints it.

    Attributes:
        writers: The best first by their combined score, ties by name; those without one come last.
        comparison: By the combined scores, with each source alone as detail; None with fewer than two.
        made_by: By source of evidence, what measured it, such as ``bm25 and tfidf``.
        nearest_change: None with fewer than two, and where no weights put another one first.
        units: Targets that the combined score is over.
        strengths: Bradley and Terry's by writer, of pairs of summaries; empty without pairs.
    """

    writers: tuple[WriterResult, ...]
    comparison: Comparison | None
    made_by: dict[str, str]
    weights: Weights
    nearest_change: NearestChange | None
    fingerprint: str
    units: int
    queries: QueryCounts | None
    judges: tuple[JudgeUse, ...]
    strengths: dict[str, Estimate]

    @property
    def scored(self) -> list[str]:
        """Writers with a combined score, the best first."""
        return [writer.name for writer in self.writers if writer.combined.value is not None]


@dataclass(frozen=True)
class Ranking(Result):
    """Writers of summaries, ranked.

    ``print`` gives the order and the pairs, a notebook shows the page, and ``pairs`` is a frame.

    Attributes:
        figures: Everything, as ``writers rank --json`` prints it.
        cautions: Of all evidence, each once.
        runs: Where the evidence lies.
        models: Judges and writers of queries: name, task, and how each was asked.
        version: Of the program that wrote the first run.
    """

    figures: RankingFigures
    cautions: tuple[str, ...]
    runs: tuple[Path, ...]
    models: tuple[tuple[str, str, dict[str, Any]], ...]
    version: str

    notes = ()

    @property
    def pairs(self) -> pl.DataFrame:
        """The pairs of writers by their combined scores, one row each."""
        comparison = self.figures.comparison
        return pair_frame(comparison.primary.pairs if comparison else ())

    @property
    def writers(self) -> pl.DataFrame:
        """One row a writer, the best first: ``writer`` and the value of each estimate."""
        names = ("combined", "contrastive", "retrieval", "judge", "cost")
        rows = [(one.name, *(getattr(one, name).value for name in names)) for one in self.figures.writers]
        schema = {"writer": pl.String, **dict.fromkeys(names, pl.Float64)}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Give everything as the command prints it with ``--json``."""
        figures: dict[str, Any] = TypeAdapter(RankingFigures).dump_python(self.figures, mode="json")
        return figures

    def document(self) -> Document:
        """Arrange the page."""
        figures, comparison = self.figures, self.figures.comparison
        title, *others = (
            block.headline_sentences(comparison)
            if comparison
            else [block.nothing_to_compare(figures.scored, "writer")]
        )
        replies = "Every message and reply is in run.db of the run directory."
        return Document(
            "writers: which model writes the best summaries",
            title,
            (*(f"{text}." for text in others), *_sentences(self)),
            {
                "Benchmark": figures.fingerprint,
                "Writers": show.listed([writer.name for writer in figures.writers]),
                "Units": show.count(figures.units),
            },
            present(
                _writers(figures),
                block.section(
                    comparison, name="pairs", order=SOURCES, title="Which writers differ", what="writers"
                )
                if comparison
                else None,
                _queries(figures.queries) if figures.queries else None,
                _judges(figures) if figures.judges else None,
                model_parameters.section(list(self.models), replies) if self.models else None,
            ),
            {
                "tellapart": self.version,
                "Benchmark": figures.fingerprint,
                **{f"{show.capital(source)} by": by for source, by in figures.made_by.items()},
            },
            (_command(self),),
            differences=differences(comparison),
        )


def _sentences(ranking: Ranking) -> list[str]:
    """Say what the combined score is made of, and what else to know before the order is believed."""
    figures, weights = ranking.figures, ranking.figures.weights
    parts = [
        f"{source} {show.whole_percent(weight)} ({figures.made_by[source]})"
        for source, weight in weights.effective.items()
    ]
    made_of = f"The combined score is {show.listed(parts)}, over {show.plural(figures.units, 'unit')}."
    if absent := [source for source in weights.absent if weights.asked[source] > 0]:
        verb = "is" if len(absent) == 1 else "are"
        made_of += f" {show.capital(show.listed(absent))} {verb} not there: the other weights are scaled up."
    names = {writer.name for writer in figures.writers}
    not_asked = [
        f"{use.judge} was not asked about {show.listed(sorted(others))}: of its family, or nothing to judge."
        for use in figures.judges
        if (others := names - {*use.writers})
    ]
    # The first caution stands in the headline, where there is one.
    cautions = ranking.cautions[1 if figures.comparison else 0 :]
    lines = [made_of, *not_asked, *(f"Beware: {block.sentence(text)}." for text in cautions)]
    if lacking := [f"{one.name} {by_cause(one.missing)}" for one in figures.writers if one.missing]:
        lines.append(f"Units without a combined score: {'; '.join(lacking)}.")
    return lines


def _writers(figures: RankingFigures) -> Section:
    """Every writer with each estimate, the best first, and how far the order depends on the weights."""
    names = ("combined", *SOURCES)
    in_pairs = ["strength"] if figures.strengths else []
    rows: _Rows = [
        [
            writer.name,
            *(_cell(name, getattr(writer, name)) for name in names),
            *(_cell(name, figures.strengths.get(writer.name)) for name in in_pairs),
            cell(
                "cost",
                None if writer.cost.value is None else 1000 * writer.cost.value,
                f"{show.significant(writer.cost_total or 0.0)} in all",
                reason=writer.cost.reason or "",
            ),
        ]
        for writer in figures.writers
    ]
    shown = table(
        "writers",
        "Writers of summaries, best first, % (95 % interval)",
        ["Writer", *labels(names), *labels(in_pairs), "Cost of 1,000, US $"],
        rows,
        note="Means over units, clustered by file. Retrieval is the mean reciprocal rank, contrastive "
        "the share of items answered right, judge the mean score by judges."
        + (" Strength in pairs is Bradley and Terry's, a logarithm with mean 0." if in_pairs else ""),
    )
    text = _nearest_change(figures)
    return Section("writers", "Writers", text, tables=(shown,), is_open=True, in_terminal=True)


def _nearest_change(figures: RankingFigures) -> str:
    """Say how far the weights would have to move for another writer to come first."""
    if len(figures.scored) < 2 or len(figures.weights.effective) < 2:
        return ""
    first, nearest = figures.scored[0], figures.nearest_change
    if nearest is None:
        return f"{first} is first by the mean of every source, so under all weights."
    if nearest.moved == 0:
        return f"{first} and {nearest.writer} are level under these weights."
    then = show.listed([f"{name} {show.whole_percent(weight)}" for name, weight in nearest.weights.items()])
    return (
        f"The least change of the weights that ends the lead of {first} moves "
        f"{show.whole_percent(nearest.moved)} of the weight, to {then}; then {nearest.writer} is level."
    )


def _cell(name: str, estimate: Estimate | None) -> Cell:
    """An estimate with its interval."""
    if estimate is None:
        return interval_cell(name, None, None)
    reason = "" if estimate.value is not None else estimate.reason or ""
    return interval_cell(name, estimate.value, estimate.interval, reason=reason)


def _queries(queries: QueryCounts) -> Section:
    """What was typed, by kind of query."""
    rows: _Rows = [
        [kind.replace("_", " "), typed, show.count(count), _failures(queries.missing.get(kind, {}))]
        for kind, typed in QUERY_KINDS.items()
        if (count := queries.by_kind[kind])
    ]
    text = f"The summaries of each writer are an index of their own (queries from {queries.source})."
    heads = ["Kind of query", "What is typed", "Queries", "Units without"]
    shown = table("queries", "Queries that search every index", heads, rows, words=2)
    return Section("retrieval", "Retrieval", text, tables=(shown,), in_terminal=True)


def _failures(causes: Mapping[str, int]) -> Cell:
    return Cell(show.count(sum(causes.values())), by_cause(causes))


def _judges(figures: RankingFigures) -> Section:
    """The judges, and what moves them besides quality."""
    judges = figures.judges
    methods = [method for method in (POINTWISE, PAIRWISE) if any(method in use.verdicts for use in judges)]
    rows: _Rows = [
        [
            use.judge,
            *(show.count(use.verdicts.get(method, 0)) for method in methods),
            _failures(use.failures),
            cell("leniency", use.severity),
            _cell("first_share", use.first_share),
            _cell("same_in_both", use.same_in_both),
        ]
        for use in judges
    ]
    weights = ", ".join(f"{name.replace('_', ' ')} {weight:g}" for name, weight in CRITERIA.items())
    shown = table(
        "judges-asked",
        "Judges",
        [
            *("Judge", *map(show.capital, methods), *labels(["missing", "leniency"])),
            *(f"{label}, %" for label in labels(["first_share", "same_in_both"])),
        ],
        rows,
        note="Leniency: points, on the scale from 1 to 5, that a judge gives the same summaries more than "
        "the mean judge; it is taken off. Every pair is shown in both orders: without a bias the first gets "
        "50 % of the points.",
    )
    text = (
        f"Judges see the code and never who wrote a summary, and score it by {weights}. Every verdict is in "
        "judgements.parquet of the run."
    )
    return Section("judges", "Judges", text, tables=(shown,), in_terminal=True)


def _command(ranking: Ranking) -> str:
    words = ["tellapart", "writers", "rank", *map(str, ranking.runs)]
    weights = ranking.figures.weights.asked
    if any(abs(weights[source] - WEIGHTS[source]) > 1e-12 for source in SOURCES):
        words += ["--weights", write_weights(weights)]
    if ranking.figures.comparison and ranking.figures.comparison.baseline:
        words += ["--baseline", ranking.figures.comparison.baseline]
    return shlex.join(words)
