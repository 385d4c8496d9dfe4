"""Distribution of ranks by tier, models over each other."""

from __future__ import annotations

import altair as alt

from tellapart.bundles.page.charts.curves import Frame, Panel, draw_panels
from tellapart.bundles.page.view import OVERALL, View
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Drawing

STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Ranks that have a place of their own on the axis."""


def ranks_chart(view: View) -> Chart:
    """The share of bundles whose positive is among the first k, a panel a tier."""
    description = (
        f"For {show.listed(view.models)}, the share of bundles whose positive is among the first k of the "
        "positive and its negatives, tier by tier, on a logarithmic axis. The figure above a panel is the "
        "share among the first 3, at the mark. Positives and negatives that tie share their places out."
    )
    return Chart("rank-distribution", _conclusion(view), description, lambda width: _draw(view, width))


def _conclusion(view: View) -> str:
    where = "of all bundles" if view.scope == OVERALL else "of the adversarial tier"
    shares = view.comparable(view.scope, "top3")
    if not shares:
        return "There are no bundles"
    known, label = list(shares.values()), max(shares, key=shares.__getitem__)
    if len(known) == 1:
        return f"The positive is among the first 3 in {show.percent(known[0])} {where} for {label}"
    if show.rate(min(known)) == show.rate(max(known)):
        return f"The positive is among the first 3 in {show.percent(known[0])} {where} for every model"
    return (
        f"The positive is among the first 3 in {show.rate(min(known))}–{show.percent(max(known))} {where}, "
        f"most often for {label}"
    )


def _draw(view: View, width: int) -> Drawing:
    last = max((board.last_rank for board in view.boards), default=1)
    steps = [step for step in STEPS if step < last]
    steps.append(max(last, 2))
    tiers = [tier for tier in view.tiers if any(len(board.margins(tier)) for board in view.boards)]
    panels = [_panel(view, tier, steps) for tier in tiers or [OVERALL]]
    ticks = [step for step in steps if step in (1, 2, 3, 5, 10, 20, 50, 100, 500, 1000)]
    x = (
        alt.X("x:Q")
        .title("k (log)")
        .scale(type="log", domain=[1, steps[-1]], nice=False)
        .axis(grid=False, values=ticks, tickCount=len(ticks), format=",d")
    )
    frame = Frame(view.models, x, "Positive among the first k, %", least=226)
    return draw_panels(panels, frame, width)


def _panel(view: View, tier: str, steps: list[int]) -> Panel:
    curves: dict[str, list[tuple[float, float]]] = {}
    shown, marks, counts = {}, {}, []
    for board in view.boards:
        counts.append(len(board.margins(tier)))
        if not counts[-1]:
            shown[board.label] = "no bundles"
            continue
        share = 100 * board.within(tier, steps)
        third = float(board.within(tier, [3])[0])
        curves[board.label] = list(zip(map(float, steps), share.tolist(), strict=True))
        marks[board.label] = (3.0, 100 * third)
        shown[board.label] = show.percent(third)
    if steps[-1] < 3:
        marks = {}
    size = show.between(sorted(counts), lambda n: show.count(int(n)))
    return Panel(f"{tier}, n {size}", curves, shown, marks)
