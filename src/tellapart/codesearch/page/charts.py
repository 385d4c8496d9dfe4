"""Charts of an evaluated search, each with the sentence that it proves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.codesearch.metrics.warnings import widest_interval
from tellapart.codesearch.page import exploring
from tellapart.codesearch.page.cells import is_open
from tellapart.codesearch.page.completeness import OurRelevantFiles, our_relevant_files
from tellapart.codesearch.page.trend import got_worse, in_words, iterations, names
from tellapart.codesearch.page.verdict import files_between, known_share
from tellapart.codesearch.page.view import View
from tellapart.codesearch.results.loop import TrendMeasure
from tellapart.codesearch.results.metrics import Completeness, MeasureSummary
from tellapart.core.estimate import Estimate
from tellapart.report import numbers as show
from tellapart.report.charts import WIDE, Axis, Chart, Drawing, Point, Row, Rule, curves, rows
from tellapart.report.palette import GRID, MUTED, Look, looks

MOST = 20
"""Areas that are drawn, those with most conversations; the table has all."""

_WHOLE = "all"
_NAMES = ("all relevant files, estimate", "an exploration found", "we found")
_SHORT = ("all, estimate", "explorations", "we found")
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
    low, high = widest_interval(measure) or (None, None)
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


def completeness_chart(view: View) -> Chart | None:
    """Three bars, one below the other; None where there is no estimate."""
    completeness = view.metrics.completeness
    if completeness is None or completeness.estimate.value is None:
        return None
    ours = our_relevant_files(view)
    description = (
        "Files, over the conversations that both runs explored. The line at the end of the first bar "
        "is the 95 % interval of the estimate. Of what we found, the lighter part is what the judge alone "
        "calls relevant."
    )
    return Chart(
        "relevant-files",
        _how_many(completeness, ours),
        description,
        lambda width: _files(completeness, ours, width),
    )


def _how_many(completeness: Completeness, ours: OurRelevantFiles) -> str:
    size, sure = completeness.estimate.value or 0, completeness.known_files + ours.alone
    shares = [show.whole_percent(end) for end in completeness.recall.bounds if end is not None]
    we = f"we found {show.count(ours.all)}"
    if shares:
        we += f" ({' to '.join(dict.fromkeys(shares))})"
    if ours.unjudged:
        we += f" and {show.count(ours.unjudged)} without a verdict"
    if sure > size:
        return (
            f"{show.count(sure)} files are known to be relevant, more than the {show.count(round(size))} "
            f"that the explorations predict; they know {show.count(completeness.known_files)}, and {we}"
        )
    explored_share = (
        f"the explorations know {show.count(completeness.known_files)} of them ({known_share(completeness)})"
    )
    files = f"About {show.count(round(size))} files are relevant ({files_between(completeness)})"
    return f"{files}; {explored_share}, and {we}"


def _files(completeness: Completeness, ours: OurRelevantFiles, width: int) -> Drawing:
    size, low, high = completeness.estimate.value or 0, completeness.estimate.low, completeness.estimate.high
    every, explored, mine = _NAMES if width >= WIDE else _SHORT
    most = max(size, high or 0, ours.all, low or 0) * (1.0 if high else 1.12)
    known_files, colour = completeness.known_files, looks(("ours", "other"))["ours"].colour
    series = [
        Row(every, bar_low=0, bar_high=size, colour=GRID, figure=show.count(round(size))),
        Row(explored, bar_low=0, bar_high=known_files, colour=MUTED, figure=show.count(known_files)),
        Row(mine, bar_low=0, bar_high=ours.known, colour=colour, figure=show.count(ours.all)),
        Row(mine, bar_low=ours.known, bar_high=ours.all, colour=colour, full=0.55),
    ]
    if low is not None:
        series.append(Row(every, low=low, high=most if high is None else high, open=high is None))
    return rows(series, width, Axis("Files", (0, most), 5 if width >= WIDE else 3, ",d", grid=True), high=36)


def trend_chart(view: View) -> Chart | None:
    """Precision and recall over iterations, with intervals; None with fewer than two iterations."""
    shown = iterations(view)
    if len(shown) < 2:
        return None
    worse = {regression.measure for regression in (view.history.regressions if view.history else ())}
    last = shown[-1].iteration
    panels = {
        measure_in_words(name).capitalize(): [
            (
                iteration.iteration,
                iteration.measures.get(name),
                got_worse(iteration, name) or (iteration.iteration == last and name in worse),
            )
            for iteration in shown
        ]
        for name in names(view)
    }
    description = (
        f"{show.listed(list(panels))} of each iteration, means over conversations with 95 % intervals. A "
        "triangle that points down is a fall beyond chance, or one in an area that stops the loop."
    )
    return Chart("trend-lines", in_words(view), description, lambda width: _iterations(panels, [], width))


def overlap_chart(view: View) -> Chart | None:
    """Overlap of run A and run B over iterations, with the threshold; None with fewer than two iterations."""
    overlaps = exploring.overlaps(view)
    decision = view.metrics.agreement.decision if view.metrics.agreement else None
    if len(overlaps) < 2 or decision is None:
        return None
    lines = [Rule(decision.threshold, "enough")]
    if decision.ceiling is not None:
        lines.append(Rule(decision.ceiling, "run A with itself"))
    panels = {"Overlap": [(n, figure, False) for n, figure in overlaps]}
    description = (
        "Share of run A's files that run B found too, per iteration, with 95 % intervals. The broken line is "
        "the overlap at which run B's explorer is enough"
        + ("; the other is run A's overlap with itself." if len(lines) > 1 else ".")
    )
    return Chart(
        "overlap-lines",
        _overlap_words(view, overlaps, decision.threshold),
        description,
        lambda width: _iterations(panels, lines, width),
    )


def _overlap_words(view: View, overlaps: Sequence[tuple[int, Estimate]], threshold: float) -> str:
    values = [overlap.value for _, overlap in overlaps if overlap.value is not None]
    if not values:
        return "In no iteration is the overlap known"
    shown = show.between(values, show.whole_percent)
    a, b = view.runs["run_a"], view.runs["run_b"]
    over = sum(value >= threshold for value in values)
    enough = f"{show.whole_percent(threshold)} would be enough"
    if over == len(values):
        enough = f"{show.whole_percent(threshold)} or more, as required"
    elif over:
        enough = f"enough, {show.whole_percent(threshold)}, in {over} of {len(values)} iterations"
    return f"{show.capital(b)} found {shown} of the files of {a}; {enough}"


Iteration = tuple[int, Estimate | TrendMeasure | None, bool]
"""Its number, a figure of it, and whether that has become worse."""


def _iterations(panels: Mapping[str, Sequence[Iteration]], lines: Sequence[Rule], width: int) -> Drawing:
    points: list[Point] = []
    marks: list[Point] = []
    axes = {}
    for panel, iterations_ in panels.items():
        axes[panel] = Axis("Iteration", names=[str(number) for number, _, _ in iterations_])
        for i, (_, figure, worse) in enumerate(iterations_):
            if figure is None or figure.value is None:
                continue
            points.append(Point(i, figure.value, "mean", figure.low, figure.high, panel=panel))
            text = show.decimal(figure.value, 2) if len(iterations_) <= _LABELLED else ""
            shape, size = ("triangle-down", 130) if worse else ("", 60)
            marks.append(Point(i, figure.value, shape=shape, size=size, text=text, panel=panel))
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
