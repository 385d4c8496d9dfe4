"""The ranking of writers as a page, as Markdown and in a terminal: writers, retrieval, judges."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import TypeAdapter
from rich.console import RenderableType
from rich.text import Text

from tellapart.core.comparison.pair_frame import pair_frame
from tellapart.core.estimate import Estimate
from tellapart.report import comparison as block
from tellapart.report import model_parameters
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, present
from tellapart.report.missing_reasons import by_cause
from tellapart.report.result import Result
from tellapart.report.tables import Cell, Table, figure, table, undefined
from tellapart.report.terminal import fitted_table, rich_list
from tellapart.writers.combined import RankingFigures, WriterResult
from tellapart.writers.queries import KINDS
from tellapart.writers.retrieval import CUTS, Retrieval, WriterRanks
from tellapart.writers.verdicts import PAIRWISE, POINTWISE, Judging, WriterScores
from tellapart.writers.weights import SOURCES, WEIGHTS, write_weights

_REPLIES = "Every message and reply is in run.db of the run directory."
NO_RANKS = "no query has a rank"
NOT_JUDGED = "no judge was asked about this writer"
NO_PAIRS = "no pair of summaries has verdicts in both orders"

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
        made_by = {f"{show.capital(source)} by": by for source, by in figures.made_by.items()}
        nearest = _nearest_change(figures)
        return Document(
            "writers: which model writes the best summaries",
            _headline(figures),
            tuple(sentences(self)),
            {
                "Benchmark": figures.fingerprint,
                "Writers": show.listed([writer.name for writer in figures.writers]),
                "Units": show.count(figures.units),
                "Evidence": show.listed(list(figures.made_by)),
                "Weights": _in_words(figures.weights.effective),
            },
            present(
                Section(
                    "writers",
                    "Writers",
                    f"A writer is a source of summaries. {nearest or ''}".strip(),
                    tables=(_writer_table(figures),),
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
                _retrieval(figures.retrieval) if figures.retrieval else None,
                _judging(figures.judging) if figures.judging else None,
                model_parameters.section(list(self.models), _REPLIES) if self.models else None,
            ),
            {"tellapart": self.version, "Benchmark": figures.fingerprint, **made_by},
            (_command(self),),
        )

    def shown(self) -> Sequence[RenderableType]:
        """The verdict, the writers, their pairs, and the figures of each source, for a terminal."""
        document = self.document()
        return [
            Text(f"{document.title}.", style="bold"),
            rich_list(document.verdict),
            *(fitted_table(table) for section in document.sections for table in section.tables),
            Text(f"\nbenchmark {self.figures.fingerprint}", style="dim"),
        ]

    _summary = shown


def _headline(figures: RankingFigures) -> str:
    if figures.comparison:
        return block.headline(figures.comparison)
    scored = [writer.name for writer in figures.writers if writer.combined.value is not None]
    return block.nothing_to_compare(scored, "writer")


def sentences(ranking: Ranking) -> list[str]:
    """Say what the combined score is made of, and what else to know before the order is believed."""
    figures = ranking.figures
    scores = [
        f"{writer.name} ({show.rate(writer.combined.value)})"
        for writer in figures.writers
        if writer.combined.value is not None
    ]
    names = {writer.name for writer in figures.writers}
    judges = figures.judging.judges if figures.judging else ()
    lacking = [f"{one.name} {by_cause(one.missing)}" for one in figures.writers if one.missing]
    return [
        *([f"In order of the combined score, of 100: {', '.join(scores)}."] if scores else []),
        _made_of(figures),
        *(
            f"{use.judge} was not asked about {show.listed(sorted(others))}: of its own family, or nothing "
            "to judge."
            for use in judges
            if (others := names - {*use.writers})
        ),
        *present(_nearest_change(figures)),
        *(
            f"Beware: {caution.rstrip('.')}."
            for caution in ranking.cautions[1 if figures.comparison else 0 :]
        ),
        *([f"Units without a combined score: {'; '.join(lacking)}."] if lacking else []),
        *model_parameters.parameter_lines(list(ranking.models)),
    ]


def _made_of(figures: RankingFigures) -> str:
    weights = figures.weights
    parts = [
        f"{source} {show.whole_percent(weight)} ({figures.made_by[source]})"
        for source, weight in weights.effective.items()
    ]
    line = f"The combined score is {show.listed(parts)}, over {show.plural(figures.units, 'unit')}."
    absent = [source for source in weights.absent if weights.asked[source] > 0]
    if not absent:
        return line
    verb = "is" if len(absent) == 1 else "are"
    return f"{line} {show.capital(show.listed(absent))} {verb} not there: the other weights are scaled up."


def _nearest_change(figures: RankingFigures) -> str | None:
    """Say how far the weights would have to move for another writer to come first."""
    scored = [writer.name for writer in figures.writers if writer.combined.value is not None]
    if len(scored) < 2 or len(figures.weights.effective) < 2:
        return None
    first, nearest = scored[0], figures.nearest_change
    if nearest is None:
        return f"{first} is first by the mean of every source, so under all weights."
    if nearest.moved == 0:
        return f"{first} and {nearest.writer} are level under these weights."
    return (
        f"The least change of the weights that ends the lead of {first} moves "
        f"{show.whole_percent(nearest.moved)} of the weight, to {_in_words(nearest.weights)}; then "
        f"{nearest.writer} is level."
    )


def _in_words(weights: Mapping[str, float]) -> str:
    return show.listed([f"{source} {show.whole_percent(weight)}" for source, weight in weights.items()])


def _shown(estimate: Estimate | None, form: Callable[[float], str] = show.rate, reason: str = "") -> Cell:
    """Show an estimate with its interval; a share in percent."""
    if estimate is None or estimate.value is None:
        return undefined((estimate and estimate.reason) or reason)
    ends = estimate.interval
    return Cell(form(estimate.value), f"{form(ends.low)} to {form(ends.high)}" if ends else "no interval")


def _writer_table(figures: RankingFigures) -> Table:
    """Every writer with each estimate, the best first."""
    body: _Rows = [
        [
            writer.name,
            _shown(writer.combined),
            *(_shown(getattr(writer, source)) for source in SOURCES),
            _cost(writer),
        ]
        for writer in figures.writers
    ]
    return table(
        "writers",
        "Writers of summaries, best first, % (95 % interval)",
        ["Writer", "Combined", *map(show.capital, SOURCES), "Cost of 1,000, $"],
        body,
        note="Means over units, clustered on the file. Retrieval is the mean reciprocal rank, contrastive "
        "the share of items answered right, judge the mean score by judges.",
    )


def _cost(writer: WriterResult) -> Cell:
    if writer.cost.value is None:
        return undefined(writer.cost.reason or "")
    total = show.significant(writer.cost_total or 0.0)
    return Cell(show.significant(1000 * writer.cost.value), f"{total} in all")


def _retrieval(retrieval: Retrieval) -> Section:
    """Ranks over all queries, by kind of query, and by matcher."""
    counts, writers = retrieval.queries, list(retrieval.overall)
    overall: _Rows = [
        [
            writer,
            _mrr(ranks),
            *(_shown(ranks.measures[f"Success@{k}"], reason=NO_RANKS) for k in CUTS),
            show.count(retrieval.index[writer]),
            Cell(show.count(ranks.n), _missing(ranks.missing_by_cause)),
        ]
        for writer, ranks in retrieval.overall.items()
    ]
    kinds: _Rows = [
        [
            show.capital(kind.replace("_", " ").replace("doc api", "doc API")),
            what,
            *map(_mrr, retrieval.by_kind[kind].values()),
            show.count(counts.by_kind[kind]),
            _counted(counts.missing.get(kind, {})),
        ]
        for kind, what in KINDS.items()
        if kind in retrieval.by_kind
    ]
    matchers: _Rows = [[name, *map(_mrr, ranks.values())] for name, ranks in retrieval.by_matcher.items()]
    tables = [
        table(
            "ranks",
            "Ranks of the unit that a query is about",
            ["Writer", "MRR", *(f"In first {k}, %" for k in CUTS), "Index", "n"],
            overall,
            note="95 % intervals, clustered by file. Index: summaries that are searched. n: queries, each "
            "with each matcher. Bounds, where summaries are missing: MRR if their queries found nothing, and "
            "if they found their unit first.",
        ),
        table(
            "by-kind",
            "MRR by kind of query",
            ["Kind of query", "What is typed", *writers, "Queries", "Units without"],
            kinds,
            words=2,
        ),
        *([table("by-matcher", "MRR by matcher", ["Matcher", *writers], matchers)] if matchers[1:] else []),
    ]
    text = (
        "The summaries of each writer are an index of their own, and every query searches it (queries from "
        f"{counts.source}). A query finds its unit at some rank; tied summaries stand in every order that "
        "their ties allow."
    )
    return Section("retrieval", "Retrieval", text, tables=tuple(tables))


def _mrr(ranks: WriterRanks) -> Cell:
    cell = _shown(ranks.measures["RR"], show.decimal, NO_RANKS)
    if not ranks.missing_by_cause:
        return cell
    bounds = "–".join(show.decimal(end, 3) for end in ranks.mrr_bounds)
    return Cell(cell.text, "; ".join(filter(None, [cell.detail, f"bounds {bounds}"])), reason=cell.reason)


def _counted(causes: Mapping[str, int]) -> Cell:
    return Cell(show.count(sum(causes.values())), by_cause(causes))


def _missing(causes: Mapping[str, int]) -> str:
    return f"missing: {by_cause(causes)}" if causes else ""


def _judging(judging: Judging) -> Section:
    """The writers by their judges, and the judges themselves."""
    scored, paired = (method in judging.methods for method in (POINTWISE, PAIRWISE))
    criteria = list(judging.weights) if scored else []
    writers: _Rows = [
        [
            one.writer,
            *([_shown(one.score, _hundredths, NOT_JUDGED)] if scored else []),
            *(_shown(one.criteria.get(name), _hundredths, NOT_JUDGED) for name in criteria),
            *([_shown(one.win_share, reason=NOT_JUDGED), _strength(one)] if paired else []),
            Cell(f"{len(one.judges)} of {len(judging.judges)}", _missing(one.no_summary)),
        ]
        for one in judging.writers
    ]
    judges: _Rows = [
        [
            use.judge,
            *(show.count(use.verdicts.get(method, 0)) for method in judging.methods),
            _counted(use.failures),
            show.count(use.repaired),
            figure(use.severity, _hundredths, "no scores to compare"),
            _shown(use.first_share, reason=NO_PAIRS),
            _shown(use.same_in_both, reason=NO_PAIRS),
        ]
        for use in judging.judges
    ]
    weights = ", ".join(f"{_words(name)} {weight:g}" for name, weight in judging.weights.items())
    tables = (
        table(
            "scores",
            "Scores from 1 to 5, share of points in pairs, %, and strength",
            [
                "Writer",
                *(["Score"] if scored else []),
                *map(_words, criteria),
                *(["Share of points", "Strength"] if paired else []),
                "Judges",
            ],
            writers,
            note=f"The score weighs the criteria ({weights}), less each judge's leniency. In pairs a win is "
            "a point, a tie half a point; each opponent weighs the same. Strength: Bradley and Terry's, as a "
            "natural logarithm with mean 0; of two writers the one that is stronger by 1 gets 73 % of the "
            "points. Judges: those that were asked; missing there are units without a summary. Intervals at "
            "95 %, clustered by file.",
        ),
        table(
            "judges-asked",
            "Judges",
            [
                *("Judge", *map(_words, judging.methods), "Missing", "Repaired", "Leniency"),
                *("Points of the first, %", "Same in both orders, %"),
            ],
            judges,
            note="Leniency: points, on the scale from 1 to 5, that a judge gives the same summaries more "
            "than the mean judge. Repaired: a second request brought the reply into the requested form. "
            "Every pair is shown in both orders: without a bias the first gets 50 % of the points.",
        ),
    )
    text = (
        f"Summaries of {show.plural(judging.units, 'unit')} were judged. Judges see the code and never who "
        "wrote the summary, and are not asked about writers of their own family. Every verdict is in "
        "judgements.parquet of the run."
    )
    return Section("judges", "Judges", text, tables=tables)


def _strength(writer: WriterScores) -> Cell:
    cell = _shown(writer.strength, _hundredths, NOT_JUDGED)
    # Why there is a value without an interval.
    reason = writer.strength.reason if writer.strength and not cell.reason else None
    return replace(cell, detail=reason) if reason else cell


def _hundredths(value: float) -> str:
    return show.decimal(value, 2)


def _words(name: str) -> str:
    return show.capital(name.replace("_", " "))


def _command(ranking: Ranking) -> str:
    words = ["tellapart", "writers", "rank", *map(str, ranking.runs)]
    weights = ranking.figures.weights.asked
    if any(abs(weights[source] - WEIGHTS[source]) > 1e-12 for source in SOURCES):
        words += ["--weights", write_weights(weights)]
    if ranking.figures.comparison and ranking.figures.comparison.baseline:
        words += ["--baseline", ranking.figures.comparison.baseline]
    return shlex.join(words)
