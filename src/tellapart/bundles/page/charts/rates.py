"""Pass rates by tier with their intervals."""

from __future__ import annotations

import altair as alt
import polars as pl

from tellapart.bundles.page.view import ADVERSARIAL, OVERALL, View
from tellapart.report import numbers as show
from tellapart.report.charts import GUTTER, Chart, Drawing, columns_for
from tellapart.report.palette import PAPER, looks

_ROW = 22
_LETTER = 7.2
"""Pixels of a letter of a model's name."""


def rates_chart(view: View) -> Chart:
    """Pass rates, a panel a tier, a row a model."""
    own = any(board.own_cut for board in view.boards)
    hollow = (
        " Hollow marks, without an interval, follow from tiers cut by the model's own margins." if own else ""
    )
    description = (
        f"For {show.listed(view.models)}, the pass rate in percent over all bundles and tier by tier, with "
        f"95 % intervals.{hollow}"
    )
    return Chart("pass-rates", _conclusion(view), description, lambda width: _draw(view, width))


def _conclusion(view: View) -> str:
    tier = ADVERSARIAL if view.scope == ADVERSARIAL else OVERALL
    known = view.comparable(tier, "pass_rate")
    where = "on the adversarial tier" if tier == ADVERSARIAL else "over all bundles"
    if not known:
        return "There are no bundles"
    span = show.between(list(known.values()), show.percent)
    who = f"{next(iter(known))} passes" if len(known) == 1 else "Models pass"
    easiest = next(iter(view.tiers), tier)
    easy = [rate for label, rate in view.comparable(easiest, "pass_rate").items() if label in known]
    if tier == OVERALL or not easy:
        return f"{who} {span} {where}"
    return f"{who} {show.between(easy, show.percent)} of {easiest} and {span} {where}"


def _draw(view: View, width: int) -> Drawing:
    names = min(max(len(name) for name in view.models) * _LETTER + 12, 112)
    scopes = [
        scope
        for scope in (OVERALL, *view.tiers)
        if any(scope in board.tiers and board.tiers[scope].n for board in view.boards)
    ]
    columns, room = columns_for(width, len(scopes), int(150 + names))
    charts = [_panel(view, scope, room - int(names) - 14) for scope in scopes or [OVERALL]]
    return alt.concat(*charts, columns=columns, spacing={"column": GUTTER, "row": 22})


def _panel(view: View, scope: str, width: int) -> alt.LayerChart:
    rows, counts = [], []
    for board in view.boards:
        found = board.tiers.get(scope)
        if found and found.pass_rate is not None:
            own = board.own_cut and scope != OVERALL
            span = None if own else found.ci95.get("pass_rate")
            rate = 100 * found.pass_rate
            low, high = (rate, rate) if span is None else (100 * end for end in span)
            rows.append({"model": board.label, "rate": rate, "low": low, "high": high, "own": own})
            counts.append(found.n)
    schema = {
        "model": pl.String,
        "rate": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "own": pl.Boolean,
    }
    style = looks(view.models)
    domain, order = list(style), list(style.values())
    colour = alt.Color("model:N").scale(domain=domain, range=[one.colour for one in order]).legend(None)
    shape = alt.Shape("model:N").scale(domain=domain, range=[one.shape for one in order]).legend(None)
    x = alt.X("rate:Q").title(None).scale(domain=[-4, 104], nice=False)
    x = x.axis(values=[0, 25, 50, 75, 100], tickCount=5, domain=False, labelExpr="datum.value + ' %'")
    y = alt.Y("model:N").sort(domain).title(None).scale(domain=domain)
    y = y.axis(domain=False, ticks=False, labelFontWeight="bold", labelLimit=84)
    base = alt.Chart(pl.DataFrame(rows, schema=schema)).encode(y=y, color=colour)
    layers = [
        base.mark_rule(strokeWidth=1.8).encode(x=alt.X("low:Q", title=None), x2="high:Q"),
        base.transform_filter("!datum.own")
        .mark_point(filled=True, size=70, opacity=1)
        .encode(x=x, shape=shape),
        base.transform_filter("datum.own")
        .mark_point(fill=PAPER, size=70, opacity=1)
        .encode(x=x, shape=shape),
    ]
    size = f", n {show.between(sorted(counts), lambda n: show.count(int(n)))}" if counts else ""
    title = alt.TitleParams(f"{scope}{size}", limit=width + 60)
    return alt.LayerChart(layer=layers, width=width, height=_ROW * len(domain), title=title)
