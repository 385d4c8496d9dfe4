"""Scores of a judge corrected by people's labels of some answers: means and paired differences.

The judge scores every item, people score a random part. The mean of the labels is right but rests on few
items; the judge's differences between items, weighted by how well they foretell the labels, make it sharper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

from tellapart.core.arrays import F64, I64
from tellapart.core.estimate import Interval
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.intervals import NO_VARIATION, OUTSIDE_95, effective_clusters
from tellapart.core.stats.paired import PairedDifferences, paired_differences
from tellapart.errors import InputError

LEAST_LABELS = 20
"""Fewer labelled items than this correct nothing."""

_BY_LUCK = 0.001
"""How often items that were labelled at random are taken for chosen ones."""

_FOLDS, _ROUNDING = 5, 1e-9
_UNSEEN = 3
"""Errors of the judge that may have been missed, and are allowed for where the labels show fewer."""


@dataclass(frozen=True)
class Corrected:
    """A mean of judged values, corrected by labels.

    Attributes:
        n: Items with a judged value or a label, from so many ``sources``; ``labelled`` of them have a label.
        standard_error: Clustered; 0 where nothing varies.
        sd: Of an item, such that sd / sqrt(n) is the error without clusters.
        degrees: Of Student's t: the labelled sources, as so many of equal weight, less 1.
        weight: How much the judge counts, from 0 (labels alone) to 1.
        alone: The standard error of the labels alone.
        items: The part of the squared error, times ``n``, that more judged items reduce.
        labels: The part, times ``labelled``, that more labels reduce.
    """

    n: int
    sources: int
    labelled: int
    estimate: float
    standard_error: float
    sd: float
    degrees: float
    weight: float
    alone: float
    items: float
    labels: float

    def interval(self, level: float = OUTSIDE_95) -> Interval:
        """Give the interval that leaves out ``level``, of which the test inverts."""
        half = float(stdtrit(self.degrees, 1 - level / 2)) * self.standard_error
        return Interval(self.estimate - half, self.estimate + half)

    @property
    def p(self) -> float:
        """Two-sided p of a mean of 0."""
        if not self.standard_error:
            return 1.0 if self.estimate == 0 else 0.0
        return float(2 * stdtr(self.degrees, -abs(self.estimate) / self.standard_error))

    def error_with(self, items: float, labels: float) -> float:
        """Give the standard error with so many items and labels like these."""
        return sqrt(self.items / items + self.labels / labels)


def corrected(
    judged: F64, labels: F64, clusters: I64, probability: F64 | None, span: float
) -> Corrected | None:
    """Estimate the mean of the labels over all items, by the labels and what the judge says of the others.

    With w the labels' weights (the inverse of their chance to be drawn, 1 on average over all items), the
    estimate is the weighted mean of ``label - weight x (judged - mean judged)``. The weight of the judge is
    the regression of labels on judged values in the other four fifths of the labelled sources, from 0 to 1,
    so that no label tunes what it is corrected by; labels alone stand where their error is smaller.

    An error of the judge may be too rare to be among the labels, and so may a label unlike the rest where the
    judge has no weight: with errors e that would be k of the largest size S, the next is taken to be
    (k S + ``span``) / (k + 1), and three such are allowed for at least.

    Arrays have shape (items,), NaN is unknown. ``clusters`` are numbers of sources, ``probability`` is the
    chance of each item to be labelled, None where all have the same, and ``span`` the greatest error of the
    judge. There is no estimate below ``LEAST_LABELS`` labels, or two labelled sources.

    Source:
        Angelopoulos, Duchi and Zrnic 2023, "PPI++: Efficient prediction-powered inference"; labels with
        unequal chances as in Zrnic and Candès 2024, "Active statistical inference", and cross-fitting in
        "Cross-prediction-powered inference" by the same. Deviations: all items' judged values are averaged,
        the labelled ones among them, which is the same estimate with the weight times 1 - labelled / items;
        t quantiles, with as many degrees of freedom as labelled sources less 1; clusters.
    """
    used = ~(np.isnan(judged) & np.isnan(labels))
    known = ~np.isnan(labels[used])
    n, n_known = len(known), int(np.count_nonzero(known))
    sources, of_source = np.unique(clusters[used][known], return_inverse=True)
    if n_known < LEAST_LABELS or len(sources) < 2:
        return None
    values = judged[used]
    around = np.nan_to_num(values - np.nanmean(values)) if not np.isnan(values).all() else np.zeros(n)
    drawn = np.ones(n) if probability is None else probability[used]
    # Beside the smallest chance, of which the inverse may be too large for a number.
    weights = np.where(known, drawn[known].min() / drawn, 0.0)
    weights *= n / weights.sum()
    slopes = _slopes(around[known], labels[used][known], weights[known], of_source % _FOLDS)
    fitted, alone = (
        _with_slopes(around, labels[used], weights, clusters[used], span, given)
        for given in (slopes, np.zeros(n_known))
    )
    chosen = fitted if fitted.standard_error < alone.standard_error else alone
    return replace(chosen, alone=alone.standard_error)


def _slopes(judged: F64, labels: F64, weights: F64, folds: I64) -> F64:
    """Shape (labelled items,): the weight of the judge, for each item from the labels of the other folds."""
    slopes = np.zeros(len(labels))
    # What is drawn for certain needs no judge.
    size = weights * np.maximum(weights - 1, 0.0)
    for fold in np.unique(folds):
        others = folds != fold
        centre = float(np.average(labels[others], weights=weights[others]))
        along = float((size * judged * (labels - centre))[others].sum())
        square = float((size * np.square(judged))[others].sum())
        slopes[folds == fold] = min(1.0, max(0.0, along / square)) if square > 0 else 0.0
    return slopes


def _with_slopes(
    judged: F64, labels: F64, weights: F64, clusters: I64, span: float, slopes: F64
) -> Corrected:
    """The estimate with these weights of the judge, one for each labelled item."""
    n, known = len(judged), weights > 0
    values, size = labels[known] - slopes * judged[known], weights[known]
    estimate, slope = (float(np.average(of, weights=size)) for of in (values, slopes))
    errors = np.zeros(n)
    errors[known] = size * (values - estimate)
    of_judge = labels[known] - (judged[known] if slope else 0.0)
    least = _least_squares(of_judge - of_judge.mean(), span)
    unseen = max(0.0, least * float(np.square(size).mean()) - _squares(errors))
    labelled, per_source = int(np.count_nonzero(known)), np.bincount(clusters, weights=weights)
    effective = float(effective_clusters(n, _squares(per_source)))
    # One degree of freedom goes to the mean, and one to the slope.
    grown = effective / max(0.5, effective - 1 - bool(slope))
    every = errors + slope * judged
    by_source = [np.bincount(clusters, weights=pulls) for pulls in (every, errors)]
    squared, of_labels, alone = (grown * (_squares(pulls) + unseen) / n**2 for pulls in (*by_source, every))
    return Corrected(
        n=n,
        sources=int(np.count_nonzero(np.bincount(clusters))),
        labelled=labelled,
        estimate=estimate,
        standard_error=sqrt(squared),
        sd=sqrt(alone * n),
        degrees=effective - 1,
        weight=slope,
        alone=sqrt(squared),
        items=n * max(0.0, squared - of_labels),
        labels=labelled * min(squared, of_labels),
    )


def _least_squares(errors: F64, span: float) -> float:
    """Sum of squares of the errors that may have been missed, by those of the judge that were seen."""
    largest = float(np.abs(errors).max())
    if not isfinite(span):
        return _UNSEEN * largest**2
    alike = _squares(errors) / largest**2 if largest > _ROUNDING * span else 0.0
    step = (alike * largest + span) / (alike + 1)
    return _UNSEEN * step**2


def _squares(values: NDArray[np.generic]) -> float:
    return float(np.square(values).sum())


# Grids of models and items.


def corrected_mean(grid: ScoreGrid, row: int) -> Corrected | None:
    """Estimate a model's mean score; None without labels, or with too few of it."""
    if grid.human is None:
        return None
    return corrected(grid.scores[row], grid.human[row], grid.clusters, grid.label_probability, grid.span)


def corrected_difference(grid: ScoreGrid, first: int, second: int) -> Corrected | None:
    """Estimate the difference of two models; None without labels, or with too few items that have both."""
    if grid.human is None:
        return None
    judged, labels = (of[first] - of[second] for of in (grid.scores, grid.human))
    return corrected(judged, labels, grid.clusters, grid.label_probability, grid.span)


def corrected_differences(grid: ScoreGrid) -> PairedDifferences:
    """Compare every two models as `paired_differences` does, corrected by labels.

    ``effective_clusters`` counts the labelled sources, on which Student's t rests. Pairs with too few labels
    have no difference.
    """
    judged = paired_differences(grid.scores, grid.clusters)
    pairs = [
        corrected_difference(grid, i, j)
        for i, j in zip(judged.first.tolist(), judged.second.tolist(), strict=True)
    ]
    columns = [
        (np.nan,) * 6
        if pair is None
        else (pair.n, pair.sources, pair.degrees + 1, pair.estimate, pair.sd, pair.standard_error or np.nan)
        for pair in pairs
    ]
    n, sources, effective, difference, sd, error = np.array(columns, dtype=np.float64).reshape(-1, 6).T
    few = f"fewer than {LEAST_LABELS} items have labels of both models"
    return replace(
        judged,
        n=np.where(np.isnan(n), judged.n, n).astype(np.int64),
        n_clusters=np.where(np.isnan(n), judged.n_clusters, sources).astype(np.int64),
        effective_clusters=effective,
        difference=difference,
        sd=sd,
        standard_error=error,
        design_effect=np.square(error / sd) * n,
        reasons=tuple(few if pair is None else "" if pair.standard_error else NO_VARIATION for pair in pairs),
    )


# Labels that correct nothing.


def check_labels(grid: ScoreGrid) -> None:
    """Refuse labels of one model alone, too few of them, and labels of items that were chosen."""
    if grid.human is None:
        return
    known = ~np.isnan(grid.human)
    draw = "Draw the answers to label with: tellapart label"
    of_models = [model for model, labels in zip(grid.models, known, strict=True) if labels.any()]
    if len(of_models) == 1:
        raise InputError(
            f"all {int(known.sum()):,} labels are of the model {of_models[0]!r}, expected labels of two "
            "models on the same items",
            next_step=f"Label the same items' answers of another model. {draw}",
        )
    shared = (known.astype(np.int64) @ known.T)[np.triu_indices(len(known), k=1)].max(initial=0)
    if shared < LEAST_LABELS:
        raise InputError(
            f"only {shared} items have labels of two models, expected {LEAST_LABELS} or more",
            next_step=f"Label {LEAST_LABELS - shared} more. {draw}",
        )
    labelled = np.asarray(known.any(axis=0))
    chances = np.ones(len(labelled)) if grid.label_probability is None else grid.label_probability
    if np.isnan(chances[labelled]).any():
        raise InputError(
            f"the label of item {str(grid.items[labelled & np.isnan(chances)][0])!r} has no "
            "'label_probability', and others do",
            next_step="Give it for every label, or for none if all items had the same chance",
        )
    weights = chances[labelled].min() / chances[labelled]
    worth = float(weights.sum() ** 2 / _squares(weights))
    if worth < LEAST_LABELS - _ROUNDING:
        raise InputError(
            f"'label_probability' differs so much that the labelled items are worth {worth:.3g} of equal "
            f"chance, expected {LEAST_LABELS} or more",
            next_step=f"Label more of those that were unlikely to be drawn. {draw}",
        )
    what = next(_differing(grid, labelled, weights), None)
    if what is not None:
        given = " with these probabilities"
        if grid.label_probability is None:
            given, draw = "", f"{draw}; or add the column 'label_probability', if you know their chances"
        raise InputError(
            f"the labelled items are no random sample{given}: {what} than for all items, by more than chance",
            next_step=draw,
        )


def _differing(grid: ScoreGrid, labelled: NDArray[np.bool_], weights: F64) -> Iterator[str]:
    """Say in which ways labelled items differ from all items, by what the judge says of them.

    Against the larger of two errors: that of as many items drawn at random, and that of the labelled sources.
    """
    missing = np.isnan(grid.scores)
    is_scored = ~missing.all(axis=0)
    if not is_scored.any():
        return

    def of_scored(values: F64) -> F64:
        return np.where(is_scored, values, values[is_scored].mean())

    means = np.nansum(grid.scores, axis=0) / np.maximum((~missing).sum(axis=0), 1)
    highest = np.fmax.reduce(grid.scores, axis=0, initial=-np.inf)
    apart = highest - np.fmin.reduce(grid.scores, axis=0, initial=np.inf)
    features = {
        ("their mean score is lower", "their mean score is higher"): of_scored(means),
        ("their models differ less", "their models differ more"): of_scored(apart),
        ("fewer of their scores are missing", "more of their scores are missing"): missing.mean(axis=0),
    }
    for model, scores in zip(grid.models, grid.scores, strict=True):
        ahead = scores - means
        ahead[np.isnan(ahead)] = np.nanmean(ahead) if not np.isnan(ahead).all() else 0.0
        features[f"{model!r} is less far ahead", f"{model!r} is further ahead"] = ahead
    most = float(-ndtri(_BY_LUCK / 2 / len(features)))
    unlabelled = 1 - np.count_nonzero(labelled) / len(labelled)
    for (less, more), values in features.items():
        around = weights * (values - values.mean())[labelled]
        drawn = float(values.var()) * _squares(weights) * unlabelled
        error = sqrt(max(drawn, _squares(np.bincount(grid.clusters[labelled], weights=around))))
        if abs(around.sum()) > most * error > 0:
            yield less if around.sum() < 0 else more
