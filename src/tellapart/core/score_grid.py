"""A score table as arrays: models down, items across, one mean score a cell."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.core.arrays import F64, I64
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable, coded

_CELLS = ("scores", "answers", "low", "high", "answer_variance", "grading_variance", "gradings", "human")

UNDECIDED = ("judge", "parse", "rules cannot tell")
"""Causes of missing scores whose answers are there: the judge failed, and people can label them."""


@dataclass(frozen=True)
class Stratum:
    """A column that sorts items into kinds.

    Attributes:
        values: The kinds, in ascending order.
        codes: Shape (items,), the place of each item's kind in ``values``; -1 where it has none.
    """

    values: tuple[str, ...]
    codes: I64


@dataclass(frozen=True)
class ScoreGrid:
    """Scores of every model on every item.

    Attributes:
        models: In ascending order.
        items: Shape (items,), ids in ascending order.
        scores: Shape (models, items), the mean over the scored answers, an answer being the mean over its
            gradings; NaN where nothing was scored.
        answers: Shape (models, items), how many answers (replicates) were scored.
        low: Shape (models, items), the score if every missing one were the worst; NaN where a model was never
            asked.
        high: As ``low``, if every missing one were the best.
        answer_variance: Shape (models, items), variance (n - 1) between the answers of a cell; NaN below two.
        grading_variance: Shape (models, items), mean over the cell's answers of the variance (n - 1)
            between gradings of one answer; NaN where no answer was graded twice.
        gradings: Shape (models, items), mean number of gradings an answer; NaN where nothing was scored.
        clusters: Shape (items,), the source of each item as a number; items without one are alone.
        strata: The columns that sort items, by name, as they are in the table.
        answer_strata: Columns whose value differs between answers to the same item; they sort no items.
        missing: Rows without a score by model and cause; a cause that did not occur is absent.
        limits: Lowest and highest possible score.
        notes: What must stay with the scores.
        human: Shape (models, items), people's labels, NaN where nobody looked; None where nobody did. The
            labels then speak for answers that the judge could not decide, and ``low`` and ``high`` take
            these to be like the model's others.
        label_probability: Shape (items,), the chance of each item to be labelled; None where all have one.
    """

    models: tuple[str, ...]
    items: NDArray[np.object_]
    scores: F64
    answers: I64
    low: F64
    high: F64
    answer_variance: F64
    grading_variance: F64
    gradings: F64
    clusters: I64
    strata: dict[str, Stratum]
    answer_strata: tuple[str, ...]
    missing: dict[str, dict[str, int]]
    limits: tuple[float, float]
    notes: ScoreNotes = field(default_factory=ScoreNotes)
    human: F64 | None = None
    label_probability: F64 | None = None

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The lowest and highest possible score; where there is none, the lowest and highest there is."""
        low, high = self.limits
        scores = self.scores[~np.isnan(self.scores)]
        least, most = (float(scores.min()), float(scores.max())) if scores.size else (0.0, 0.0)
        return (low if isfinite(low) else least, high if isfinite(high) else most)

    @property
    def span(self) -> float:
        """The greatest difference that an item can have; inf where there is none."""
        return self.limits[1] - self.limits[0]

    @cached_property
    def attempted(self) -> NDArray[np.bool_]:
        """Shape (models, items), whether the model was asked, with or without a score."""
        return ~np.isnan(self.low)

    def only(self, chosen: NDArray[np.bool_]) -> ScoreGrid:
        """Keep some items."""
        return replace(
            self,
            items=self.items[chosen],
            clusters=self.clusters[chosen],
            strata={name: Stratum(s.values, s.codes[chosen]) for name, s in self.strata.items()},
            label_probability=None if self.label_probability is None else self.label_probability[chosen],
            **self._cells(np.s_[:, chosen]),
        )

    def of_models(self, chosen: list[int]) -> ScoreGrid:
        """Keep some models, by their places in ascending order; items stay even where nobody has a score."""
        names = tuple(self.models[i] for i in chosen)
        return replace(
            self,
            models=names,
            missing={name: self.missing[name] for name in names},
            **self._cells(np.s_[chosen]),
        )

    def _cells(self, chosen: Any) -> dict[str, Any]:
        return {name: cells[chosen] for name in _CELLS if (cells := getattr(self, name)) is not None}


def score_grid(table: ScoreTable) -> ScoreGrid:
    """Lay a table out; the same rows in any order give the same bits."""
    frame = table.frame
    models, of_model = coded(frame["model"])
    items, of_item = coded(frame["item"])
    cells = _cells(frame, of_model * len(items) + of_item, (len(models), len(items)), table.limits)
    row = np.zeros(len(items), dtype=np.int64)
    row[of_item] = np.arange(frame.height)
    strata, varying = _strata(table, of_item, row)
    return ScoreGrid(
        models=tuple(models),
        items=np.asarray(items, dtype=object),
        clusters=_clusters(frame["cluster"].gather(row)),
        strata=strata,
        answer_strata=varying,
        missing=_missing(frame, models),
        limits=table.limits,
        notes=table.notes,
        label_probability=_label_probability(frame, of_item, len(items)),
        **cells,
    )


def _label_probability(frame: pl.DataFrame, of_item: I64, n_items: int) -> F64 | None:
    if "label_probability" not in frame.columns or frame["label_probability"].null_count() == frame.height:
        return None
    return _grouped(frame["label_probability"].fill_null(np.nan).to_numpy(), of_item, n_items).mean


def _clusters(labels: pl.Series) -> I64:
    names, codes = coded(labels)
    return np.where(codes < 0, len(names) + np.cumsum(codes < 0) - 1, codes)


def _strata(table: ScoreTable, of_item: I64, row: I64) -> tuple[dict[str, Stratum], tuple[str, ...]]:
    strata, varying = {}, []
    for name in table.strata:
        values, codes = coded(table.frame[name])
        if (codes == codes[row][of_item]).all():
            strata[name] = Stratum(tuple(values), codes[row])
        else:
            varying.append(name)
    return strata, tuple(varying)


def _missing(frame: pl.DataFrame, models: list[str]) -> dict[str, dict[str, int]]:
    counted: dict[str, dict[str, int]] = {model: {} for model in models}
    causes = (
        frame.filter(pl.col("score").is_null()).group_by("model", "missing").len().sort("model", "missing")
    )
    for model, cause, n in causes.iter_rows():
        counted[model][cause] = n
    return counted


def _cells(
    frame: pl.DataFrame, cell: I64, shape: tuple[int, int], limits: tuple[float, float]
) -> dict[str, Any]:
    """The arrays of shape (models, items); the rows are sorted by cell, then answer, then grading."""
    score = frame["score"].fill_null(np.nan).to_numpy()
    replicate = frame["replicate"].to_numpy()
    starts = np.ones(len(cell), dtype=bool)
    starts[1:] = (cell[1:] != cell[:-1]) | (replicate[1:] != replicate[:-1])
    of_answer = np.cumsum(starts) - 1
    answer_cell = cell[starts]
    n_cells = shape[0] * shape[1]
    graded = _grouped(score, of_answer, len(answer_cell))
    answered = _grouped(graded.mean, answer_cell, n_cells)
    flat = {
        "scores": answered.mean,
        "answers": answered.n,
        "answer_variance": answered.variance,
        "grading_variance": _grouped(graded.variance, answer_cell, n_cells).mean,
        "gradings": _grouped(np.where(graded.n > 0, graded.n, np.nan), answer_cell, n_cells).mean,
    }
    known = score
    if "human" in frame.columns:
        flat["human"] = _grouped(frame["human"].fill_null(np.nan).to_numpy(), cell, n_cells).mean
        undecided = frame["missing"].is_in(UNDECIDED).fill_null(False).to_numpy()
        of_model = cell // shape[1]
        known = np.where(undecided, _grouped(score, of_model, shape[0]).mean[of_model], score)
    for name, limit in zip(("low", "high"), limits, strict=True):
        filled = _grouped(np.where(np.isnan(known), limit, known), of_answer, len(answer_cell)).mean
        flat[name] = _grouped(filled, answer_cell, n_cells).mean
    return {name: values.reshape(shape) for name, values in flat.items()}


@dataclass(frozen=True)
class _Groups:
    """Count, mean and variance (n - 1) of the known values of each group; NaN where there are too few."""

    n: I64
    mean: F64
    variance: F64


def _grouped(values: F64, group: I64, n_groups: int) -> _Groups:
    present = ~np.isnan(values)
    values, group = values[present], group[present]
    n = np.bincount(group, minlength=n_groups)
    if n.max(initial=0) <= 1:
        mean = np.full(n_groups, np.nan)
        mean[group] = values
        return _Groups(n, mean, np.full(n_groups, np.nan))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(group, weights=values, minlength=n_groups) / n
        squares = np.bincount(group, weights=np.square(values - mean[group]), minlength=n_groups)
        return _Groups(n, mean, np.where(n > 1, squares / (n - 1), np.nan))
