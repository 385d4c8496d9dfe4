"""The figures of a scoreboard, a line each: which scores of bundles they sum up, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import overload

from tellapart.core.estimate import Interval
from tellapart.core.figure_units import FigureKind, FigureUnit

_LIMITS = {FigureKind.RATE: (0.0, 1.0), FigureKind.RANK: (1.0, inf)}
_KINDS = {"margin": FigureKind.SIMILARITY, "rank": FigureKind.RANK, "expected_rank": FigureKind.RANK}
"""Of columns that are no rates."""


class Summary(StrEnum):
    """How a figure sums up a column of scores; a share has Wilson's interval, a mean Student's."""

    SHARE = "share"
    MEAN = "mean"
    QUANTILE = "quantile"


@dataclass(frozen=True)
class Figure:
    """Which column of ``SCORE_SCHEMA`` a figure sums up, and how."""

    column: str
    summary: Summary = Summary.MEAN
    quantile: float | None = None

    @property
    def kind(self) -> FigureKind:
        """A rate, a rank or a similarity."""
        return _KINDS.get(self.column, FigureKind.RATE)

    @property
    def limits(self) -> tuple[float, float]:
        """Where it must lie, and its interval with it; a few bundles would carry Student's outside."""
        return _LIMITS.get(self.kind, (-inf, inf))


_SHARE, _QUANTILE = Summary.SHARE, Summary.QUANTILE

FIGURES: Mapping[str, Figure] = {
    "accuracy": Figure("score", _SHARE),
    "pass_rate": Figure("score", _SHARE),
    "mean_margin": Figure("margin"),
    "median_margin": Figure("margin", _QUANTILE, 0.5),
    "q10_margin": Figure("margin", _QUANTILE, 0.1),
    "q90_margin": Figure("margin", _QUANTILE, 0.9),
    "mean_rank": Figure("rank"),
    "expected_rank": Figure("expected_rank"),
    "mrr": Figure("reciprocal_rank"),
    "top3": Figure("top3", _SHARE),
    "top5": Figure("top5", _SHARE),
}
"""By name, in the order of `TierStats`; what people call them is in `tellapart.report.figures`."""

SHOWN = tuple(name for name in FIGURES if name != "accuracy")
"""Those that tables show: not the pass rate by another name."""

LOGGED = ("pass_rate", "mean_margin", "q10_margin", "mean_rank", "mrr")
"""Those that a training logs; the scoreboards hold the rest."""

MARGINS = tuple(name for name, figure in FIGURES.items() if figure.kind is FigureKind.SIMILARITY)
"""Figures in the unit of the model's similarity."""


def figure_units(similarity: str) -> dict[str, FigureUnit]:
    """Give kind and unit of each figure."""
    kinds = tuple(FigureKind)
    return {
        name: FigureUnit(figure.kind, similarity if name in MARGINS else None)
        for name, figure in sorted(FIGURES.items(), key=lambda item: kinds.index(item[1].kind))
    }


def column_units(units: Mapping[str, FigureUnit]) -> dict[str, FigureUnit]:
    """Give kind and unit of the columns of ``SCORE_SCHEMA``, from those of the figures."""
    return {FIGURES[name].column: unit for name, unit in units.items()}


DECIMALS = 12
"""Far below what single-precision vectors know, above how processors differ."""


@overload
def rounded(value: float) -> float: ...
@overload
def rounded(value: None) -> None: ...
@overload
def rounded(value: float | None) -> float | None: ...
def rounded(value: float | None) -> float | None:
    """Round to ``DECIMALS``; a negative zero is plain zero, and None stays None."""
    # Adding 0 turns a negative zero into the plain one.
    return None if value is None else round(float(value), DECIMALS) + 0.0


def rounded_ends(interval: Interval | None) -> list[float] | None:
    """Both ends of an interval, rounded; None stays None."""
    return None if interval is None else list(map(rounded, interval))
