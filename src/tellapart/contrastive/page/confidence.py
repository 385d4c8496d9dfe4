"""Confidence: whether the gap between the first two scores of a model tells right answers from wrong."""

from __future__ import annotations

from tellapart.contrastive.page.view import View
from tellapart.report import figures
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Bin, Chart, Drawing, histogram
from tellapart.report.document import Section
from tellapart.report.palette import looks
from tellapart.report.tables import Cell, table

_GAP = ("mean_right", "mean_wrong", "auroc", "correlation", "calibration_error")


def section(view: View) -> Section | None:
    """The gaps of embedding models; nothing where only language models answered."""
    if not view.embedders:
        return None
    rows: list[list[Cell | str]] = [
        [model, *figures.cells(view.report.confidence_gap[model], _GAP)] for model in view.embedders
    ]
    shown = table(
        "gaps",
        "Confidence gap: score of the first option minus score of the second",
        ["Model", *figures.headings(_GAP)],
        rows,
        note="Gaps are in each model's own scores and do not compare between models. AUROC does: 0.5 says "
        "nothing about being right, 1 says all.",
    )
    return Section("gap", "Confidence gap", charts=(_chart(view),), tables=(shown,))


def _chart(view: View) -> Chart:
    description = (
        f"For {show.listed(view.embedders)}, a histogram of the score of the first option minus the score of "
        "the second: items answered right above the axis, filled; items answered wrong below it, hollow."
    )
    known = [auroc for model in view.embedders if (auroc := view.report.confidence_gap[model].auroc)]
    shown = show.between(known, lambda value: f"{value:.2f}") if known else "not known"
    title = f"How well a wide gap tells right answers from wrong ones: AUROC {shown}; 0.5 is not at all"
    return Chart("gap-distribution", title, description, lambda width: _histogram(view, width))


def _histogram(view: View, width: int) -> Drawing:
    bins = []
    for model in view.embedders:
        counted = view.report.confidence_gap[model].histogram
        colour = looks(view.models)[model].colour
        panel = f"{model}\n{show.count(sum(counted.right))} right, {show.count(sum(counted.wrong))} wrong"
        for sign, counts in ((1, counted.right), (-1, counted.wrong)):
            bins += [
                Bin(low, high, sign * count, colour, hollow=sign < 0, panel=panel)
                for low, high, count in zip(counted.edges, counted.edges[1:], counts, strict=False)
            ]
    ends = [bar.count for bar in bins]
    span = (min(*ends, 0.0), max(*ends, 1.0))
    y = Axis("Items (wrong ones below)", span, 6, label="format(abs(datum.value), ',')")
    return histogram(bins, width, Axis("Gap between first and second", ticks=4), y)
