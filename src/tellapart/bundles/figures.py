"""The figures of a scoreboard, a line each: what they sum up, in which unit, and which way is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Annotated, Any, TypeAlias

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from tellapart.core.figure_units import FigureKind, FigureUnit
from tellapart.core.record import Record

_ROUNDING = 1e-9


class Summary(StrEnum):
    """How a figure sums up a column of scores; a share has Wilson's interval, a mean Student's."""

    SHARE = "share"
    MEAN = "mean"
    QUANTILE = "quantile"


@dataclass(frozen=True)
class Figure:
    """What is to be known of a figure; scoreboards, tables, comparisons and trainings go by it.

    Attributes:
        title: What tables call it.
        column: The column of ``SCORE_SCHEMA`` that it sums up.
        quantile: Which quantile, in (0, 1), where it is one.
        limits: Where it must lie, and its interval with it; a few bundles would carry Student's outside.
        is_logged: Whether trainings log it.
        is_shown: Whether tables show it.
        of_queries: Whether the column is of queries: it is then summed up over the queries, each once.
    """

    title: str
    column: str
    kind: FigureKind
    summary: Summary = Summary.MEAN
    quantile: float | None = None
    limits: tuple[float, float] = (-inf, inf)
    less_is_better: bool = False
    is_logged: bool = False
    is_shown: bool = True
    of_queries: bool = False

    def may_be(self, value: float) -> bool:
        """Whether a value lies in the limits, but for the last digit."""
        low, high = self.limits
        return low - _ROUNDING <= value <= high + _ROUNDING

    @property
    def limits_in_words(self) -> str:
        """Such as ``from 0 to 1``; empty where there are none."""
        low, high = self.limits
        if high == inf:
            return f"of {low:g} or more" if low > -inf else ""
        return f"from {low:g} to {high:g}"


def _share(title: str, column: str, *, is_logged: bool = False, is_shown: bool = True) -> Figure:
    return Figure(
        title,
        column,
        FigureKind.RATE,
        Summary.SHARE,
        limits=(0.0, 1.0),
        is_logged=is_logged,
        is_shown=is_shown,
    )


def _margin(title: str, quantile: float | None = None, *, is_logged: bool = False) -> Figure:
    how = Summary.MEAN if quantile is None else Summary.QUANTILE
    return Figure(title, "margin", FigureKind.SIMILARITY, how, quantile, is_logged=is_logged)


def _rank(title: str, column: str, *, is_logged: bool = False) -> Figure:
    return Figure(title, column, FigureKind.RANK, limits=(1.0, inf), less_is_better=True, is_logged=is_logged)


def _query(title: str, column: str, summary: Summary = Summary.SHARE, *, is_shown: bool = True) -> Figure:
    return Figure(
        title,
        column,
        FigureKind.RATE,
        summary,
        limits=(0.0, 1.0),
        is_logged=True,
        is_shown=is_shown,
        of_queries=True,
    )


_MRR = Figure("MRR", "reciprocal_rank", FigureKind.RATE, limits=(0.0, 1.0), is_logged=True)

_Value: TypeAlias = float | None


class TierStats(Record):
    """Figures of one model on some bundles; all but the counts are None where there are no bundles.

    Attributes:
        correct: Bundles whose margin is above 0; a tie is none.
        accuracy: ``correct / n``.
        pass_rate: The same; in contrastive tasks they are one figure.
        mean_margin: Mean of positive minus best negative, in the unit of the similarity.
        median_margin: Quantile .5 by linear interpolation.
        q10_margin: Quantile .1.
        q90_margin: Quantile .9.
        mean_rank: Mean of 1 + the negatives strictly above the positive; a tie ranks first.
        expected_rank: Mean rank over the orders that ties allow.
        mrr: Mean of 1 / rank over those orders, in (0, 1].
        top3: Share of bundles whose positive is among the first three, ties by their expectation.
        top5: Among the first five.
        queries: Queries: distinct anchors among the bundles. The next seven figures are over queries, each
            ranked once, with all its bundles whatever their tier: its positives together, and below them the
            distinct negatives of all. They are expectations over the orders that ties allow.
        any_correct: Share of queries whose first text is one of the positives; elsewhere called hit@1.
        map: Mean average precision; with one positive a query it equals ``mrr``.
        ndcg10: Mean nDCG@10: gains of the positives up to rank 10, discounted by log2(1 + rank), over those
            of the best order.
        recall1: Mean share of a query's positives that come first; of one positive equal to ``any_correct``.
        recall3: Among the first three; of one positive equal to ``top3``.
        recall5: Among the first five.
        recall10: Among the first ten, where all are if the query has no more texts.
        ties: Bundles whose positive ties with a negative.
        ci95: 95 % intervals of the figures by name, clustered on the anchor: Wilson's for shares, Student's
            for means, between two of the values for quantiles. None where there are too few bundles or
            anchors, or nothing varies.

    Source:
        "Crucible Metrics Reference", TierStats; ``expected_rank`` and what follows it are ours. Ties of
        queries: McSherry and Najork 2008, "Computing information retrieval performance measures efficiently
        in the presence of tied scores".
    """

    n: Annotated[int, Field(ge=0)]
    correct: Annotated[int, Field(ge=0)]
    accuracy: Annotated[_Value, _share("accuracy", "score", is_shown=False)]
    pass_rate: Annotated[_Value, _share("pass rate", "score", is_logged=True)]
    mean_margin: Annotated[_Value, _margin("mean margin", is_logged=True)]
    median_margin: Annotated[_Value, _margin("median margin", 0.5)]
    q10_margin: Annotated[_Value, _margin("margin, 10th percentile", 0.1, is_logged=True)]
    q90_margin: Annotated[_Value, _margin("margin, 90th percentile", 0.9)]
    mean_rank: Annotated[_Value, _rank("mean rank", "rank", is_logged=True)]
    expected_rank: Annotated[_Value, _rank("expected rank", "expected_rank")]
    mrr: Annotated[_Value, _MRR]
    top3: Annotated[_Value, _share("top 3", "top3", is_logged=True)]
    top5: Annotated[_Value, _share("top 5", "top5", is_logged=True)]
    queries: Annotated[int, Field(ge=0)]
    any_correct: Annotated[_Value, _query("any correct", "any_correct")]
    map: Annotated[_Value, _query("MAP", "average_precision", Summary.MEAN)]
    ndcg10: Annotated[_Value, _query("nDCG@10", "ndcg10", Summary.MEAN)]
    recall1: Annotated[_Value, _query("recall@1", "recall1", is_shown=False)]
    recall3: Annotated[_Value, _query("recall@3", "recall3", is_shown=False)]
    recall5: Annotated[_Value, _query("recall@5", "recall5", is_shown=False)]
    recall10: Annotated[_Value, _query("recall@10", "recall10")]
    ties: Annotated[int, Field(ge=0)]
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


FIGURES: Mapping[str, Figure] = {
    name: figure
    for name, field in TierStats.model_fields.items()
    for figure in field.metadata
    if isinstance(figure, Figure)
}
"""By name, in the order of `TierStats`."""

SHOWN: Mapping[str, Figure] = {name: figure for name, figure in FIGURES.items() if figure.is_shown}
"""Those that tables show: not accuracy, the pass rate by another name, nor every cut of recall."""

LOGGED = tuple(name for name, figure in FIGURES.items() if figure.is_logged)
"""Those that a training may log and that stand in its table; the scoreboards hold the rest."""

DEFAULT_LOGGED = tuple(name for name in LOGGED if not name.startswith(("top", "recall")))
"""Those that it logs unless others are chosen: not every cut of a ranking."""

MARGINS = tuple(name for name, figure in FIGURES.items() if figure.kind is FigureKind.SIMILARITY)
"""Figures in the unit of the model's similarity."""

_KINDS = tuple(FigureKind)


def figure_units(similarity: str) -> dict[str, FigureUnit]:
    """Give kind and unit of each figure."""
    return {
        name: FigureUnit(figure.kind, similarity if name in MARGINS else None)
        for name, figure in sorted(FIGURES.items(), key=lambda item: _KINDS.index(item[1].kind))
    }


def column_units(units: Mapping[str, FigureUnit]) -> dict[str, FigureUnit]:
    """Give kind and unit of the columns of ``SCORE_SCHEMA``, from those of the figures."""
    return {FIGURES[name].column: unit for name, unit in units.items()}
