"""Measures over conversations: means as documented, their bounds and intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from tellapart.codesearch.figures import (
    Aggregate,
    AreaAggregate,
    AreaSummary,
    Bounds,
    GapBelow,
    Measure,
    MeasureSummary,
)
from tellapart.codesearch.metrics.conversation import JUDGE, MEASURES, documented, unjudged
from tellapart.codesearch.model import UNCERTAIN, Case
from tellapart.core.comparison import claims
from tellapart.core.estimate import Estimate
from tellapart.core.randomness import generator
from tellapart.core.seed import SEED
from tellapart.core.stats import block_permutation, clustered_mean, clustered_rate, mean_once, wilson

WITHOUT_VERDICTS = "verdicts are missing"
"""Why there are bounds, and no value with an interval."""

FAR_BELOW = 0.15
"""An area is an anomaly where it is further than this below the aggregate; so says the source document."""

_DRAWS = 2000


def aggregate(cases: Sequence[Case]) -> Aggregate:
    """The documented block: means over conversations, to three decimals."""
    precision, recall = _documented(cases)
    return Aggregate(precision=precision, recall=recall, conversations_evaluated=len(cases))


def by_product_area(cases: Sequence[Case]) -> dict[str, AreaAggregate]:
    """The documented block of each product area, in ascending order of names."""
    blocks = {}
    for area, in_area in areas_of(cases).items():
        precision, recall = _documented(in_area)
        blocks[area] = AreaAggregate(precision=precision, recall=recall, count=len(in_area))
    return blocks


def mean_over(values: Sequence[float]) -> Estimate:
    """The mean of values in [0, 1], one a conversation, with Student's interval."""
    if not values:
        return Estimate(None, None, None, 0, "no conversation has a value")
    mean = clustered_mean(values, limits=(0, 1))
    return Estimate(mean_once(values), mean.low, mean.high, len(values), mean.reason)


def share_of(hits: Iterable[tuple[str, bool]]) -> Estimate:
    """A share of files or verdicts, each with its conversation, for which these stand and fall together."""
    rows = sorted(hits)
    if not rows:
        return Estimate(None, None, None, 0, "there is no such file")
    rate = clustered_rate([float(hit) for _, hit in rows], [conversation for conversation, _ in rows])
    return Estimate(rate.value, rate.low, rate.high, len(rows), rate.reason)


def areas_of(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """The cases of each product area, areas in ascending order."""
    by_area: dict[str, list[Case]] = {}
    for case in cases:
        by_area.setdefault(case.product_area, []).append(case)
    return dict(sorted(by_area.items()))


def measures(cases: Sequence[Case]) -> dict[str, MeasureSummary]:
    """All measures over conversations."""
    return {name: summary(name, cases) for name in MEASURES}


def measured(cases: Sequence[Case], name: str) -> list[Measure]:
    """One measure of each case, in order; without a value in any where nothing at all was judged.

    Conversations that need no verdict are known even then, but are no sample of the others.
    """
    values = [MEASURES[name](case) for case in cases]
    if name.endswith("_union") or not never_judged(cases):
        return values
    return [
        Measure(value=None, bounds=measure.bounds, missing=measure.missing or JUDGE) for measure in values
    ]


def never_judged(cases: Iterable[Case]) -> bool:
    """Whether files would need a verdict, and in no conversation was any put to the judge."""
    in_need = [case for case in cases if case.our_unique]
    return bool(in_need) and all(map(unjudged, in_need))


def precision_and_recall(cases: Sequence[Case]) -> tuple[str, str]:
    """Name the two measures, or what is like them without verdicts where nothing was judged."""
    return ("precision_union", "recall_union") if never_judged(cases) else ("precision", "recall")


def _documented(cases: Sequence[Case]) -> tuple[float | None, float | None]:
    """Precision and recall as the source document has them."""
    if never_judged(cases):
        return None, None
    precision, recall = (
        [value for case in cases if (value := documented(case, name)) is not None]
        for name in ("precision", "recall")
    )
    return rounded(mean_once(precision)), rounded(mean_once(recall))


def rounded(value: float | None) -> float | None:
    """To three decimals, as documented."""
    return None if value is None else round(value, 3)


def summary(name: str, cases: Sequence[Case]) -> MeasureSummary:
    """Take the mean of a measure with Student's 95 % interval; without all verdicts, its bounds alone."""
    of_cases = measured(cases, name)
    values = sorted(measure.value for measure in of_cases if measure.value is not None)
    student = clustered_mean(values, limits=(0, 1))
    is_open = any(measure.missing == JUDGE for measure in of_cases)
    low, high = (mean_once([end for each in of_cases if (end := each.bounds[k]) is not None]) for k in (0, 1))
    return MeasureSummary(
        macro=None if is_open else mean_once(values),
        interval=None if is_open else student.interval,
        interval_reason=WITHOUT_VERDICTS if is_open else student.reason,
        bounds=(low, high),
        conversations=student.n,
        missing=dict(sorted(Counter(measure.missing for measure in of_cases if measure.missing).items())),
    )


def areas(cases: Sequence[Case], *, seed: int = SEED) -> dict[str, AreaSummary]:
    """Precision and recall of each product area, and how far each is below the whole."""
    by_area = areas_of(cases)
    names = precision_and_recall(cases)
    below = {name: _below(cases, name, list(by_area), seed) for name in names}
    return {
        area: AreaSummary(
            count=len(in_area),
            measures={name: summary(name, in_area) for name in names},
            below_aggregate={name: below[name][area] for name in names},
        )
        for area, in_area in by_area.items()
    }


def uncertain(cases: Sequence[Case]) -> Estimate:
    """The share of conversations without a product area, with its interval by Wilson."""
    count = sum(case.product_area == UNCERTAIN for case in cases)
    interval = wilson(count, len(cases))
    if interval is None:
        return Estimate(None, None, None, 0, "there is no conversation")
    return Estimate(count / len(cases), interval.low, interval.high, len(cases))


def _below(cases: Sequence[Case], name: str, areas: list[str], seed: int) -> dict[str, GapBelow]:
    of_cases = measured(cases, name)
    label = np.array([case.product_area for case in cases])
    if any(measure.missing == JUDGE for measure in of_cases):
        # With a verdict missing anywhere no values can be dealt out, so no area has a p.
        ends: list[Bounds] = [measure.bounds for measure in of_cases]
        bounded = [low is not None and high is not None for low, high in ends]
        lows, highs = np.array([pair for pair, there in zip(ends, bounded, strict=True) if there], float).T
        return {area: _open(lows, highs, label[bounded] == area) for area in areas}
    there = [measure.value is not None for measure in of_cases]
    values = np.array([measure.value for measure in of_cases if measure.value is not None])
    label = label[there]
    ps = [
        block_permutation(
            values,
            (label == area)[:, None],
            np.zeros(len(values), dtype=int),
            rng=generator(seed, "codesearch", name, "below", area),
            draws=_DRAWS,
        ).p
        for area in areas
    ]
    return {
        area: GapBelow(gap=gap, anomaly=_far(gap), p=claim.p_adjusted)
        for area, claim in zip(areas, claims(ps), strict=True)
        for gap in [_gap(values, values, label == area)]
    }


def _open(lows: np.ndarray, highs: np.ndarray, is_area: np.ndarray) -> GapBelow:
    """The gap of an area where verdicts are missing: its bounds, and whether they leave an anomaly open."""
    least, most = _gap(highs, lows, is_area), _gap(lows, highs, is_area)
    far = _far(least)
    return GapBelow(gap=None, gap_bounds=(least, most), anomaly=far if far == _far(most) else None)


def _gap(within: np.ndarray, outside: np.ndarray, is_area: np.ndarray) -> float | None:
    """Mean of all less that of the area, its conversations taken from ``within`` and the rest elsewhere.

    More in the area raises its own mean by more than that of all, so that the two ends are the bounds.
    """
    of_area = mean_once(within[is_area].tolist())
    of_all = mean_once(np.where(is_area, within, outside).tolist())
    return None if of_area is None or of_all is None else of_all - of_area


def _far(gap: float | None) -> bool | None:
    # .5 - .35 is above .15 by rounding alone.
    return None if gap is None else round(gap, 9) > FAR_BELOW
