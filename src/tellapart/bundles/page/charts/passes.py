"""How many lineups the candidates passed, and how many of them a single lineup would let through."""

from __future__ import annotations

import altair as alt
import polars as pl

from tellapart.bundles.results import MiningStats
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Drawing
from tellapart.report.palette import GRID, INK, MUTED, PAPER, looks

_HEIGHT, _AXIS = 240, 62


def passes_chart(stats: MiningStats) -> Chart:
    """Candidates by lineups passed; the filled part is what one lineup drawn at random would accept."""
    none = stats.pass_distribution.get("0", 0)
    description = (
        "Candidates by the number of lineups they passed. The filled part of a bar is what a single lineup "
        "lets through on average: of candidates that pass half of the lineups, half. On the shaded ground "
        "are candidates that were not accepted; what is filled there are pseudo-killers. Not drawn: "
        f"{show.plural(none, 'candidate')} without a pass."
    )
    return Chart("pass-distribution", _conclusion(stats), description, lambda width: _draw(stats, width))


def _conclusion(stats: MiningStats) -> str:
    single = stats.single_lineup
    if not stats.candidates_tested:
        return "No candidate was tested"
    if not single.passed:
        return "The first lineup alone would have let nothing through"
    return (
        f"Of what the first lineup alone lets through, {show.percent(single.pseudo_killer_share or 0.0)} "
        "does not pass again often enough"
    )


def _draw(stats: MiningStats, width: int) -> Drawing:
    counts = {int(passes): n for passes, n in stats.pass_distribution.items() if int(passes)}
    lineups, least = max(counts, default=1), stats.min_passes
    plot = width - _AXIS
    colour = next(iter(looks(["mined"]).values())).colour
    rows = [
        {
            "low": passes - 0.36,
            "high": passes + 0.36,
            "passes": float(passes),
            "n": float(n),
            "single": n * passes / lineups,
            "text": show.count(n),
        }
        for passes, n in counts.items()
    ]
    frame = pl.DataFrame(rows)
    highest = max(counts.values(), default=1) or 1
    x = alt.X("low:Q").title("Lineups passed").scale(domain=[0.5, lineups + 0.5], nice=False)
    x = x.axis(values=sorted(counts), tickCount=len(counts), grid=False, format="d")
    y = alt.Y("n:Q").title("Candidates").scale(domain=[0, 1.25 * highest], nice=False)
    y = y.axis(tickCount=min(5, highest), domain=False, ticks=False, format=",d")
    base = alt.Chart(frame).encode(x=x, x2="high:Q")
    layers = [
        *_ground(least, x, plot),
        base.mark_bar(fill=PAPER, stroke=colour, strokeWidth=1.4).encode(y=y, y2=alt.datum(0)),
        base.mark_bar(color=colour).encode(y=alt.Y("single:Q"), y2=alt.datum(0)),
        alt.Chart(frame)
        .mark_text(baseline="bottom", dy=-4, color=INK)
        .encode(x=alt.X("passes:Q"), y="n:Q", text="text:N"),
    ]
    return alt.LayerChart(layer=layers, width=plot, height=_HEIGHT)


def _ground(least: int | None, x: alt.X, plot: int) -> list[alt.Chart]:
    """Shade where candidates are not accepted."""
    if least is None or least < 2:
        return []
    ground = pl.DataFrame({"low": [0.5], "high": [least - 0.5], "text": ["not accepted"]})
    base = alt.Chart(ground)
    return [
        base.mark_rect(color=GRID, opacity=0.55).encode(
            x=x, x2="high:Q", y=alt.value(0), y2=alt.value(_HEIGHT)
        ),
        base.mark_text(align="left", baseline="top", dx=6, dy=5, color=MUTED).encode(
            x=alt.X("low:Q"), y=alt.value(0), text="text:N"
        ),
    ]
