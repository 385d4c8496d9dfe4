"""The chart of the margins of several models, with the sentence that it proves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tellapart.bundles.page.view import Report, units_differ
from tellapart.bundles.tier_names import OVERALL, TIERS
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Band, Chart, Drawing, Point, curves
from tellapart.report.palette import looks

BINS = 80
"""Points of a curve on either side of zero: a page grows with the models and not with the bundles."""

TAIL = 0.05
"""Share of a model's bundles of a tier in each tail that may lie beyond the axis."""


def margins_chart(report: Report) -> Chart:
    """The share of bundles below each margin, a panel a tier; at zero it is the share that fails."""
    by_size = bool(units_differ(report))
    unit = (
        " Each model's margins are divided by their own median size, because models measure in different "
        "units: compare signs and shapes, not sizes."
        if by_size
        else ""
    )
    description = (
        f"For {show.listed(report.boards.labels)}, the share of bundles at or below each margin, tier by "
        "tier. Left of the line at zero, on the shaded ground, bundles fail; where a curve meets the line "
        f"(the mark, and the figure above the panel) is the share that fails.{unit} The axis spans all but "
        "the outermost twentieth of a model's bundles of a tier at either end."
    )
    return Chart("margins", _failing(report), description, lambda width: _draw(report, width, by_size))


def cumulative(margins: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the share of margins at or below each point, in percent."""
    return 100 * np.searchsorted(margins, grid, side="right") / len(margins)


def _failing(report: Report) -> str:
    scope = report.scope
    failing = {
        label: 1 - rate
        for label, scored in report
        if (rate := scored.board.tiers[scope].pass_rate) is not None
        and (scope == OVERALL or not scored.is_own_cut)
    }
    where = "all bundles" if scope == OVERALL else "the adversarial tier"
    if not failing:
        return "There are no bundles"
    least, most = (pick(failing, key=failing.__getitem__) for pick in (min, max))
    if len(failing) == 1:
        return f"{least} fails {show.percent(failing[least])} of {where}"
    if show.rate(failing[least]) == show.rate(failing[most]):
        return f"All models fail {show.percent(failing[least])} of {where}"
    return (
        f"Of {where}, {least} fails {show.percent(failing[least])} and {most} {show.percent(failing[most])}"
    )


def _draw(report: Report, width: int, by_size: bool) -> Drawing:
    units = {
        label: (report.typical_margin(label, scored) or 1.0) if by_size else 1.0 for label, scored in report
    }
    low, high = _ends(report, units)
    grid = np.concatenate([np.linspace(low, 0.0, BINS + 1), np.linspace(0.0, high, BINS + 1)[1:]])
    lines: list[Point] = []
    marks: list[Point] = []
    figures: dict[str, dict[str, str]] = {}
    tiers = [tier for tier in TIERS if any(len(report.margins(*named, tier)) for named in report)]
    for tier in tiers or [OVERALL]:
        sizes = sorted({len(report.margins(*named, tier)) for named in report})
        panel = f"{tier}, n {show.between(sizes, lambda n: show.count(int(n)))}"
        of_panel = figures.setdefault(panel, {})
        for label, scored in report:
            margins = report.margins(label, scored, tier)
            if not len(margins):
                of_panel[label] = "no bundles"
                continue
            share = cumulative(margins / units[label], grid).tolist()
            lines += [Point(x, y, label, panel=panel) for x, y in zip(grid, share, strict=True)]
            marks.append(Point(0.0, share[BINS], label, panel=panel))
            of_panel[label] = f"{show.rate(share[BINS] / 100)} % fail"
    title = ("Margin ÷ the model's median size" if by_size else "Margin", "← fails · passes →")
    return curves(
        lines,
        width,
        Axis(title, (low, high), 4),
        Axis("Bundles at or below, %", (0, 100), [0, 25, 50, 75, 100]),
        looks=looks(report.boards.labels),
        figures=figures,
        marks=marks,
        bands=[Band(low, 0.0)],
        panels=list(figures),
        height=210,
        least=226,
    )


def _ends(report: Report, units: dict[str, float]) -> tuple[float, float]:
    """Ends of the axis: zero lies between, a tenth from either end or more."""
    quantiles = [
        np.quantile(margins, [TAIL, 1 - TAIL]) / units[label]
        for label, scored in report
        for margins in (report.margins(label, scored, tier) for tier in (OVERALL, *TIERS))
        if len(margins)
    ]
    low = min((float(ends[0]) for ends in quantiles), default=-1.0)
    high = max((float(ends[1]) for ends in quantiles), default=1.0)
    span = max(high, 0.0) - min(low, 0.0) or 1.0
    return min(low, -span / 10), max(high, span / 10)
