"""The ranks that each model may have."""

from __future__ import annotations

import altair as alt
import polars as pl

from tellapart.audit.page.charts.gutter import fitted, gutter, room_for
from tellapart.audit.page.record import View
from tellapart.audit.page.words import scale
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Drawing
from tellapart.report.palette import INK, MUTED

MOST_ROWS = 60

_ROW, _TIGHT = 24, 17
_AXIS = 20
_FIGURES = 52


def ranks_chart(view: View) -> Chart | None:
    """A line from the best to the worst rank of each model; None where no model has such a range."""
    if not any(ranked.rank_ci for ranked in view.ranking):
        return None
    rows = f" The first {MOST_ROWS} models are shown." if len(view.ranking) > MOST_ROWS else ""
    description = (
        "Each model's rank by its mean (the dot), the ranks it may have given the pairs that are separated "
        f"(the line), and its mean{scale(view).unit} on the right.{rows}"
    )
    return Chart("ranks", _conclusion(view), description, lambda width: _draw(view, width))


def _conclusion(view: View) -> str:
    known = [ranked for ranked in view.ranking if ranked.rank_ci]
    certain = [ranked for ranked in known if ranked.rank_ci and ranked.rank_ci[0] == ranked.rank_ci[1]]
    if len(certain) == len(known):
        return f"The order is certain: each of the {len(known)} models has one rank only"
    firsts = [ranked.model for ranked in known if ranked.rank_ci and ranked.rank_ci[0] == 1]
    if len(firsts) == 1:
        lead = f"{firsts[0]} is first for certain"
    else:
        named = show.listed(firsts) if len(firsts) <= 3 else show.plural(len(firsts), "model")
        lead = f"{named} may be first"
    verb = "is" if len(certain) == 1 else "are"
    return f"{lead}; {len(certain) or 'none'} of {len(known)} ranks {verb} certain"


def _draw(view: View, width: int) -> Drawing:
    form = scale(view)
    shown = [ranked for ranked in view.ranking if ranked.rank_ci][:MOST_ROWS]
    frame = pl.DataFrame(
        {
            "place": [str(i) for i in range(len(shown))],
            "rank": [ranked.rank for ranked in shown],
            "best": [ranked.rank_ci[0] for ranked in shown if ranked.rank_ci],
            "worst": [ranked.rank_ci[1] for ranked in shown if ranked.rank_ci],
            "mean": ["" if ranked.mean is None else form.mean(ranked.mean) for ranked in shown],
        }
    )
    left = room_for([ranked.model for ranked in shown], width)
    plot = width - left - _FIGURES - 22
    called = pl.Series([fitted(ranked.model, left) for ranked in shown])
    names = alt.Chart(frame.with_columns(name=called))
    last = max(len(view.ranking), 2)
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if last / step <= plot / 28)
    ticks = [1, *range(step if step > 1 else 2, last + 1, step)]
    x = alt.X("best:Q").title("Rank").scale(domain=[0.5, last + 0.5], nice=False)
    x = x.axis(values=ticks, tickCount=len(ticks), format="d", domain=False, ticks=False)
    y = alt.Y("place:N").sort(frame["place"].to_list()).axis(None)
    base = alt.Chart(frame).encode(y=y)
    layers = [
        gutter(left),
        base.mark_rule(color=MUTED, strokeWidth=5, opacity=0.45, strokeCap="round").encode(x=x, x2="worst:Q"),
        base.mark_point(filled=True, size=64, color=INK, opacity=1).encode(
            x=alt.X("rank:Q").scale(domain=[0.5, last + 0.5], nice=False)
        ),
        names.mark_text(align="right", color=INK).encode(x=alt.value(-8), y=y, text="name:N"),
        base.mark_text(align="right", color=INK).encode(x=alt.value(plot + _FIGURES), text="mean:N"),
    ]
    row = _ROW if len(shown) <= 20 else _TIGHT
    return alt.LayerChart(layer=layers, width=plot, height=row * len(shown))
