"""Confidence: whether the gap of a model, or what a language model states, tells right answers from wrong."""

from __future__ import annotations

from tellapart.contrastive.page.view import View
from tellapart.report import figures
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Bin, Chart, Drawing, histogram
from tellapart.report.document import Section, present
from tellapart.report.palette import looks
from tellapart.report.tables import Cell, Table, table

_GAP = ("mean_right", "mean_wrong", "auroc", "correlation", "calibration_error")
_STATED = ("mean_right", "mean_wrong", "auroc", "calibration_error", "n")
_AUROC = "0.5 says nothing about being right, 1 says all."


def section(view: View) -> Section:
    """The gaps of embedding models, and the confidence that language models state."""
    stated = [model for model in view.llms if model in view.report.confidence]
    return Section(
        "gap",
        "Confidence" if stated else "Confidence gap",
        charts=(_chart(view),) if view.embedders else (),
        tables=present(_gaps(view) if view.embedders else None, _stated(view, stated) if stated else None),
    )


def _gaps(view: View) -> Table:
    rows: list[list[Cell | str]] = [
        [model, *figures.cells(view.report.confidence_gap[model], _GAP)] for model in view.embedders
    ]
    return table(
        "gaps",
        "Confidence gap: score of the first option minus score of the second",
        ["Model", *figures.headings(_GAP)],
        rows,
        note=f"Gaps are in each model's own scores and do not compare between models. AUROC does: {_AUROC}",
    )


def _stated(view: View, models: list[str]) -> Table:
    rows: list[list[Cell | str]] = [
        [model, *figures.cells(view.report.confidence[model], _STATED)] for model in models
    ]
    return table(
        "stated",
        "Stated confidence of language models, from 0 to 1",
        ["Model", *figures.headings(_STATED)],
        rows,
        note=f"AUROC: {_AUROC} Calibration error: how far the confidence is from the share that is right, on "
        "average; it is taken as stated, nothing is fitted.",
    )


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
