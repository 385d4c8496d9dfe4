"""Distribution of margins by tier, models over each other."""

from __future__ import annotations

import altair as alt
import numpy as np
from numpy.typing import NDArray

from tellapart.bundles.page.charts.curves import Frame, Panel, draw_panels
from tellapart.bundles.page.verdict import units_differ
from tellapart.bundles.page.view import OVERALL, View
from tellapart.report import numbers as show
from tellapart.report.charts import Chart

BINS = 80
"""Points of a curve on either side of zero: a page grows with the models and not with the bundles."""

TAIL = 0.05
"""Share of a model's bundles of a tier in each tail that may lie beyond the axis."""


def margins_chart(view: View) -> Chart:
    """The share of bundles below each margin, a panel a tier; at zero it is the share that fails."""
    own = bool(units_differ(view))
    unit = (
        " Each model's margins are divided by their own median size, because models measure in different "
        "units: the sign and the shape can be held against one another, the size cannot."
        if own
        else ""
    )
    description = (
        f"For {show.listed(view.models)}, the share of bundles whose margin is at most so large, tier by "
        "tier. Left of the line at zero, on the shaded ground, bundles fail; where a curve meets the line "
        f"(the mark, and the figure above the panel) is the share that fails.{unit} The axis spans all but "
        "the outermost twentieth of a model's bundles of a tier at either end."
    )
    low, high, panels = _panels(view, own=own)
    return Chart(
        "margins",
        _conclusion(view),
        description,
        lambda width: draw_panels(panels, _frame(view, low, high, own=own), width),
    )


def cumulative(margins: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the share of margins at or below each point, in percent.

    Args:
        margins: Shape (n,), n > 0, ascending.
        grid: Shape (points,).
    """
    return 100 * np.searchsorted(margins, grid, side="right") / len(margins)


def grid(low: float, high: float) -> NDArray[np.float64]:
    """Points from ``low`` < 0 to ``high`` > 0 among which is 0 itself, ``BINS`` on either side."""
    return np.concatenate([np.linspace(low, 0.0, BINS + 1), np.linspace(0.0, high, BINS + 1)[1:]])


def _conclusion(view: View) -> str:
    scope = view.scope
    failing = {label: 1 - rate for label, rate in view.comparable(scope, "pass_rate").items()}
    where = "of all bundles" if scope == OVERALL else "of the adversarial tier"
    if not failing:
        return "There are no bundles"
    if len(failing) == 1:
        ((label, share),) = failing.items()
        return f"{label} fails {show.percent(share)} {where}"
    shares = list(failing.values())
    least, most = (pick(failing, key=failing.__getitem__) for pick in (min, max))
    if show.rate(min(shares)) == show.rate(max(shares)):
        return f"All models fail {show.percent(shares[0])} {where}"
    return (
        f"Of {where.removeprefix('of ')}, {least} fails {show.percent(failing[least])} and {most} "
        f"{show.percent(failing[most])}"
    )


def _panels(view: View, *, own: bool) -> tuple[float, float, list[Panel]]:
    """Ends of the axis, and the panels."""
    units = {board.label: (board.typical or 1.0) if own else 1.0 for board in view.boards}
    low, high = _ends(view, units)
    points = grid(low, high)
    tiers = [tier for tier in view.tiers if any(len(board.margins(tier)) for board in view.boards)]
    return low, high, [_panel(view, tier, units, points) for tier in tiers or [OVERALL]]


def _frame(view: View, low: float, high: float, *, own: bool) -> Frame:
    x = (
        alt.X("x:Q")
        .title(["Margin ÷ the model's median size" if own else "Margin", "← fails · passes →"])
        .scale(domain=[low, high], nice=False)
        .axis(grid=False, tickCount=4)
    )
    return Frame(view.models, x, "Bundles at or below, %", shaded=(low, 0.0), least=226)


def _panel(view: View, tier: str, units: dict[str, float], points: NDArray[np.float64]) -> Panel:
    curves: dict[str, list[tuple[float, float]]] = {}
    shown, marks, counts = {}, {}, []
    for board in view.boards:
        margins = board.margins(tier)
        counts.append(len(margins))
        if not len(margins):
            shown[board.label] = "no bundles"
            continue
        share = cumulative(margins / units[board.label], points)
        curves[board.label] = list(zip(points.tolist(), share.tolist(), strict=True))
        marks[board.label] = (0.0, float(share[BINS]))
        shown[board.label] = f"{show.rate(float(share[BINS]) / 100)} % fail"
    size = show.between(sorted(counts), lambda n: show.count(int(n)))
    return Panel(f"{tier}, n {size}", curves, shown, marks)


def _ends(view: View, units: dict[str, float]) -> tuple[float, float]:
    """Ends of the axis: zero lies between, a tenth from either end or more."""
    found = [
        np.quantile(margins, [TAIL, 1 - TAIL]) / units[board.label]
        for board in view.boards
        for margins in (board.margins(tier) for tier in (OVERALL, *view.tiers))
        if len(margins)
    ]
    low = min((float(ends[0]) for ends in found), default=-1.0)
    high = max((float(ends[1]) for ends in found), default=1.0)
    span = max(high, 0.0) - min(low, 0.0) or 1.0
    return min(low, -span / 10), max(high, span / 10)
