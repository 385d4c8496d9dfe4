"""Charts of an evaluated search, each with the sentence that it proves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tellapart.codesearch.figures import MeasureSummary
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.codesearch.metrics.warnings import interval_of
from tellapart.codesearch.page.cells import is_open
from tellapart.codesearch.page.trend import in_words, iterations, names
from tellapart.codesearch.page.view import View
from tellapart.core.comparison import GateOutcome
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Chart, Drawing, Point, Row, Rule, curves, rows
from tellapart.report.palette import MUTED, Look

MOST = 20
"""Areas that are drawn, those with most conversations; the table has all."""

_WHOLE = "all"
_QUARTERS = (0, 0.25, 0.5, 0.75, 1)
_LABELLED = 8
"""So many iterations have their figures beside their points."""


def areas_chart(view: View) -> Chart:
    """A panel for precision and one for recall, a row an area, the whole above them."""
    names = _shown(view)
    left_out = len(view.metrics.areas) - len(names)
    what = show.listed([measure_in_words(name) for name in view.names]).capitalize()
    description = (
        f"{what} of {show.plural(len(names), 'product area')} with 95 % intervals (thick lines: what missing "
        "verdicts leave open). The broken line is the mean of all conversations; an area below the dotted "
        "line, 0.15 lower, is an anomaly in the original pipeline."
        + (f" {left_out} smaller areas are in the table alone." if left_out else "")
    )
    return Chart("area-figures", _far_below(view), description, lambda width: _areas(view, names, width))


def _shown(view: View) -> list[str]:
    areas = view.metrics.areas
    return sorted(sorted(areas, key=lambda area: (-areas[area].count, area))[:MOST])


def _far_below(view: View) -> str:
    areas = view.metrics.areas
    if len(areas) == 1:
        return f"All conversations are of one product area, {next(iter(areas))}: none can stand out"
    sure: list[str] = []
    unsure: list[str] = []
    withheld: list[str] = []
    for area, figures in areas.items():
        below = [figures.below_aggregate[name] for name in view.names]
        if any(gap.withheld for gap in below):
            withheld.append(area)
        elif any(gap.anomaly and gap.beyond_chance for gap in below):
            sure.append(area)
        elif any(gap.anomaly for gap in below):
            unsure.append(area)
    if sure:
        return f"{_named(sure)} {'is' if len(sure) == 1 else 'are'} far below the whole, beyond chance"
    if withheld:
        return f"Missing verdicts leave open whether {_named(withheld, 'or')} is far below the whole"
    if unsure:
        verb = "looks" if len(unsure) == 1 else "look"
        return f"{_named(unsure)} {verb} far below the whole, but chance does that too"
    return "No product area is far below the whole"


def _named(areas: list[str], last: str = "and") -> str:
    return show.listed(areas, last) if len(areas) < 4 else f"{len(areas)} areas"


def _areas(view: View, names: list[str], width: int) -> Drawing:
    shown: list[Row] = []
    rules: list[Rule] = []
    for measure in view.names:
        panel, whole = measure_in_words(measure).capitalize(), view.metrics.measures[measure]
        shown.append(_area(_WHOLE, whole, panel))
        shown += [_area(name, view.metrics.areas[name].measures[measure], panel) for name in names]
        if whole.macro is not None:
            lines = ((whole.macro, (5, 3)), (whole.macro - 0.15, (1, 3)))
            rules += [Rule(at, along="y", panel=panel, dash=dash) for at, dash in lines if at > 0]
    axis = Axis(None, (-0.03, 1.03), _QUARTERS, ".2f", grid=True)
    return rows(shown, width, axis, rules=rules, least=200)


def _area(name: str, measure: MeasureSummary, panel: str) -> Row:
    low, high = interval_of(measure) or (None, None)
    left_open = is_open(measure)
    return Row(
        name,
        measure.macro,
        hollow=low is None,
        low=low,
        high=high,
        broad_low=measure.low if left_open else None,
        broad_high=measure.high if left_open else None,
        panel=panel,
    )


def trend_chart(view: View) -> Chart | None:
    """Precision and recall over iterations, with intervals; None with fewer than two iterations."""
    shown = iterations(view)
    if len(shown) < 2:
        return None
    gates = view.history.gates if view.history else ()
    worse = {gate.measure for gate in gates if gate.outcome is GateOutcome.FAILED}
    last = shown[-1].iteration
    panels = {
        measure_in_words(name).capitalize(): [
            (
                iteration.iteration,
                iteration.measures.get(name),
                iteration.iteration == last and name in worse,
            )
            for iteration in shown
        ]
        for name in names(view)
    }
    description = (
        f"{show.listed(list(panels))} of each iteration, means over conversations with 95 % intervals. A "
        "triangle that points down is a fall in an area that stops the loop."
    )
    return Chart("trend-lines", in_words(view), description, lambda width: _iterations(panels, [], width))


Iteration = tuple[int, MeasureSummary | None, bool]
"""Its number, a figure of it, and whether that has become worse."""


def _iterations(panels: Mapping[str, Sequence[Iteration]], lines: Sequence[Rule], width: int) -> Drawing:
    points: list[Point] = []
    marks: list[Point] = []
    axes = {}
    for panel, iterations_ in panels.items():
        axes[panel] = Axis("Iteration", names=[str(number) for number, _, _ in iterations_])
        for i, (_, figure, worse) in enumerate(iterations_):
            if figure is None or figure.macro is None:
                continue
            low, high = figure.interval or (None, None)
            points.append(Point(i, figure.macro, "mean", low, high, panel=panel))
            text = show.decimal(figure.macro, 2) if len(iterations_) <= _LABELLED else ""
            shape, size = ("triangle-down", 130) if worse else ("", 60)
            marks.append(Point(i, figure.macro, shape=shape, size=size, text=text, panel=panel))
    return curves(
        points,
        width,
        axes,
        Axis(None, (0, 1.05), _QUARTERS, ".2f"),
        looks={"mean": Look(MUTED, "circle", (1, 0))},
        marks=marks,
        rules=lines,
        panels=list(panels),
        height=210,
        least=260,
        widest=560,
    )
