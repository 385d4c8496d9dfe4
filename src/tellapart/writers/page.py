"""The ranking of writers as a report: writers, their pairs, queries, judges."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import TypeAdapter

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
from tellapart.report.tables import Cell, Table, table
from tellapart.writers.queries import KINDS
from tellapart.writers.results import RankingFigures
from tellapart.writers.retrieval import QueryCounts
from tellapart.writers.verdicts import CRITERIA, PAIRWISE, POINTWISE
from tellapart.writers.weights import SOURCES, WEIGHTS, write_weights

_REPLIES = "Every message and reply is in run.db of the run directory."

_Rows = list[list[Cell | str]]


@dataclass(frozen=True)
class Ranking(Result):
    """Writers of summaries, ranked.

    ``print`` gives the order and the pairs, a notebook shows the page, and ``pairs`` is a frame.

    Attributes:
        figures: Everything, as ``writers rank --json`` prints it.
        combined: The score of each writer on each unit, combined and by each source.
        cautions: Of all evidence, each once.
        runs: Where the evidence lies.
        models: Judges and writers of queries: name, task, and how each was asked.
        version: Of the program that wrote the first run.
    """

    figures: RankingFigures
    combined: pl.DataFrame
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
        by_writer = [
            (writer.name, *(getattr(writer, name).value for name in names)) for writer in self.figures.writers
        ]
        schema = {"writer": pl.String, **dict.fromkeys(names, pl.Float64)}
        return pl.DataFrame(by_writer, schema=schema, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Give everything as the command prints it with ``--json``."""
        figures: dict[str, Any] = TypeAdapter(RankingFigures).dump_python(self.figures, mode="json")
        return figures

    def document(self) -> Document:
        """Arrange the page."""
        figures = self.figures
        scored = [writer.name for writer in figures.writers if writer.combined.value is not None]
        title, *others = (
            block.headline_sentences(figures.comparison)
            if figures.comparison
            else [block.nothing_to_compare(scored, "writer")]
        )
        made_by = {f"{show.capital(source)} by": by for source, by in figures.made_by.items()}
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
                Section(
                    "writers",
                    "Writers",
                    _nearest_change(figures),
                    tables=(_writer_table(figures),),
                    is_open=True,
                    in_terminal=True,
                ),
                block.section(
                    figures.comparison,
                    name="pairs",
                    order=SOURCES,
                    title="Which writers differ",
                    what="writers",
                )
                if figures.comparison
                else None,
                _queries(figures.queries) if figures.queries else None,
                _judges(figures) if figures.judges else None,
                model_parameters.section(list(self.models), _REPLIES) if self.models else None,
            ),
            {"tellapart": self.version, "Benchmark": figures.fingerprint, **made_by},
            (_command(self),),
            differences=differences(figures.comparison),
        )


def _sentences(ranking: Ranking) -> list[str]:
    """Say what the combined score is made of, and what else to know before the order is believed."""
    figures = ranking.figures
    weights = figures.weights
    parts = [
        f"{source} {show.whole_percent(weight)} ({figures.made_by[source]})"
        for source, weight in weights.effective.items()
    ]
    made_of = f"The combined score is {show.listed(parts)}, over {show.plural(figures.units, 'unit')}."
    absent = [source for source in weights.absent if weights.asked[source] > 0]
    if absent:
        verb = "is" if len(absent) == 1 else "are"
        made_of += f" {show.capital(show.listed(absent))} {verb} not there: the other weights are scaled up."
    names = {writer.name for writer in figures.writers}
    lacking = [f"{one.name} {by_cause(one.missing)}" for one in figures.writers if one.missing]
    return [
        made_of,
        *(
            f"{use.judge} was not asked about {show.listed(sorted(others))}: of its own family, or nothing "
            "to judge."
            for use in figures.judges
            if (others := names - {*use.writers})
        ),
        # The first caution stands in the headline, where there is one.
        *(f"Beware: {block.sentence(text)}." for text in ranking.cautions[1 if figures.comparison else 0 :]),
        *([f"Units without a combined score: {'; '.join(lacking)}."] if lacking else []),
    ]


def _nearest_change(figures: RankingFigures) -> str:
    """Say how far the weights would have to move for another writer to come first."""
    scored = [writer.name for writer in figures.writers if writer.combined.value is not None]
    if len(scored) < 2 or len(figures.weights.effective) < 2:
        return ""
    first, nearest = scored[0], figures.nearest_change
    if nearest is None:
        return f"{first} is first by the mean of every source, so under all weights."
    if nearest.moved == 0:
        return f"{first} and {nearest.writer} are level under these weights."
    then = show.listed([f"{name} {show.whole_percent(weight)}" for name, weight in nearest.weights.items()])
    return (
        f"The least change of the weights that ends the lead of {first} moves "
        f"{show.whole_percent(nearest.moved)} of the weight, to {then}; then {nearest.writer} is level."
    )


def _cell(name: str, estimate: Estimate | None, *details: str) -> Cell:
    """An estimate with its interval; a reason given with a value says why there is no interval."""
    value, ends = (None, None) if estimate is None else (estimate.value, estimate.interval)
    reason = estimate.reason if estimate and value is None else None
    return interval_cell(name, value, ends, *details, reason=reason or "")


def _writer_table(figures: RankingFigures) -> Table:
    """Every writer with each estimate, the best first."""
    names = ("combined", *SOURCES)
    body: _Rows = [
        [
            writer.name,
            *(_cell(name, getattr(writer, name)) for name in names),
            cell(
                "cost",
                None if writer.cost.value is None else 1000 * writer.cost.value,
                f"{show.significant(writer.cost_total or 0.0)} in all",
                reason=writer.cost.reason or "",
            ),
        ]
        for writer in figures.writers
    ]
    return table(
        "writers",
        "Writers of summaries, best first, % (95 % interval)",
        ["Writer", *labels(names), "Cost of 1,000, US $"],
        body,
        note="Means over units, clustered by file. Retrieval is the mean reciprocal rank, contrastive "
        "the share of items answered right, judge the mean score by judges.",
    )


def _queries(queries: QueryCounts) -> Section:
    """What was typed, by kind of query."""
    rows: _Rows = [
        [kind.replace("_", " "), KINDS[kind], show.count(count), _counted(queries.missing.get(kind, {}))]
        for kind, count in queries.by_kind.items()
        if count
    ]
    text = f"The summaries of each writer are an index of their own (queries from {queries.source})."
    heads = ["Kind of query", "What is typed", "Queries", "Units without"]
    shown = table("queries", "Queries that search every index", heads, rows, words=2)
    return Section("retrieval", "Retrieval", text, tables=(shown,), in_terminal=True)


def _counted(causes: Mapping[str, int]) -> Cell:
    return Cell(show.count(sum(causes.values())), by_cause(causes))


def _judges(figures: RankingFigures) -> Section:
    """The judges, what moves them besides quality, and the strengths of writers in pairs."""
    judges = figures.judges
    methods = [method for method in (POINTWISE, PAIRWISE) if any(method in use.verdicts for use in judges)]
    rows: _Rows = [
        [
            use.judge,
            *(show.count(use.verdicts.get(method, 0)) for method in methods),
            _counted(use.failures),
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
    return Section(
        "judges", "Judges", text, tables=present(shown, _strengths(figures.strengths)), in_terminal=True
    )


def _strengths(strengths: Mapping[str, Estimate]) -> Table | None:
    """Each writer's strength in pairs of summaries, the strongest first."""
    if not strengths:
        return None
    order = sorted(strengths, key=lambda name: (-(strengths[name].value or 0.0), name))
    return table(
        "strengths",
        "Strength in pairs (95 % interval)",
        ["Writer", *labels(["strength"])],
        [[name, _cell("strength", strengths[name])] for name in order],
        note="Bradley and Terry's, as a natural logarithm with mean 0, with ties as half a win: of two "
        "writers the one that is stronger by 1 gets 73 % of the points. Intervals resample whole files.",
    )


def _command(ranking: Ranking) -> str:
    words = ["tellapart", "writers", "rank", *map(str, ranking.runs)]
    weights = ranking.figures.weights.asked
    if any(abs(weights[source] - WEIGHTS[source]) > 1e-12 for source in SOURCES):
        words += ["--weights", write_weights(weights)]
    if ranking.figures.comparison and ranking.figures.comparison.baseline:
        words += ["--baseline", ranking.figures.comparison.baseline]
    return shlex.join(words)
