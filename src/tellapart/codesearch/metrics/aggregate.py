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
    MeasureSummary,
    Uncertain,
)
from tellapart.codesearch.metrics.conversation import (
    JUDGE,
    MEASURES,
    Measure,
    documented,
    unjudged,
)
from tellapart.codesearch.model import UNCERTAIN, Case
from tellapart.core.comparison import claims
from tellapart.core.randomness import generator
from tellapart.core.seed import SEED
from tellapart.core.stats import block_permutation, clustered_mean, mean_once, wilson

WITHOUT_VERDICTS = "verdicts are missing"
"""Why there are bounds, and no value with an interval."""


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


def areas_of(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """The cases of each product area, areas in ascending order."""
    by_area: dict[str, list[Case]] = {}
    for case in cases:
        by_area.setdefault(case.product_area, []).append(case)
    return dict(sorted(by_area.items()))


def measures(cases: Sequence[Case]) -> dict[str, MeasureSummary]:
    """All measures over conversations."""
    return {name: summary(name, cases) for name in MEASURES}


def measured(cases: Iterable[Case], name: str) -> list[Measure]:
    """One measure of each case, in order; without a value in any where nothing at all was judged.

    Conversations that need no verdict are known even then, but are no sample of the others.
    """
    cases = list(cases)
    values = [MEASURES[name](case) for case in cases]
    if name.endswith("_union") or not never_judged(cases):
        return values
    return [Measure(measure.least, measure.most, measure.missing or JUDGE) for measure in values]


def never_judged(cases: Iterable[Case]) -> bool:
    """Whether files would need a verdict, and in no conversation was any put to the judge."""
    in_need = [case for case in cases if case.our_unique]
    return bool(in_need) and all(map(unjudged, in_need))


def precision_and_recall(cases: Sequence[Case]) -> tuple[str, str]:
    """Name the two measures, or what is like them without verdicts where nothing was judged."""
    return ("precision_union", "recall_union") if never_judged(cases) else ("precision", "recall")


def mean_bounds(bounds: Iterable[Bounds]) -> Bounds:
    """Give the mean of the lower ends that are defined, and of the upper ones; None where there is none."""
    bounds = list(bounds)
    low, high = (mean_once([end for ends in bounds if (end := ends[k]) is not None]) for k in (0, 1))
    return low, high


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
    return MeasureSummary(
        macro=None if is_open else mean_once(values),
        interval=None if is_open else student.interval,
        interval_reason=WITHOUT_VERDICTS if is_open else student.reason,
        bounds=mean_bounds(measure.bounds for measure in of_cases),
        conversations=student.n,
        missing=dict(sorted(Counter(measure.missing for measure in of_cases if measure.missing).items())),
    )


FAR_BELOW = 0.15
"""An area is an anomaly where it is further than this below the aggregate; so says the source document."""

_DRAWS = 2000


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


def uncertain(cases: Sequence[Case]) -> Uncertain:
    """How many conversations have no product area: count, rate and its 95 % interval by Wilson."""
    n = sum(case.product_area == UNCERTAIN for case in cases)
    rate = n / len(cases) if cases else None
    return Uncertain(n=n, of=len(cases), rate=rate, interval=wilson(n, len(cases)))


def _below(cases: Sequence[Case], name: str, names: list[str], seed: int) -> dict[str, GapBelow]:
    of_cases = measured(cases, name)
    label = np.array([case.product_area for case in cases])
    values, lows, highs = (
        np.array([getattr(measure, of) for measure in of_cases], dtype=np.float64)
        for of in ("value", "low", "high")
    )
    has_value, bounded = ~np.isnan(values), ~(np.isnan(lows) | np.isnan(highs))
    open_ = any(measure.missing == JUDGE for measure in of_cases)
    # With a verdict missing anywhere no values can be dealt out, so no area has a p.
    ps = [
        None
        if open_
        else block_permutation(
            values[has_value],
            (label[has_value] == area)[:, None],
            np.zeros(has_value.sum(), dtype=int),
            rng=generator(seed, "codesearch", name, "below", area),
            draws=_DRAWS,
        ).p
        for area in names
    ]
    gaps = {}
    for area, claim in zip(names, claims(ps), strict=True):
        gap = None if open_ else _gap(values[has_value], values[has_value], label[has_value] == area)
        least, most = (
            _gap(within, outside, label[bounded] == area)
            for within, outside in ((highs[bounded], lows[bounded]), (lows[bounded], highs[bounded]))
        )
        far_at_least, far_at_most = _far(least), _far(most)
        withheld = far_at_least != far_at_most
        gaps[area] = GapBelow(
            gap=gap,
            gap_bounds=(least, most),
            anomaly=None if withheld else far_at_least if open_ else _far(gap),
            withheld=withheld,
            p=claim.p_adjusted,
            beyond_chance=claim.holds,
        )
    return gaps


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
