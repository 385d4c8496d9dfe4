"""Charts of scoreboards, each with the sentence that it proves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tellapart.bundles.page.verdict import units_differ
from tellapart.bundles.page.view import View
from tellapart.bundles.tier_names import ADVERSARIAL, OVERALL
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Band, Chart, Drawing, Point, Row, curves, rows
from tellapart.report.comparison import words
from tellapart.report.palette import looks

BINS = 80
"""Points of a curve on either side of zero: a page grows with the models and not with the bundles."""

TAIL = 0.05
"""Share of a model's bundles of a tier in each tail that may lie beyond the axis."""


def rates_chart(view: View) -> Chart:
    """Pass rates, a panel a tier, a row a model."""
    any_own_cut = any(board.own_cut for board in view.boards)
    hollow = (
        " Hollow marks, without an interval, follow from tiers cut by the model's own margins."
        if any_own_cut
        else ""
    )
    description = (
        f"For {show.listed(view.models)}, the pass rate in percent over all bundles and tier by tier, with "
        f"95 % intervals.{hollow}"
    )
    return Chart("pass-rates", _passing(view), description, lambda width: _rates(view, width))


def _passing(view: View) -> str:
    tier = ADVERSARIAL if view.scope == ADVERSARIAL else OVERALL
    shares = view.comparable(tier, "pass_rate")
    where = "on the adversarial tier" if tier == ADVERSARIAL else "over all bundles"
    if not shares:
        return "There are no bundles"
    span = show.between(list(shares.values()), show.percent)
    who = f"{next(iter(shares))} passes" if len(shares) == 1 else "Models pass"
    easiest = next(iter(view.tiers), tier)
    easy = [rate for label, rate in view.comparable(easiest, "pass_rate").items() if label in shares]
    doubt = _doubt(view, tier)
    if tier == OVERALL or not easy:
        return f"{who} {span} {where}{doubt}"
    return f"{who} {show.between(easy, show.percent)} of {words(easiest)} and {span} {where}{doubt}"


def _doubt(view: View, tier: str) -> str:
    """How far the intervals of the pass rates reach, in brackets; empty without one."""
    boards = [
        board for board in view.boards if tier in board.tiers and (tier == OVERALL or not board.own_cut)
    ]
    intervals = [board.tiers[tier].ci95.get("pass_rate") for board in boards]
    ends = [end for interval in intervals if interval for end in interval]
    return f" (95 % intervals within {show.rate_range((min(ends), max(ends)))} %)" if ends else ""


def _rates(view: View, width: int) -> Drawing:
    scopes = [
        scope
        for scope in (OVERALL, *view.tiers)
        if any(scope in board.tiers and board.tiers[scope].n for board in view.boards)
    ]
    rate_rows = [row for scope in scopes or [OVERALL] for row in _rate_rows(view, scope)]
    axis = Axis(None, (-4, 104), [0, 25, 50, 75, 100], label="datum.value + ' %'", grid=True)
    return rows(rate_rows, width, axis, least=200)


def _rate_rows(view: View, scope: str) -> list[Row]:
    style, rate_rows = looks(view.models), []
    panel = scope + _size([board.tiers[scope].n for board in view.boards if scope in board.tiers])
    for board in view.boards:
        stats, look = board.tiers.get(scope), style[board.label]
        if stats is None or stats.pass_rate is None:
            rate_rows.append(Row(board.label, panel=panel))
            continue
        is_own_cut = board.own_cut and scope != OVERALL
        low, high = (None if is_own_cut else stats.ci95.get("pass_rate")) or (None, None)
        rate_rows.append(
            Row(
                board.label,
                100 * stats.pass_rate,
                shape=look.shape,
                hollow=is_own_cut,
                low=None if low is None else 100 * low,
                high=None if high is None else 100 * high,
                colour=look.colour,
                panel=panel,
            )
        )
    return rate_rows


def _size(counts: Sequence[int]) -> str:
    sizes = sorted(count for count in counts if count)
    return f", n {show.between(sizes, lambda n: show.count(int(n)))}" if sizes else ""


def margins_chart(view: View) -> Chart:
    """The share of bundles below each margin, a panel a tier; at zero it is the share that fails."""
    by_size = bool(units_differ(view))
    unit = (
        " Each model's margins are divided by their own median size, because models measure in different "
        "units: compare signs and shapes, not sizes."
        if by_size
        else ""
    )
    description = (
        f"For {show.listed(view.models)}, the share of bundles at or below each margin, tier by "
        "tier. Left of the line at zero, on the shaded ground, bundles fail; where a curve meets the line "
        f"(the mark, and the figure above the panel) is the share that fails.{unit} The axis spans all but "
        "the outermost twentieth of a model's bundles of a tier at either end."
    )
    return Chart("margins", _failing(view), description, lambda width: _margins(view, width, by_size=by_size))


def cumulative(margins: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the share of margins at or below each point, in percent."""
    return 100 * np.searchsorted(margins, grid, side="right") / len(margins)


def grid(low: float, high: float) -> NDArray[np.float64]:
    """Points from ``low`` < 0 to ``high`` > 0 among which is 0 itself, ``BINS`` on either side."""
    return np.concatenate([np.linspace(low, 0.0, BINS + 1), np.linspace(0.0, high, BINS + 1)[1:]])


def _failing(view: View) -> str:
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


def _margins(view: View, width: int, *, by_size: bool) -> Drawing:
    units = {board.label: (board.typical or 1.0) if by_size else 1.0 for board in view.boards}
    low, high = _ends(view, units)
    points = grid(low, high)
    lines: list[Point] = []
    marks: list[Point] = []
    figures: dict[str, dict[str, str]] = {}
    for tier in _tiers(view):
        panel = _panel(view, tier)
        of_panel = figures.setdefault(panel, {})
        for board in view.boards:
            margins = board.margins(tier)
            if not len(margins):
                of_panel[board.label] = "no bundles"
                continue
            share = cumulative(margins / units[board.label], points).tolist()
            lines += [Point(x, y, board.label, panel=panel) for x, y in zip(points, share, strict=True)]
            marks.append(Point(0.0, share[BINS], board.label, panel=panel))
            of_panel[board.label] = f"{show.rate(share[BINS] / 100)} % fail"
    title = ("Margin ÷ the model's median size" if by_size else "Margin", "← fails · passes →")
    return curves(
        lines,
        width,
        Axis(title, (low, high), 4),
        Axis("Bundles at or below, %", (0, 100), [0, 25, 50, 75, 100]),
        looks=looks(view.models),
        figures=figures,
        marks=marks,
        bands=[Band(low, 0.0)],
        panels=list(figures),
        height=210,
        least=226,
    )


def _tiers(view: View) -> list[str]:
    return [tier for tier in view.tiers if any(len(board.margins(tier)) for board in view.boards)] or [
        OVERALL
    ]


def _panel(view: View, tier: str) -> str:
    return tier + (_size([len(board.margins(tier)) for board in view.boards]) or ", n 0")


def _ends(view: View, units: dict[str, float]) -> tuple[float, float]:
    """Ends of the axis: zero lies between, a tenth from either end or more."""
    quantiles = [
        np.quantile(margins, [TAIL, 1 - TAIL]) / units[board.label]
        for board in view.boards
        for margins in (board.margins(tier) for tier in (OVERALL, *view.tiers))
        if len(margins)
    ]
    low = min((float(ends[0]) for ends in quantiles), default=-1.0)
    high = max((float(ends[1]) for ends in quantiles), default=1.0)
    span = max(high, 0.0) - min(low, 0.0) or 1.0
    return min(low, -span / 10), max(high, span / 10)
