"""How good a judge is by people's labels, and what more labels or more items would buy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from scipy.special import ndtri, stdtrit

from tellapart.core.arrays import F64
from tellapart.core.comparison.compare import compare
from tellapart.core.comparison.effects import claims
from tellapart.core.comparison.labels import LEAST_LABELS, Corrected, corrected, corrected_difference
from tellapart.core.comparison.pairs import Comparison, PairComparison
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.estimate import Interval
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.intervals import OUTSIDE_95, clustered_mean, clustered_rate

_FAMILY = re.compile(r"([^\s/]+)/[^\s/]+")

MORE_LABELS = (60, 120, 240)
"""What so many more labelled items would buy is said."""


@dataclass(frozen=True)
class JudgeBias:
    """How much higher the judge scores a model than people do, and its 95 % interval."""

    bias: float
    interval: Interval


@dataclass(frozen=True)
class Levers:
    """How well so many items, some of them labelled, know the difference of two models.

    ``half_width`` is of the 95 % interval of the difference, in score units, and ``cost`` of all of them at
    the given prices.
    """

    items: int
    labels: int
    half_width: float
    cost: float | None = None


@dataclass(frozen=True)
class JudgeCard:
    """A judge beside the people who labelled some of what it judged.

    Attributes:
        n: Labelled items, with so many labelled ``answers``.
        judge: By model; without those that have too few labels.
        agreement: Beyond chance, at most 1: Cohen's kappa for scores of 0 and 1, for others Lin's coefficient
            of concordance, which is kappa with quadratic weights; None where all have one score.
        agreement_interval: At 95 %; None where agreement is, or with too few labels.
        favours: Models whose bias is above that of the others, tested together.
        families: By family, what stands before ``/`` in names such as ``openai/gpt-5``: how much higher the
            judge's bias is for its models than for the rest; intervals hold at 95 % for all families at once.
            Empty where no family has several models, or there is no rest.
        width_ratio: The median over pairs of the corrected interval's width over that of the labels alone.
        more: What more labels buy in the middle one of the open pairs, from those there are on.
        settle: The cheapest items and labels that find the smallest difference that matters in that pair with
            the planned power; None without prices.
        judge_alone: The comparison without the labels.
    """

    n: int
    answers: int
    judge: dict[str, JudgeBias]
    agreement: float | None
    agreement_interval: Interval | None
    favours: tuple[str, ...]
    families: dict[str, JudgeBias]
    width_ratio: float | None
    more: tuple[Levers, ...]
    settle: Levers | None
    judge_alone: Comparison


def judge_card(
    grid: ScoreGrid,
    comparison: Comparison,
    settings: ComparisonSettings,
    prices: tuple[float, float] | None = None,
) -> JudgeCard | None:
    """Hold a judge's scores against people's labels; None without labels.

    ``comparison`` is that of the grid, corrected. The prices are of an item, asked of all models and judged,
    and of labelling one item.
    """
    if grid.human is None:
        return None
    errors, rows = grid.scores - grid.human, {model: row for row, model in enumerate(grid.models)}
    biases = {model: _mean_error(grid, errors[row]) for model, row in rows.items()}
    agreement, interval = _agreement(grid, grid.human)
    pairs = comparison.primary.pairs
    of_pairs = [(pair, corrected_difference(grid, rows[pair.a], rows[pair.b])) for pair in pairs]
    known = [(pair, of_pair) for pair, of_pair in of_pairs if of_pair is not None]
    ratios = [of_pair.standard_error / of_pair.alone for _, of_pair in known if of_pair.alone]
    middle = _middle(known)
    return JudgeCard(
        n=int(np.count_nonzero(~np.isnan(grid.human).all(axis=0))),
        answers=int(np.count_nonzero(~np.isnan(grid.human))),
        judge={model: JudgeBias(bias.estimate, bias.interval()) for model, bias in biases.items() if bias},
        agreement=agreement,
        agreement_interval=interval,
        favours=_favoured(grid, errors),
        families=_families(grid, errors),
        width_ratio=float(np.median(ratios)) if ratios else None,
        more=_more(middle) if middle else (),
        settle=_cheapest(middle, settings, pairs[0].planned_level, prices) if middle and prices else None,
        judge_alone=compare(replace(grid, human=None), settings, secondary=False),
    )


def _mean_error(grid: ScoreGrid, errors: F64) -> Corrected | None:
    """Estimate a mean over labelled answers, of an error of the judge."""
    nothing = np.full(len(errors), np.nan)
    return corrected(nothing, errors, grid.clusters, grid.label_probability, grid.span)


def _favoured(grid: ScoreGrid, errors: F64) -> tuple[str, ...]:
    """Name the models that the judge scores higher than it scores the others, beside people's labels."""
    above = [_above_rest(grid, errors, [row]) for row in range(len(errors))]
    tests = claims([None if bias is None else bias.p for bias in above])
    return tuple(
        model
        for model, bias, test in zip(grid.models, above, tests, strict=True)
        if bias is not None and test.holds and bias.estimate > 0
    )


def _families(grid: ScoreGrid, errors: F64) -> dict[str, JudgeBias]:
    rows: dict[str, list[int]] = {}
    for row, model in enumerate(grid.models):
        if named := _FAMILY.fullmatch(model):
            rows.setdefault(named[1], []).append(row)
    several = {family: of for family, of in rows.items() if 1 < len(of) < len(grid.models)}
    above = {family: _above_rest(grid, errors, of) for family, of in several.items()}
    return {
        family: JudgeBias(bias.estimate, bias.interval(OUTSIDE_95 / len(above)))
        for family, bias in above.items()
        if bias is not None
    }


def _above_rest(grid: ScoreGrid, errors: F64, rows: Sequence[int]) -> Corrected | None:
    """Estimate how much larger the judge's error is on some models than on the rest."""
    is_of = np.isin(np.arange(len(errors)), rows)
    of_item = []
    for some in (errors[is_of], errors[~is_of]):
        n = np.count_nonzero(~np.isnan(some), axis=0)
        of_item.append(np.where(n > 0, np.nansum(some, axis=0) / np.maximum(n, 1), np.nan))
    return _mean_error(grid, of_item[0] - of_item[1])


def _agreement(grid: ScoreGrid, human: F64) -> tuple[float | None, Interval | None]:
    """Give how far judge and people agree beyond chance, with its interval.

    Source:
        Lin 1989, "A concordance correlation coefficient to evaluate reproducibility"; for scores of 0 and 1
        it is Cohen's kappa. The interval is that of the mean squared difference, with the one expected by
        chance held at what was found, as in `tellapart.core.stats.agreement.kappa_estimate`.
    """
    # Of several answers the score is their mean, and the label that of one.
    both = ~np.isnan(grid.scores) & ~np.isnan(human) & (grid.answers == 1)
    judged, labels = grid.scores[both], human[both]
    if len(judged) < LEAST_LABELS:
        return None, None
    clusters = np.broadcast_to(grid.clusters, both.shape)[both]
    chances = np.ones(both.shape[1]) if grid.label_probability is None else grid.label_probability
    weights = np.broadcast_to(np.nanmin(chances) / chances, both.shape)[both]
    weights = weights / weights.mean()

    def mean(values: F64) -> float:
        return float(np.average(values, weights=weights))

    means = mean(judged), mean(labels)
    spread = mean(np.square(judged - means[0])) + mean(np.square(labels - means[1]))
    by_chance = spread + (means[0] - means[1]) ** 2
    if not by_chance:
        return None, None
    apart = np.square(judged - labels)
    found = mean(apart)
    most = max((grid.ends[1] - grid.ends[0]) ** 2, float(apart.max()))
    if np.ptp(weights) == 0:
        ends = clustered_rate(apart / most, clusters).interval
    else:
        ends = clustered_mean(weights * apart / most, clusters, limits=(0.0, 1.0)).interval
    interval = ends and Interval(*(1 - most * end / by_chance for end in (ends.high, ends.low)))
    return 1 - found / by_chance, interval and interval.within(-1, 1)


def _middle(known: Sequence[tuple[PairComparison, Corrected]]) -> Corrected | None:
    """Choose the middle one of the open pairs by its error, or of all where none is open."""
    some = [of_pair for pair, of_pair in known if not pair.is_separated] or [of_pair for _, of_pair in known]
    return sorted(some, key=lambda of_pair: of_pair.standard_error)[len(some) // 2] if some else None


def _more(pair: Corrected) -> tuple[Levers, ...]:
    sizes = (pair.labelled, *(pair.labelled + more for more in MORE_LABELS))
    return tuple(levers(pair, max(pair.n, labels), labels) for labels in sizes)


def levers(pair: Corrected, items: int, labels: int, cost: float | None = None) -> Levers:
    """Say how well so many items and labels like those of a pair know its difference."""
    degrees = max(1.0, pair.degrees * labels / pair.labelled)
    half = float(stdtrit(degrees, 1 - OUTSIDE_95 / 2)) * pair.error_with(items, labels)
    return Levers(items, labels, half, cost)


def _cheapest(
    pair: Corrected, settings: ComparisonSettings, level: float, prices: tuple[float, float]
) -> Levers:
    """Give the items and labels that find the smallest difference that matters, the cheapest there are.

    Source:
        Cochran 1977, "Sampling techniques", section 12.3: the best sizes of two phases are as the roots of
        variance over cost.
    """
    reach = float(ndtri(1 - level / 2) + ndtri(settings.power))
    wanted = (settings.least / reach) ** 2
    of_item, of_label = prices
    total = sqrt(pair.items * of_item) + sqrt(pair.labels * of_label)
    items, labels = sqrt(pair.items / of_item) * total / wanted, sqrt(pair.labels / of_label) * total / wanted
    if labels > items:
        items = labels = (pair.items + pair.labels) / wanted
    items, labels = int(np.ceil(items)), int(np.ceil(max(labels, LEAST_LABELS)))
    items = max(items, labels)
    return levers(pair, items, labels, items * of_item + labels * of_label)
