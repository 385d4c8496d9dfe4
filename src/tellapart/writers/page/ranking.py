"""The ranking of writers: the order and its pairs, then what it rests on and what it hangs on."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import TypeAdapter
from rich.console import RenderableType
from rich.text import Text

from tellapart.core.comparison.pair_frame import pair_frame
from tellapart.report import comparison as block
from tellapart.report import model_parameters
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Chart, Row, rows
from tellapart.report.document import Document, Passage, Section, present
from tellapart.report.result import Result
from tellapart.report.tables import Cell, Table, table, undefined
from tellapart.report.terminal import fitted_table, rich_list
from tellapart.writers.page import judges, retrieval
from tellapart.writers.page.cells import percent
from tellapart.writers.ranking import Combined, RankingFigures, WriterResult
from tellapart.writers.sources import SOURCES, WEIGHTS, write_weights
from tellapart.writers.written import Written

_LOSSES, _CODE = 3, 1500
"""Units that are shown of each writer, and characters of their code."""

REPLIES = "Every message and reply is in run.db of the run directory."


@dataclass(frozen=True)
class Ranking(Result):
    """Writers of summaries, ranked.

    ``print`` gives the order and the pairs, a notebook shows the page, and ``pairs`` is a frame.

    Attributes:
        figures: Everything, as ``writers rank --json`` prints it.
        combined: The evidence, unit by unit.
        cautions: Of all evidence, each once.
        runs: Where the evidence lies.
        models: Judges and writers of queries: name, task, and how each was asked.
        version: Of the program that wrote the first run.
    """

    figures: RankingFigures
    combined: Combined
    written: Written
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
        names = ("combined", "contrastive", "retrieval", "judge", "cost", "latency_s")
        rows = [
            (writer.name, *(getattr(writer, name).value for name in names)) for writer in self.figures.writers
        ]
        schema = {"writer": pl.String, **dict.fromkeys(names, pl.Float64)}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Give everything as the command prints it with ``--json``."""
        figures: dict[str, Any] = TypeAdapter(RankingFigures).dump_python(self.figures, mode="json")
        return figures

    def document(self) -> Document:
        """Arrange the page."""
        figures = self.figures
        made_by = {f"{show.capital(name)} by": part.made_by for name, part in self.combined.evidence.items()}
        return Document(
            "writers: which model writes the best summaries",
            _headline(self),
            tuple(sentences(self)),
            {
                "Benchmark": figures.fingerprint,
                "Writers": show.listed([writer.name for writer in figures.writers]),
                "Units": show.count(figures.units),
                "Evidence": show.listed(list(self.combined.evidence)),
                "Weights": _in_words(figures.weights.effective),
            },
            present(
                _section(self),
                _pairs(self),
                retrieval.section(figures.retrieval) if figures.retrieval else None,
                judges.section(figures.judging) if figures.judging else None,
                _losses(self),
                model_parameters.section(list(self.models), REPLIES) if self.models else None,
            ),
            {"tellapart": self.version, "Benchmark": figures.fingerprint, **made_by},
            (_command(self),),
        )

    def shown(self) -> Sequence[RenderableType]:
        """The verdict, the writers, their pairs, and the figures of each source, for a terminal."""
        figures = self.figures
        tables = present(
            _writer_table(self),
            block.pair_table(figures.comparison, what="writers") if figures.comparison else None,
            _weight_table(self),
            *(retrieval.tables(figures.retrieval) if figures.retrieval else ()),
            *(judges.tables(figures.judging) if figures.judging else ()),
        )
        return [
            Text(f"{_headline(self)}.", style="bold"),
            rich_list(sentences(self)),
            *map(fitted_table, tables),
            Text(f"\nbenchmark {figures.fingerprint}", style="dim"),
        ]

    _summary = shown


def _section(ranking: Ranking) -> Section:
    text = f"A writer is a source of summaries. {_nearest_change(ranking) or ''}".strip()
    tables = present(_writer_table(ranking), _weight_table(ranking))
    return Section("writers", "Writers", text, charts=present(_forest(ranking)), tables=tables)


def _pairs(ranking: Ranking) -> Section | None:
    comparison = ranking.figures.comparison
    if comparison is None:
        return None
    return block.section(
        comparison, name="pairs", order=SOURCES, title="Which writers differ", what="writers"
    )


def _headline(ranking: Ranking) -> str:
    if ranking.figures.comparison:
        return block.headline(ranking.figures.comparison)
    scored = [writer.name for writer in ranking.figures.writers if writer.combined.value is not None]
    return block.nothing_to_compare(scored, "writer")


def sentences(ranking: Ranking) -> list[str]:
    """Say what the combined score is made of, and what else to know before the order is believed."""
    figures = ranking.figures
    scores = [
        f"{writer.name} ({show.rate(writer.combined.value)})"
        for writer in figures.writers
        if writer.combined.value is not None
    ]
    missing = [
        f"{writer.name} {show.listed([f'{count:,} {cause}' for cause, count in writer.missing.items()])}"
        for writer in figures.writers
        if writer.missing
    ]
    return [
        *([f"In order of the combined score, of 100: {', '.join(scores)}."] if scores else []),
        _made_of(ranking),
        *(note for source in figures.weights.effective for note in ranking.combined.evidence[source].notes),
        *present(_nearest_change(ranking)),
        *([f"Units without a combined score: {'; '.join(missing)}."] if missing else []),
        *(
            f"Beware: {caution.rstrip('.')}."
            for caution in ranking.cautions[1 if figures.comparison else 0 :]
        ),
        *(retrieval.sentences(figures.retrieval) if figures.retrieval else ()),
        *(judges.sentences(figures.judging) if figures.judging else ()),
        *model_parameters.parameter_lines(list(ranking.models)),
    ]


def _made_of(ranking: Ranking) -> str:
    weights = ranking.figures.weights
    parts = [
        f"{source} {show.whole_percent(weight)} ({ranking.combined.evidence[source].made_by})"
        for source, weight in weights.effective.items()
    ]
    line = f"The combined score is {show.listed(parts)}, over {show.plural(ranking.figures.units, 'unit')}."
    absent = [source for source in weights.absent if weights.asked[source] > 0]
    if not absent:
        return line
    verb = "is" if len(absent) == 1 else "are"
    return f"{line} {show.capital(show.listed(absent))} {verb} not there: the other weights are scaled up."


def _nearest_change(ranking: Ranking) -> str | None:
    """Say how far the weights would have to move for another writer to come first."""
    sensitivity = ranking.figures.sensitivity
    if sensitivity is None or len(ranking.figures.weights.effective) < 2:
        return None
    first, nearest = ranking.figures.writers[0].name, sensitivity.nearest
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


def _writer_table(ranking: Ranking) -> Table:
    """Every writer with each estimate, the best first."""
    body: list[list[Cell | str]] = [
        [
            writer.name,
            percent(writer.combined),
            *(percent(getattr(writer, source)) for source in SOURCES),
            _cost(writer),
            _latency(writer),
        ]
        for writer in ranking.figures.writers
    ]
    return table(
        "writers",
        "Writers of summaries, best first, % (95 % interval)",
        ["Writer", "Combined", *map(show.capital, SOURCES), "Cost of 1,000, $", "Median latency, s"],
        body,
        note="Means over units, clustered on the file. Retrieval is the mean reciprocal rank, contrastive "
        "the share of items answered right, judge the mean score by judges.",
    )


def _cost(writer: WriterResult) -> Cell:
    if writer.cost.value is None:
        return undefined(writer.cost.reason or "")
    total = show.significant(writer.cost_total or 0.0)
    return Cell(show.significant(1000 * writer.cost.value), f"{total} in all")


def _latency(writer: WriterResult) -> Cell:
    if writer.latency_s.value is None:
        return undefined(writer.latency_s.reason or "")
    p95 = writer.latency_p95_s.value
    return Cell(
        show.significant(writer.latency_s.value), "" if p95 is None else f"95 % ≤ {show.significant(p95)}"
    )


def _weight_table(ranking: Ranking) -> Table | None:
    """The place of each writer by each source alone."""
    sensitivity = ranking.figures.sensitivity
    if sensitivity is None or len(sensitivity.alone) < 2:
        return None
    orders = sensitivity.alone.values()
    body: list[list[Cell | str]] = [
        [writer.name, *(Cell(str(names.index(writer.name) + 1)) for names in orders)]
        for writer in ranking.figures.writers
        if all(writer.name in names for names in orders)
    ]
    return table(
        "weights",
        "Place of each writer by each source alone",
        ["Writer", *(f"By {source}" for source in sensitivity.alone)],
        body,
        note="The means are taken as exact here: whether two writers differ is in the table of pairs.",
    )


def _forest(ranking: Ranking) -> Chart | None:
    """Combined score of each writer with its interval, and each source in a panel of its own."""
    writers = [writer for writer in ranking.figures.writers if writer.combined.value is not None]
    if not writers:
        return None
    sources = [source for source in SOURCES if source in ranking.combined.evidence]
    panels = ["combined", *(sources if len(sources) > 1 else [])]
    drawn = [_bar(writer, panel) for panel in panels for writer in writers]
    best, last = writers[0], writers[-1]
    title = (
        f"{best.name} has the highest combined score, {show.rate(best.combined.value or 0.0)} of 100; "
        f"{last.name} the lowest, {show.rate(last.combined.value or 0.0)}"
    )
    description = (
        f"Scores of {show.listed([writer.name for writer in writers])} with 95 % intervals: "
        f"{show.listed(panels)}."
    )
    axis = Axis("Score, of 100", (0.0, 100.0), grid=True)
    return Chart(
        "forest", title, description, lambda width: rows(drawn, width, axis, title="Writer", least=150)
    )


def _bar(writer: WriterResult, panel: str) -> Row:
    estimate = getattr(writer, panel)
    if estimate.value is None:
        return Row(writer.name, figure="–", panel=show.capital(panel))
    low, high = (None if end is None else 100 * end for end in (estimate.low, estimate.high))
    return Row(
        writer.name,
        100 * estimate.value,
        low=low,
        high=high,
        figure=show.rate(estimate.value),
        panel=show.capital(panel),
    )


def _losses(ranking: Ranking) -> Section | None:
    """The units on which each writer is furthest behind the best of the others, with both summaries."""
    passages = tuple(
        passage for writer in ranking.figures.writers for passage in _losses_of(ranking, writer.name)
    )
    text = (
        "For each writer the units on which its combined score is furthest behind that of the best other "
        "writer, with both summaries and the code."
    )
    return Section("losses", "Where each writer loses", text, passages=passages) if passages else None


def _losses_of(ranking: Ranking, writer: str) -> list[Passage]:
    units = ranking.combined.units.drop_nulls("score").sort("score", "writer", descending=[True, False])
    others = units.filter(pl.col("writer") != writer).unique("unit", keep="first", maintain_order=True)
    lost = (
        units.filter(writer=writer)
        .select("unit", own="score")
        .join(others, on="unit")
        .with_columns(behind=pl.col("score") - pl.col("own"))
        .filter(pl.col("behind") > 0)
        .sort("behind", "unit", descending=[True, False])
        .head(_LOSSES)
    )
    passages = []
    for unit, own, other, best in lost.select("unit", "own", "writer", "score").iter_rows():
        code = ranking.written.units[unit].content
        parts = (
            (f"Summary by {writer}", ranking.written.texts[writer].get(unit, "")),
            (f"Summary by {other}", ranking.written.texts[other].get(unit, "")),
            ("Code", code if len(code) <= _CODE else f"{code[:_CODE]}…"),
        )
        title = f"{writer}: {show.rate(own)}, where {other} has {show.rate(best)}"
        passages.append(Passage(title, unit, parts))
    return passages


def _command(ranking: Ranking) -> str:
    words = ["tellapart", "writers", "rank", *map(str, ranking.runs)]
    weights = ranking.figures.weights.asked
    if any(abs(weights[source] - WEIGHTS[source]) > 1e-12 for source in SOURCES):
        words += ["--weights", write_weights(weights)]
    if ranking.figures.comparison and ranking.figures.comparison.baseline:
        words += ["--baseline", ranking.figures.comparison.baseline]
    return shlex.join(words)
