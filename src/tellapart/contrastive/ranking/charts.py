"""Charts of a ranking of writers, each with the sentence that it proves."""

from __future__ import annotations

import polars as pl

from tellapart.contrastive.evidence_kinds import SOURCES
from tellapart.contrastive.ranking.combined import source_means
from tellapart.contrastive.ranking.ranked import Ranked
from tellapart.contrastive.ranking.results import WriterResult
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Chart, Drawing, Point, Row, Rule, Scatter, curves, rows, scatter
from tellapart.report.palette import looks

_SHARE = (0.0, 100.0)
_NAMES = {"cost": "Cost of 1,000 summaries, $", "latency_s": "Median latency, s"}
_SCALE = {"cost": 1000.0, "latency_s": 1.0}


def forest(ranking: Ranked) -> Chart:
    """Combined score of each writer with its interval, and each source in a panel of its own."""
    writers = [writer for writer in ranking.record.writers if writer.combined.value is not None]
    parts = ["combined", *(source for source in SOURCES if source in ranking.combined.evidence)]
    panels = parts if len(parts) > 2 else parts[:1]
    drawn = [_row(writer, panel) for panel in panels for writer in writers]
    best, last = writers[0], writers[-1]
    title = (
        f"{best.name} has the highest combined score, {show.rate(best.combined.value or 0.0)} of 100; "
        f"{last.name} the lowest, {show.rate(last.combined.value or 0.0)}"
    )
    description = (
        f"Scores of {show.listed([writer.name for writer in writers])} with 95 % intervals: "
        f"{show.listed(panels)}."
    )
    return Chart(
        "forest",
        title,
        description,
        lambda width: rows(drawn, width, Axis("Score, of 100", _SHARE, grid=True), title="Writer", least=150),
    )


def _row(writer: WriterResult, panel: str) -> Row:
    estimate = getattr(writer, panel)
    if estimate.value is None:
        return Row(writer.name, figure="–", panel=show.capital(panel))
    low, high = (None if end is None else 100 * end for end in (estimate.low, estimate.high))
    figure = show.rate(estimate.value)
    return Row(
        writer.name, 100 * estimate.value, low=low, high=high, figure=figure, panel=show.capital(panel)
    )


def weights(ranking: Ranked) -> Chart:
    """Combined score of each writer as the weight of one source goes from nothing to everything."""
    sensitivity = ranking.record.sensitivity
    effective = ranking.record.weights.effective
    sources, names = list(effective), list(ranking.combined.writers)
    means = dict(zip(names, source_means(ranking.combined).tolist(), strict=True))
    order = [
        writer.name for writer in ranking.record.writers if sensitivity and writer.name in sensitivity.first
    ]
    points = []
    for k, source in enumerate(sources):
        rest = 1 - effective[source]
        for name in order:
            others = sum(effective[other] * means[name][i] for i, other in enumerate(sources) if i != k)
            # The other sources keep their proportions.
            others = others / rest if rest else 0.0
            for share in (0.0, 1.0):
                value = share * means[name][k] + (1 - share) * others
                points.append(Point(100 * share, 100 * value, name, panel=_panel(source)))
    rules = [
        Rule(100 * weight, along="y", panel=_panel(source), dash=(2, 3))
        for source, weight in effective.items()
    ]
    description = (
        f"Combined scores of {show.listed(order)} as the weight of one source goes from 0 to 100 % and the "
        "others keep their proportions; the broken line is the weight that was used. The means are taken as "
        "exact."
    )

    def draw(width: int) -> Drawing:
        return curves(
            points,
            width,
            Axis("Weight, %", _SHARE, [0, 25, 50, 75, 100]),
            Axis("Combined score", _SHARE, 5),
            looks=looks(order),
            marks=[],
            rules=rules,
            panels=[_panel(source) for source in sources],
            least=230,
        )

    return Chart("weights", _how_firm(ranking), description, draw)


def _panel(source: str) -> str:
    return f"More or less {source}"


def _how_firm(ranking: Ranked) -> str:
    sensitivity = ranking.record.sensitivity
    first = ranking.record.writers[0].name
    if sensitivity is None or sensitivity.nearest is None:
        return f"{first} is first whatever the weights"
    share = show.whole_percent(sensitivity.first[first])
    return f"{first} is first under {share} of all weights; next comes {sensitivity.nearest.writer}"


def pareto(ranking: Ranked, price: str) -> Chart | None:
    """Combined score against cost or latency; None where no two writers have both."""
    known = [
        (writer.name, getattr(writer, price), writer.combined)
        for writer in ranking.record.writers
        if getattr(writer, price).value is not None and writer.combined.value is not None
    ]
    if len(known) < 2:
        return None
    frame = pl.DataFrame(
        {
            "name": [name for name, _, _ in known],
            **{
                f"{end}_0": [_times(getattr(cost, end), _SCALE[price]) for _, cost, _ in known]
                for end in ("value", "low", "high")
            },
            **{
                f"{end}_1": [_times(getattr(score, end), 100.0) for _, _, score in known]
                for end in ("value", "low", "high")
            },
        },
        schema_overrides={f"{end}_{i}": pl.Float64 for end in ("value", "low", "high") for i in (0, 1)},
    )
    on = ranking.record.pareto[price]
    what = "cost" if price == "cost" else "latency"
    drawn = Scatter(
        frame, frozenset(on), frozenset(), (_NAMES[price], "Combined score, of 100"), (False, True)
    )
    others = len(known) - len(on)
    beaten = f"; {show.plural(others, 'other')} beaten" if others else ""
    return Chart(
        f"pareto-{what}",
        f"On the frontier of quality and {what}: {show.listed(on)}{beaten}",
        f"Each writer by {what} and combined score; strong on the frontier, faded where another writer is at "
        "least as good in both and better in one. Bars are 95 % intervals.",
        lambda width: scatter(drawn, width),
    )


def _times(value: float | None, scale: float) -> float | None:
    return None if value is None else scale * value
