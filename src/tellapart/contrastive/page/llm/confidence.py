"""Confidence as language models state it."""

from __future__ import annotations

from tellapart.contrastive.page.llm.names import matched_by
from tellapart.contrastive.page.record import View
from tellapart.contrastive.page.tables import number
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table


def stated(view: View) -> Table | None:
    """Whether the confidence that language models state tells right answers from wrong ones."""
    found = view.figures.get("confidence") or {}
    rows: list[list[Cell | str]] = []
    for model in (model for model in view.llms if model in found):
        of_model = found[model]
        rows.append(
            [
                model,
                number(of_model["mean_right"], 2, "no answer was right"),
                number(of_model["mean_wrong"], 2, "no answer was wrong"),
                number(of_model["auroc"], reason="answers are all right or all wrong"),
                number(of_model["calibration_error"], reason="no answer was scored"),
                show.count(of_model["n"]),
            ]
        )
    if not rows:
        return None
    return table(
        "stated",
        f"Stated confidence of language models, from 0 to 1{matched_by(view)}",
        ["model", "mean when right", "mean when wrong", "AUROC", "calibration error", "n"],
        rows,
        note="AUROC: 0.5 says nothing about being right, 1 says all. Calibration error: how far the "
        "confidence is from the share that is right, on average; it is taken as stated, nothing is fitted.",
    )
