"""Confidence: whether the gap of a model, or what a language model states, tells right answers from wrong."""

from __future__ import annotations

from tellapart.contrastive.page.cells import number
from tellapart.contrastive.page.view import View
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Bin, Chart, Drawing, histogram
from tellapart.report.document import Section, present
from tellapart.report.palette import looks
from tellapart.report.tables import Cell, Table, table, undefined


def section(view: View) -> Section:
    """The gaps of embedding models, and the confidence that language models state."""
    stated = _stated(view)
    return Section(
        "gap",
        "Confidence" if stated else "Confidence gap",
        charts=(_chart(view),) if view.embedders else (),
        tables=present(_gaps(view) if view.embedders else None, stated),
    )


def _gaps(view: View) -> Table:
    rows: list[list[Cell | str]] = []
    for model in view.embedders:
        gap = view.report.confidence_gap[model]
        rows.append(
            [
                model,
                _score(gap.mean_right, "no answer was right"),
                _score(gap.mean_wrong, "no answer was wrong"),
                number(gap.auroc, reason="answers are all right or all wrong"),
                number(gap.correlation, reason="gaps or answers do not vary"),
                number(gap.calibration_error, reason="too few files, or answers all alike"),
            ]
        )
    return table(
        "gaps",
        "Confidence gap: score of the first option minus score of the second",
        ["Model", "Mean when right", "Mean when wrong", "AUROC", "Correlation", "Calibration error"],
        rows,
        note="Gaps are in each model's own scores and cannot be compared between models. AUROC can: 0.5 says "
        "nothing about being right, 1 says all.",
    )


def _score(value: float | None, reason: str) -> Cell:
    return undefined(reason) if value is None else Cell(show.significant(value))


def _stated(view: View) -> Table | None:
    rows: list[list[Cell | str]] = []
    for model in (model for model in view.llms if model in view.report.confidence):
        confidence = view.report.confidence[model]
        rows.append(
            [
                model,
                number(confidence.mean_right, 2, "no answer was right"),
                number(confidence.mean_wrong, 2, "no answer was wrong"),
                number(confidence.auroc, reason="answers are all right or all wrong"),
                number(confidence.calibration_error),
                show.count(confidence.n),
            ]
        )
    if not rows:
        return None
    return table(
        "stated",
        "Stated confidence of language models, from 0 to 1",
        ["Model", "Mean when right", "Mean when wrong", "AUROC", "Calibration error", "n"],
        rows,
        note="AUROC: 0.5 says nothing about being right, 1 says all. Calibration error: how far the "
        "confidence is from the share that is right, on average; it is taken as stated, nothing is fitted.",
    )


def _chart(view: View) -> Chart:
    description = (
        f"For {show.listed(view.embedders)}, a histogram of the score of the first option minus the score of "
        "the second: items answered right above the axis, filled; items answered wrong below it, hollow."
    )
    gaps = [view.report.confidence_gap[model].auroc for model in view.embedders]
    known = [auroc for auroc in gaps if auroc is not None]
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
    y = Axis(
        "Items (wrong ones below)",
        (min(*ends, 0.0), max(*ends, 1.0)),
        6,
        label="format(abs(datum.value), ',')",
    )
    return histogram(bins, width, Axis("Gap between first and second", ticks=4), y)
