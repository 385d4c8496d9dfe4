"""Charts of an evaluated search, each with the sentence that it proves."""

from __future__ import annotations

from tellapart.codesearch.figures import MeasureSummary
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.codesearch.metrics.warnings import interval_of
from tellapart.codesearch.page.tables import is_open
from tellapart.codesearch.page.trend import in_words, iterations, names
from tellapart.codesearch.page.view import View
from tellapart.core.comparison import GateOutcome
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Chart, Drawing, Point, Row, Rule, curves, rows
from tellapart.report.palette import MUTED, Look

MOST = 20
"""Areas that are drawn, those with most conversations; the table has all."""

_QUARTERS = (0, 0.25, 0.5, 0.75, 1)
_LABELLED = 8
"""So many iterations have their figures beside their points."""


def areas_chart(view: View) -> Chart:
    """A panel for precision and one for recall, a row an area, the whole above them."""
    areas = view.metrics.areas
    shown = sorted(sorted(areas, key=lambda area: (-areas[area].count, area))[:MOST])
    what = show.listed([measure_in_words(name) for name in view.names]).capitalize()
    left_out = len(areas) - len(shown)
    description = (
        f"{what} of {show.plural(len(shown), 'product area')} with 95 % intervals (thick lines: what missing "
        "verdicts leave open). The broken line is the mean of all conversations; an area below the dotted "
        "line, 0.15 lower, is an anomaly in the original pipeline."
        + (f" {left_out} smaller areas are in the table alone." if left_out else "")
    )
    return Chart("area-figures", _far_below(view), description, lambda width: _areas(view, shown, width))


def _far_below(view: View) -> str:
    areas = view.metrics.areas
    if len(areas) == 1:
        return f"All conversations are of one product area, {next(iter(areas))}: none can stand out"
    gaps = {area: [figures.below_aggregate[name] for name in view.names] for area, figures in areas.items()}
    far = [area for area, below in gaps.items() if any(gap.anomaly and gap.beyond_chance for gap in below)]
    if far:
        named = show.listed(far) if len(far) < 4 else f"{len(far)} areas"
        return f"{named} {'is' if len(far) == 1 else 'are'} far below the whole, beyond chance"
    return "No product area is far below the whole beyond chance"


def _areas(view: View, shown: list[str], width: int) -> Drawing:
    drawn: list[Row] = []
    rules: list[Rule] = []
    for name in view.names:
        panel, whole = measure_in_words(name).capitalize(), view.metrics.measures[name]
        drawn.append(_area("all", whole, panel))
        drawn += [_area(area, view.metrics.areas[area].measures[name], panel) for area in shown]
        if whole.macro is not None:
            lines = ((whole.macro, (5, 3)), (whole.macro - 0.15, (1, 3)))
            rules += [Rule(at, along="y", panel=panel, dash=dash) for at, dash in lines if at > 0]
    axis = Axis(None, (-0.03, 1.03), _QUARTERS, ".2f", grid=True)
    return rows(drawn, width, axis, rules=rules, least=200)


def _area(name: str, measure: MeasureSummary, panel: str) -> Row:
    low, high = interval_of(measure) or (None, None)
    least, most = measure.bounds if is_open(measure) else (None, None)
    return Row(
        name,
        measure.macro,
        hollow=low is None,
        low=low,
        high=high,
        broad_low=least,
        broad_high=most,
        panel=panel,
    )


def trend_chart(view: View) -> Chart | None:
    """Precision and recall over iterations, with intervals; None with fewer than two iterations."""
    if len(iterations(view)) < 2:
        return None
    panels = show.listed([measure_in_words(name).capitalize() for name in names(view)])
    description = (
        f"{panels} of each iteration, means over conversations with 95 % intervals. A triangle that points "
        "down is a fall in an area that stops the loop."
    )
    return Chart("trend-lines", in_words(view), description, lambda width: _iterations(view, width))


def _iterations(view: View, width: int) -> Drawing:
    shown = iterations(view)
    gates = view.history.gates if view.history else ()
    worse = {gate.measure for gate in gates if gate.outcome is GateOutcome.FAILED}
    points: list[Point] = []
    marks: list[Point] = []
    axes = {}
    for name in names(view):
        panel = measure_in_words(name).capitalize()
        axes[panel] = Axis("Iteration", names=[str(each.iteration) for each in shown])
        for place, each in enumerate(shown):
            figure = each.measures.get(name)
            if figure is None or figure.macro is None:
                continue
            low, high = figure.interval or (None, None)
            points.append(Point(place, figure.macro, "mean", low, high, panel=panel))
            text = show.decimal(figure.macro, 2) if len(shown) <= _LABELLED else ""
            fell = each is shown[-1] and name in worse
            shape, size = ("triangle-down", 130) if fell else ("", 60)
            marks.append(Point(place, figure.macro, shape=shape, size=size, text=text, panel=panel))
    return curves(
        points,
        width,
        axes,
        Axis(None, (0, 1.05), _QUARTERS, ".2f"),
        looks={"mean": Look(MUTED, "circle", (1, 0))},
        marks=marks,
        rules=[],
        panels=list(axes),
        height=210,
        least=260,
        widest=560,
    )
