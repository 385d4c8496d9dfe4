"""The figures of a scoreboard, a line each: which scores of bundles they sum up, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Annotated, overload

from pydantic import ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from tellapart.core.estimate import Interval
from tellapart.core.figure_units import FigureKind, FigureUnit
from tellapart.core.record import Record

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

Count = Annotated[int, Field(ge=0)]
# Beyond the limits by no more than the last digits.
_ROUNDING = 1e-9
Rate = Annotated[float, Field(ge=-_ROUNDING, le=1 + _ROUNDING)]
Rank = Annotated[float, Field(ge=1 - _ROUNDING)]
Ends = Annotated[list[float], Field(min_length=2, max_length=2)]


class TierStats(Record):
    """Figures of one model on some bundles; all but the counts are None where there are no bundles.

    Attributes:
        correct: Bundles whose margin is above 0; a tie is none.
        accuracy: ``correct / n``.
        pass_rate: The same; in contrastive tasks they are one figure.
        mean_margin: Mean of positive minus best negative, in the unit of the similarity.
        median_margin: Quantile .5 by linear interpolation; so are those of .1 and .9.
        mean_rank: Mean of 1 + the negatives strictly above the positive; a tie ranks first.
        expected_rank: Mean rank over the orders that ties allow.
        mrr: Mean of 1 / rank over those orders, in (0, 1].
        top3: Share of bundles whose positive is among the first three, ties by their expectation.
        ties: Bundles whose positive ties with a negative.
        ci95: 95 % intervals of the figures by name, clustered on the anchor: Wilson's for shares, Student's
            for means, between two of the values for quantiles. None where there are too few bundles or
            anchors, or nothing varies.

    Source:
        "Crucible Metrics Reference", TierStats; ``expected_rank`` and what follows it are ours.
    """

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)
    """Figures that an earlier version had as well are left out."""

    n: Count
    correct: Count
    accuracy: Rate | None
    pass_rate: Rate | None
    mean_margin: float | None
    median_margin: float | None
    q10_margin: float | None
    q90_margin: float | None
    mean_rank: Rank | None
    expected_rank: Rank | None
    mrr: Rate | None
    top3: Rate | None
    top5: Rate | None
    ties: Count
    ci95: dict[str, Ends | None]

    @field_validator("ci95")
    @classmethod
    def _surrounds_each_figure(
        cls, ci95: dict[str, list[float] | None], info: ValidationInfo
    ) -> dict[str, list[float] | None]:
        for name in FIGURES.keys() & ci95.keys():
            value, ends, (least, most) = info.data.get(name), ci95[name], FIGURES[name].limits
            if ends is None or value is None:
                continue
            low, high = ends
            if not (
                low - _ROUNDING <= value <= high + _ROUNDING
                and least - _ROUNDING <= low <= high <= most + _ROUNDING
            ):
                around = {"name": name, "value": f"{value:.6g}", "least": f"{least:g}", "most": f"{most:g}"}
                raise PydanticCustomError(
                    "interval", "[low, high] of {name} around {value}, within {least} to {most}", around
                )
        return ci95


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
