"""Kinds and units of the figures of a scoreboard: margins compare only in one unit."""

from __future__ import annotations

from collections.abc import Mapping

from tellapart.bundles.scoreboard import Scoreboard
from tellapart.core.figure_units import FigureKind, FigureUnit, comparable

MARGINS = ("mean_margin", "median_margin", "q10_margin", "q90_margin")
"""Figures in the unit of the model's similarity."""

RESCORE = "Score the eval again with 'tellapart bundles score', which records the unit"

_RATE, _RANK = FigureUnit(FigureKind.RATE), FigureUnit(FigureKind.RANK)
_FIGURES = {
    **dict.fromkeys(("accuracy", "pass_rate", "mrr", "top3", "top5"), _RATE),
    **dict.fromkeys(("mean_rank", "expected_rank"), _RANK),
}
_COLUMNS = {
    **dict.fromkeys(("score", "reciprocal_rank", "top3", "top5"), _RATE),
    **dict.fromkeys(("rank", "expected_rank"), _RANK),
}


def figure_units(similarity: str) -> dict[str, FigureUnit]:
    """Give kind and unit of each figure of ``TierStats`` that is no count.

    Args:
        similarity: What the model scores pairs in, such as ``cosine`` or ``bm25``.
    """
    return {**_FIGURES, **dict.fromkeys(MARGINS, FigureUnit(FigureKind.SIMILARITY, similarity))}


def column_units(units: Mapping[str, FigureUnit]) -> dict[str, FigureUnit]:
    """Give kind and unit of the columns of ``SCORE_SCHEMA``, from those of the figures."""
    margin = units.get(MARGINS[0])
    return _COLUMNS if margin is None else {**_COLUMNS, "margin": margin}


def why_margins_differ(a: Scoreboard, b: Scoreboard) -> str | None:
    """Say why the margins of two scoreboards do not compare; None where they do.

    A unit that is not recorded is taken for the same only between scoreboards of one model.
    """
    first, second = (board.units.get(MARGINS[0]) for board in (a, b))
    if first is not None and second is not None:
        if comparable(first, second):
            return None
        return (
            f"margins of {a.model} are in units of {first.unit}, those of {b.model} in units of {second.unit}"
        )
    if first is None and second is None and a.model == b.model:
        return None
    silent = [board.model for board, unit in ((a, first), (b, second)) if unit is None]
    return f"the unit of the margins of {' and '.join(dict.fromkeys(silent))} is not recorded"
