"""The ranking of writers as a page, as Markdown and in a terminal: one document, three forms."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import polars as pl
from rich.console import RenderableType
from rich.text import Text

from tellapart.contrastive.evidence_kinds import SOURCES
from tellapart.contrastive.excluding import excluded_lines
from tellapart.contrastive.ranking import charts
from tellapart.contrastive.ranking.ranked import Ranked
from tellapart.contrastive.ranking.results import WriterResult
from tellapart.contrastive.ranking.weights import WEIGHTS, write_weights
from tellapart.core.estimate import Estimate
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Passage, Section, present
from tellapart.report.tables import Cell, Table, figure, table, undefined
from tellapart.report.terminal import fitted_table, rich_list

_LOSSES, _CODE = 3, 1500
"""Units that are shown of each writer, and characters of their code."""


def document(ranking: Ranked) -> Document:
    """Arrange a ranking: the order and its pairs, then what it rests on and what it hangs on."""
    return Document(
        "contrastive: which model writes the best summaries",
        block.headline(ranking.comparison),
        tuple(sentences(ranking)),
        _facts(ranking),
        present(
            _writers(ranking),
            _pairs(ranking),
            _weights(ranking),
            _agreement(ranking),
            _losses(ranking),
        ),
        _origin(ranking),
        (_command(ranking),),
    )


def terminal(ranking: Ranked) -> list[RenderableType]:
    """Show the verdict, the writers, their pairs, and what the order hangs on."""
    pairs = block.pair_table(ranking.comparison, what="writers")
    tables = present(writer_table(ranking), pairs, weight_table(ranking), agreement_table(ranking))
    return [
        Text(f"{block.headline(ranking.comparison)}.", style="bold"),
        rich_list(sentences(ranking)),
        *map(fitted_table, tables),
        Text(f"\nbenchmark {ranking.record.fingerprint}", style="dim"),
    ]


def sentences(ranking: Ranked) -> list[str]:
    """Say what the combined score is made of, and what else to know before the order is believed."""
    return [
        *excluded_lines(ranking.exclusion),
        _order(ranking),
        _made_of(ranking),
        *(
            note
            for source in ranking.record.weights.effective
            for note in ranking.combined.evidence[source].notes
        ),
        *present(nearest_change(ranking)),
        *_missing(ranking),
        *(f"Beware: {caution.rstrip('.')}." for caution in ranking.comparison.cautions[1:]),
    ]


def _order(ranking: Ranked) -> str:
    names = [
        f"{writer.name} ({show.rate(writer.combined.value)})"
        for writer in ranking.record.writers
        if writer.combined.value is not None
    ]
    return f"In order of the combined score, of 100: {', '.join(names)}."


def _made_of(ranking: Ranked) -> str:
    weights = ranking.record.weights
    parts = [
        f"{source} {show.whole_percent(weight)} ({ranking.combined.evidence[source].made_by})"
        for source, weight in weights.effective.items()
    ]
    what = f"The combined score is {show.listed(parts)}, over {show.plural(ranking.record.units, 'unit')}."
    absent = [source for source in weights.absent if weights.asked[source] > 0]
    if not absent:
        return what
    verb = "is" if len(absent) == 1 else "are"
    return f"{what} {show.capital(show.listed(absent))} {verb} not there: the other weights are scaled up."


def _missing(ranking: Ranked) -> list[str]:
    parts = [
        f"{writer.name} {show.listed([f'{count:,} {cause}' for cause, count in writer.missing.items()])}"
        for writer in ranking.record.writers
        if writer.missing
    ]
    return [f"Units without a combined score: {'; '.join(parts)}."] if parts else []


def nearest_change(ranking: Ranked) -> str | None:
    """Say how far the weights would have to move for another writer to come first."""
    sensitivity = ranking.record.sensitivity
    if sensitivity is None or len(ranking.record.weights.effective) < 2:
        return None
    first = next(writer.name for writer in ranking.record.writers)
    if sensitivity.nearest is None:
        return f"{first} is first by the mean of every source, so under all weights."
    if sensitivity.nearest.moved == 0:
        return f"{first} and {sensitivity.nearest.writer} are level under these weights."
    moved = show.whole_percent(sensitivity.nearest.moved)
    return (
        f"The least change of the weights that ends the lead of {first} moves {moved} of the weight, to "
        f"{_weights_in_words(sensitivity.nearest.weights)}; then {sensitivity.nearest.writer} is level."
    )


def _weights_in_words(weights: dict[str, float]) -> str:
    return show.listed([f"{source} {show.whole_percent(weight)}" for source, weight in weights.items()])


def writer_table(ranking: Ranked) -> Table:
    """Every writer with each estimate, the best first."""
    rows: list[list[Cell | str]] = [
        [
            writer.name,
            _share(writer.combined),
            *(_share(getattr(writer, source)) for source in SOURCES),
            _cost(writer),
            _latency(writer),
        ]
        for writer in ranking.record.writers
    ]
    return table(
        "writers",
        "Writers of summaries, best first, % (95 % interval)",
        ["Writer", "Combined", *map(show.capital, SOURCES), "Cost of 1,000, $", "Median latency, s"],
        rows,
        note="Means over units, clustered on the file. Retrieval is the mean reciprocal rank, contrastive "
        "the share of items answered right, judge the mean score by judges.",
    )


def _share(estimate: Estimate) -> Cell:
    if estimate.value is None:
        return undefined(estimate.reason or "")
    interval = show.rate_range(estimate.interval) if estimate.interval else "no interval"
    return Cell(show.rate(estimate.value), interval)


def _cost(writer: WriterResult) -> Cell:
    if writer.cost.value is None:
        return undefined(writer.cost.reason or "")
    total = show.significant(writer.cost_total or 0.0)
    return Cell(show.significant(1000 * writer.cost.value), f"{total} in all")


def _latency(writer: WriterResult) -> Cell:
    if writer.latency_s.value is None:
        return undefined(writer.latency_s.reason or "")
    late = writer.latency_p95_s.value
    p95 = "" if late is None else f"95 % ≤ {show.significant(late)}"
    return Cell(show.significant(writer.latency_s.value), p95)


def weight_table(ranking: Ranked) -> Table | None:
    """The place of each writer by each source alone."""
    sensitivity = ranking.record.sensitivity
    if sensitivity is None or len(sensitivity.alone) < 2:
        return None
    places = [f"By {source}" for source in sensitivity.alone]
    rows: list[list[Cell | str]] = [
        [writer.name, *(Cell(str(names.index(writer.name) + 1)) for names in sensitivity.alone.values())]
        for writer in ranking.record.writers
        if writer.name in next(iter(sensitivity.alone.values()))
    ]
    return table(
        "weights",
        "Place of each writer by each source alone",
        ["Writer", *places],
        rows,
        note="The means are taken as exact here: whether two writers differ is in the table of pairs.",
    )


def agreement_table(ranking: Ranked) -> Table | None:
    """How alike the sources see the writers."""
    if not ranking.record.agreement:
        return None
    rows: list[list[Cell | str]] = [
        [
            f"{agreement.a} and {agreement.b}",
            figure(
                agreement.tau, lambda value: show.decimal(value, 2), "fewer than three writers, or all tied"
            ),
            figure(
                agreement.correlation, lambda value: show.decimal(value, 2), "too few units, or no variation"
            ),
            show.count(agreement.units),
        ]
        for agreement in ranking.record.agreement
    ]
    return table(
        "agreement",
        "Agreement between the sources of evidence",
        ["Sources", "Kendall's tau of the writers", "Correlation over summaries", "Units"],
        rows,
        note="Over summaries: of scores less the mean of the writers on the same unit.",
    )


def _writers(ranking: Ranked) -> Section:
    return Section(
        "writers",
        "Writers",
        "A writer is a source of summaries. What each one wrote was tried by the same questions.",
        charts=(charts.forest(ranking),),
        tables=(writer_table(ranking),),
    )


def _pairs(ranking: Ranked) -> Section:
    return block.section(ranking.comparison, order=SOURCES, title="Which writers differ", what="writers")


def _weights(ranking: Ranked) -> Section | None:
    weights = weight_table(ranking)
    if weights is None:
        return None
    text = nearest_change(ranking) or ""
    return Section("weights", "Weights", text, tables=(weights,))


def _agreement(ranking: Ranked) -> Section | None:
    agreement = agreement_table(ranking)
    if agreement is None:
        return None
    text = "Whether the sources of evidence see the same writers, and the same summaries, ahead."
    return Section("agreement", "Agreement", text, tables=(agreement,))


def _losses(ranking: Ranked) -> Section | None:
    """The units on which each writer is furthest behind the best of the others, with both summaries."""
    passages = [passage for writer in ranking.record.writers for passage in _lost(ranking, writer.name)]
    text = (
        "For each writer the units on which its combined score is furthest behind that of the best other "
        "writer, with both summaries and the code."
    )
    return Section("losses", "Where each writer loses", text, passages=tuple(passages)) if passages else None


def _lost(ranking: Ranked, writer: str) -> list[Passage]:
    units = ranking.combined.units.drop_nulls("score")
    of_writer = units.filter(writer=writer).select("unit", pl.col("score").alias("own"))
    others = units.filter(pl.col("writer") != writer).sort("score", "writer", descending=[True, False])
    best = others.unique("unit", keep="first", maintain_order=True)
    lost = (
        of_writer.join(best, on="unit")
        .with_columns((pl.col("score") - pl.col("own")).alias("behind"))
        .filter(pl.col("behind") > 0)
        .sort("behind", "unit", descending=[True, False])
        .head(_LOSSES)
    )
    return [
        _passage(ranking, writer, *row) for row in lost.select("unit", "own", "writer", "score").iter_rows()
    ]


def _passage(ranking: Ranked, writer: str, unit: str, score: float, other: str, best: float) -> Passage:
    benchmark = ranking.benchmark
    code = benchmark.units[benchmark.position[unit]].content
    return Passage(
        f"{writer}: {show.rate(score)}, where {other} has {show.rate(best)}",
        unit,
        (
            (f"Summary by {writer}", benchmark.texts(writer).get(unit, "")),
            (f"Summary by {other}", benchmark.texts(other).get(unit, "")),
            ("Code", code if len(code) <= _CODE else f"{code[:_CODE]}…"),
        ),
    )


def _facts(ranking: Ranked) -> dict[str, str]:
    return {
        "Benchmark": ranking.record.fingerprint,
        "Writers": show.listed([writer.name for writer in ranking.record.writers]),
        "Units": show.count(ranking.record.units),
        "Evidence": show.listed(list(ranking.combined.evidence)),
        "Weights": _weights_in_words(ranking.record.weights.effective),
    }


def _origin(ranking: Ranked) -> dict[str, str]:
    makers = {
        f"{show.capital(name)} by": evidence.made_by for name, evidence in ranking.combined.evidence.items()
    }
    return {"tellapart": ranking.version, "Benchmark": ranking.record.fingerprint, **makers}


def _command(ranking: Ranked) -> str:
    words: Sequence[str] = ["tellapart", "contrastive", "rank", *map(str, ranking.runs)]
    if not _is_default(ranking.record.weights.asked):
        words = [*words, "--weights", write_weights(ranking.record.weights.asked)]
    if ranking.comparison.baseline:
        words = [*words, "--baseline", ranking.comparison.baseline]
    if ranking.exclusion:
        words = [*words, "--exclude", str(ranking.exclusion.path)]
    return shlex.join(words)


def _is_default(weights: dict[str, float]) -> bool:
    return all(abs(weights[source] - WEIGHTS[source]) < 1e-12 for source in SOURCES)
