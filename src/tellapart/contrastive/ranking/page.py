"""The ranking of writers as a page, as Markdown and in a terminal: one document, three forms."""

from __future__ import annotations

import shlex

from rich.console import RenderableType
from rich.text import Text

from tellapart.contrastive.ranking.ranked import Ranked
from tellapart.contrastive.ranking.results import WriterResult
from tellapart.contrastive.ranking.weights import SOURCES, WEIGHTS, write_weights
from tellapart.core.estimate import Estimate
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section
from tellapart.report.tables import Cell, Table, table, undefined
from tellapart.report.terminal import fitted_table, rich_list


def document(ranking: Ranked) -> Document:
    """Arrange a ranking: the order and its pairs, then what it rests on."""
    return Document(
        "contrastive: which model writes the best summaries",
        block.headline(ranking.comparison),
        tuple(sentences(ranking)),
        _facts(ranking),
        (_writers(ranking), _pairs(ranking)),
        _origin(ranking),
        (_command(ranking),),
    )


def terminal(ranking: Ranked) -> list[RenderableType]:
    """Show the verdict, the writers and their pairs."""
    pairs = block.pair_table(ranking.comparison, what="writers")
    return [
        Text(f"{block.headline(ranking.comparison)}.", style="bold"),
        rich_list(sentences(ranking)),
        *map(fitted_table, (writer_table(ranking), pairs)),
        Text(f"\nbenchmark {ranking.record.fingerprint}", style="dim"),
    ]


def sentences(ranking: Ranked) -> list[str]:
    """Say what the combined score is made of, and what else to know before the order is believed."""
    return [_order(ranking), _made_of(ranking), *_missing(ranking), *ranking.comparison.cautions[1:]]


def _order(ranking: Ranked) -> str:
    names = [writer.name for writer in ranking.record.writers if writer.combined.value is not None]
    return f"In order of the combined score: {', '.join(names)}."


def _made_of(ranking: Ranked) -> str:
    weights = ranking.record.weights
    parts = [
        f"{source} ({show.whole_percent(weight)}; {ranking.combined.evidence[source].made_by})"
        for source, weight in weights.effective.items()
    ]
    what = f"Combined score: {show.listed(parts)}, over {show.plural(ranking.record.units, 'unit')}."
    absent = [source for source in weights.absent if weights.asked[source] > 0]
    if not absent:
        return what
    return f"{what} There is no evidence of {show.listed(absent, 'or')}: the other weights are scaled up."


def _missing(ranking: Ranked) -> list[str]:
    parts = [
        f"{writer.name} {show.count(sum(writer.missing.values()))} "
        f"({show.listed([f'{count:,} {cause}' for cause, count in writer.missing.items()])})"
        for writer in ranking.record.writers
        if writer.missing
    ]
    return [f"Units without a combined score: {'; '.join(parts)}."] if parts else []


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
        note="Means over units, clustered on the file. "
        f"Weights: {write_weights(ranking.record.weights.effective)}.",
    )


def _share(estimate: Estimate) -> Cell:
    if estimate.value is None:
        return undefined(estimate.reason or "")
    interval = show.rate_range(estimate.interval) if estimate.interval else f"no interval: {estimate.reason}"
    return Cell(show.rate(estimate.value), interval)


def _cost(writer: WriterResult) -> Cell:
    if writer.cost.value is None:
        return undefined(writer.cost.reason or "")
    return Cell(
        show.significant(1000 * writer.cost.value), f"{show.significant(writer.cost_total or 0.0)} in all"
    )


def _latency(writer: WriterResult) -> Cell:
    if writer.latency_s.value is None:
        return undefined(writer.latency_s.reason or "")
    late = writer.latency_p95_s.value
    return Cell(
        show.significant(writer.latency_s.value), "" if late is None else f"p95 {show.significant(late)}"
    )


def _writers(ranking: Ranked) -> Section:
    return Section("writers", "Writers", tables=(writer_table(ranking),))


def _pairs(ranking: Ranked) -> Section:
    return block.section(ranking.comparison, order=SOURCES, title="Which writers differ", what="writers")


def _facts(ranking: Ranked) -> dict[str, str]:
    return {
        "Benchmark": ranking.record.fingerprint,
        "Writers": show.listed([writer.name for writer in ranking.record.writers]),
        "Units": show.count(ranking.record.units),
        "Evidence": show.listed(list(ranking.combined.evidence)),
    }


def _origin(ranking: Ranked) -> dict[str, str]:
    made = {f"{show.capital(name)} by": one.made_by for name, one in ranking.combined.evidence.items()}
    return {"tellapart": ranking.version, "Benchmark": ranking.record.fingerprint, **made}


def _command(ranking: Ranked) -> str:
    words = ["tellapart", "contrastive", "rank", *map(str, ranking.runs)]
    if dict(ranking.record.weights.asked) != WEIGHTS:
        words += ["--weights", write_weights(ranking.record.weights.asked)]
    if ranking.comparison.baseline:
        words += ["--baseline", ranking.comparison.baseline]
    return shlex.join(words)
