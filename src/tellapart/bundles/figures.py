"""The figures of a scoreboard, a line each: what they sum up, in which unit, and which way is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from tellapart.core.figure_units import FigureKind, FigureUnit
from tellapart.core.record import Record

_ROUNDING = 1e-9
_LIMITS = {FigureKind.RATE: (0.0, 1.0), FigureKind.RANK: (1.0, inf)}


class Summary(StrEnum):
    """How a figure sums up a column of scores; a share has Wilson's interval, a mean Student's."""

    SHARE = "share"
    MEAN = "mean"
    QUANTILE = "quantile"


@dataclass(frozen=True)
class Figure:
    """What tables call a figure and which column of ``SCORE_SCHEMA`` it sums up, and how.

    Trainings log it if it ``is_logged``, and tables show it if it ``is_shown``. Columns of queries are summed
    up over the queries, each once.
    """

    title: str
    column: str
    kind: FigureKind
    summary: Summary = Summary.MEAN
    is_logged: bool = False
    is_shown: bool = True
    quantile: float | None = None
    of_queries: bool = False

    @property
    def limits(self) -> tuple[float, float]:
        """Where it must lie, and its interval with it; a few bundles would carry Student's outside."""
        return _LIMITS.get(self.kind, (-inf, inf))

    @property
    def less_is_better(self) -> bool:
        """Whether less of it is better."""
        return self.kind is FigureKind.RANK

    def may_be(self, value: float) -> bool:
        """Whether a value lies in the limits, but for the last digit."""
        low, high = self.limits
        return low - _ROUNDING <= value <= high + _ROUNDING

    @property
    def limits_in_words(self) -> str:
        """Such as ``from 0 to 1``; empty where there are none."""
        low, high = self.limits
        return {FigureKind.RATE: f"from {low:g} to {high:g}", FigureKind.RANK: f"of {low:g} or more"}.get(
            self.kind, ""
        )


def _query(title: str, column: str, summary: Summary = Summary.SHARE, *, is_shown: bool = True) -> Figure:
    is_recall = column.startswith("recall")
    return Figure(title, column, FigureKind.RATE, summary, not is_recall, is_shown, of_queries=True)


_RATE, _RANK, _MARGIN = FigureKind.RATE, FigureKind.RANK, FigureKind.SIMILARITY
_SHARE, _MEAN, _QUANTILE = Summary.SHARE, Summary.MEAN, Summary.QUANTILE

FIGURES: Mapping[str, Figure] = {
    "accuracy": Figure("accuracy", "score", _RATE, _SHARE, is_shown=False),
    "pass_rate": Figure("pass rate", "score", _RATE, _SHARE, is_logged=True),
    "mean_margin": Figure("mean margin", "margin", _MARGIN, is_logged=True),
    "median_margin": Figure("median margin", "margin", _MARGIN, _QUANTILE, quantile=0.5),
    "q10_margin": Figure(
        "margin, 10th percentile", "margin", _MARGIN, _QUANTILE, is_logged=True, quantile=0.1
    ),
    "q90_margin": Figure("margin, 90th percentile", "margin", _MARGIN, _QUANTILE, quantile=0.9),
    "mean_rank": Figure("mean rank", "rank", _RANK, is_logged=True),
    "expected_rank": Figure("expected rank", "expected_rank", _RANK),
    "mrr": Figure("MRR", "reciprocal_rank", _RATE, is_logged=True),
    "top3": Figure("top 3", "top3", _RATE, _SHARE),
    "top5": Figure("top 5", "top5", _RATE, _SHARE),
    "any_correct": _query("any correct", "any_correct"),
    "map": _query("MAP", "average_precision", _MEAN),
    "ndcg10": _query("nDCG@10", "ndcg10", _MEAN),
    "recall1": _query("recall@1", "recall1", is_shown=False),
    "recall3": _query("recall@3", "recall3", is_shown=False),
    "recall5": _query("recall@5", "recall5", is_shown=False),
    "recall10": _query("recall@10", "recall10"),
}
"""By name, in the order of `TierStats`."""

Count = Annotated[int, Field(ge=0)]


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
        queries: Queries: distinct anchors among the bundles. The next seven figures are over queries, each
            ranked once, with all its bundles whatever their tier: its positives together, and below them the
            distinct negatives of all. They are expectations over the orders that ties allow.
        any_correct: Share of queries whose first text is one of the positives; elsewhere called hit@1.
        map: Mean average precision; with one positive a query it equals ``mrr``.
        ndcg10: Mean nDCG@10: gains of the positives up to rank 10, discounted by log2(1 + rank), over those
            of the best order.
        recall1: Mean share of a query's positives that come first; of one positive equal to ``any_correct``.
        ties: Bundles whose positive ties with a negative.
        ci95: 95 % intervals of the figures by name, clustered on the anchor: Wilson's for shares, Student's
            for means, between two of the values for quantiles. None where there are too few bundles or
            anchors, or nothing varies.

    Source:
        "Crucible Metrics Reference", TierStats; ``expected_rank`` and what follows it are ours. Ties of
        queries: McSherry and Najork 2008, "Computing information retrieval performance measures efficiently
        in the presence of tied scores".
    """

    n: Count
    correct: Count
    accuracy: float | None
    pass_rate: float | None
    mean_margin: float | None
    median_margin: float | None
    q10_margin: float | None
    q90_margin: float | None
    mean_rank: float | None
    expected_rank: float | None
    mrr: float | None
    top3: float | None
    top5: float | None
    queries: Count
    any_correct: float | None
    map: float | None
    ndcg10: float | None
    recall1: float | None
    recall3: float | None
    recall5: float | None
    recall10: float | None
    ties: Count
    ci95: dict[str, Annotated[list[float], Field(min_length=2, max_length=2)] | None]

    @field_validator("*")
    @classmethod
    def _is_within_its_limits(cls, value: Any, info: ValidationInfo) -> Any:
        figure = FIGURES.get(info.field_name or "")
        if figure is not None and value is not None and not figure.may_be(value):
            raise PydanticCustomError("figure", "a number {limits}", {"limits": figure.limits_in_words})
        return value

    @field_validator("ci95")
    @classmethod
    def _are_intervals_of_figures(cls, ends: dict[str, list[float] | None]) -> dict[str, list[float] | None]:
        for name, interval in ends.items():
            figure = FIGURES.get(name)
            if figure and interval and not (interval[0] <= interval[1] and all(map(figure.may_be, interval))):
                numbers = " ".join(filter(None, ["two numbers", figure.limits_in_words]))
                words = f"for {name!r} {numbers}, the lower one first"
                raise PydanticCustomError("interval", "{words}", {"words": words})
        return ends


SHOWN: Mapping[str, Figure] = {name: figure for name, figure in FIGURES.items() if figure.is_shown}
"""Those that tables show: not accuracy, the pass rate by another name, nor every cut of recall."""

LOGGED = tuple(name for name, figure in FIGURES.items() if figure.is_logged)
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
