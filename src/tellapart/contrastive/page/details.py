"""Tables that a terminal leaves out: how the benchmark came out, and the confidence gap."""

from __future__ import annotations

from tellapart.contrastive.page.record import Figures, View
from tellapart.contrastive.page.tables import number
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

COUNTS = (1, 2, 4, 9, 19, 29, 49, 99)
"""Numbers of distractors that have a column."""


def difficulty(view: View) -> Table:
    """Items by the label that the difficulty score gives, beside the level that was asked for."""
    found = view.figures["difficulty_histogram"]
    total = sum(found.values())
    rows = [
        [
            label,
            show.count(view.asked.get(label, 0)),
            show.count(items),
            show.rate(items / total) if total else undefined("no items"),
        ]
        for label, items in found.items()
    ]
    return table(
        "difficulty",
        "Items by difficulty score",
        ["label", "asked for", "scored as", "share, %"],
        rows,
        note="The score looks at five properties of an item's distractors, whatever level was asked for.",
    )


def distractors(view: View) -> Table:
    """Where the distractors of each level came from, and how similar they are to their targets."""
    found: Figures = view.figures["strategies"]
    strategies = sorted({name for counts in found.values() for name in counts})
    similarity = view.figures["mean_distractor_similarity"]
    rows: list[list[Cell | str]] = [
        [
            level,
            number(similarity.get(level), reason="this selector gives no similarity"),
            *(show.count(found[level].get(name, 0)) for name in strategies),
        ]
        for level in view.levels
    ]
    return table(
        "distractors",
        "Distractors by strategy, and their mean similarity to the target",
        ["level", "mean similarity", *strategies],
        rows,
        note=f"Similarity as the selector, {view.header['selector']}, sees it.",
    )


def distractor_counts(view: View) -> Table:
    """Accuracy with some of a level's distractors, drawn at random from each item's own."""
    curves = view.figures["by_distractor_count"]
    longest = max((len(curve) for by_model in curves.values() for curve in by_model.values()), default=0)
    counts = [count for count in COUNTS if count <= longest]
    rows: list[list[Cell | str]] = [
        [level, model, *(_with(curves[level][model], count) for count in counts)]
        for level in view.levels
        for model in view.models
        if model in curves[level]
    ]
    return table(
        "distractor-counts",
        "Accuracy by number of distractors, %",
        ["level", "model", *map(str, counts)],
        rows,
        words=2,
    )


def gaps(view: View) -> Table:
    """Whether the confidence gap tells right answers from wrong ones."""
    rows: list[list[Cell | str]] = []
    for model in view.embedders:
        found = view.figures["confidence_gap"][model]
        rows.append(
            [
                model,
                _score(found["mean_right"], "no answer was right"),
                _score(found["mean_wrong"], "no answer was wrong"),
                number(found["auroc"], reason="answers are all right or all wrong"),
                number(found["correlation"], reason="gaps or answers do not vary"),
                number(found["calibration_error"], reason="too few files, or answers all alike"),
            ]
        )
    return table(
        "gaps",
        "Confidence gap: score of the first option minus score of the second",
        ["model", "mean when right", "mean when wrong", "AUROC", "correlation", "calibration error"],
        rows,
        note="Gaps are in each model's own scores and cannot be compared between models. AUROC can: 0.5 says "
        "nothing about being right, 1 says all.",
    )


def _with(curve: list[float], count: int) -> Cell:
    if count > len(curve):
        return undefined("some item of the level has fewer distractors")
    return Cell(show.rate(curve[count - 1]))


def _score(value: float | None, reason: str) -> Cell:
    return undefined(reason) if value is None else Cell(show.significant(value))
