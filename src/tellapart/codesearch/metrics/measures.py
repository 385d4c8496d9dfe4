"""The measures of one conversation, and their means: over all of them, and by product area."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from statistics import fmean

from tellapart.codesearch.figures import (
    Aggregate,
    AreaAggregate,
    AreaMeasure,
    Bounds,
    Measure,
    MeasureSummary,
)
from tellapart.codesearch.model import UNCERTAIN, Case, JudgeVerdict
from tellapart.core.estimate import Estimate
from tellapart.core.stats import clustered_mean, clustered_rate, mean_once, wilson

JUDGE = "judge"  # Cause of a value that is missing for want of verdicts
INFEASIBLE = "infeasible"
"""Cause of a value that no verdict would define: a share of nothing; and of a file that nobody is shown."""

_FORMULAS: dict[str, Callable[[int, int, int], float | None]] = {
    "precision": lambda relevant, ours, missed: _share(relevant, ours),
    "recall": lambda relevant, ours, missed: _share(relevant, relevant + missed),
    "f1": lambda relevant, ours, missed: _share(2 * relevant, ours + relevant + missed),
}
"""Of relevant files that we found, files that we found, and files that an exploration found and we missed."""


def measure(case: Case, name: str) -> Measure:
    """Score a conversation by one of ``SCORED``.

    Relevant are the files that an exploration found too, and those judged relevant; by ``…_union`` the
    former alone, which needs no verdict. A share of nothing is undefined. Where both explorations failed
    there is only precision, which then rests on the verdicts.

    Source: source document 003, "Precision" and "Recall"; its "ground_truth_total" is this judged pool. F1 is
        their harmonic mean; in this form it is 0, not undefined, where we found nothing of what there is.
    """
    kind, _, union = name.partition("_")
    if name != "precision" and case.run_a.failure and case.run_b.failure:
        return Measure(value=None, bounds=(0.0, 1.0), missing=case.run_a.failure.cause)
    sure = len(case.intersection) + (0 if union else len(case.our_unique_relevant))
    open_ = 0 if union else len(case.without_verdict)
    low, high = (
        _FORMULAS[kind](relevant, len(case.ours), len(case.ground_truth_unique))
        for relevant in (sure, sure + open_)
    )
    if open_:
        # Even where no verdict could move it: those at the top alone would be no sample of the others.
        return Measure(value=None, bounds=(low, high), missing=JUDGE)
    return Measure(value=low, bounds=(low, low), missing=INFEASIBLE if low is None else None)


SCORED: dict[str, Callable[[Case], Measure]] = {
    f"{kind}{union}": partial(measure, name=f"{kind}{union}")
    for union in ("", "_union")
    for kind in _FORMULAS
}
"""Measures by which systems can be compared."""

MEASURES = tuple(name for name in SCORED if name != "f1_union")
"""Names of those that an evaluation has; those that people look at first come first."""


def documented(case: Case, name: str) -> float | None:
    """Precision or recall as the source document's pipeline has it, which adds numbers of files.

    A verdict that failed counts as not relevant. Where a recorded judge ruled on files that are not ours
    alone, `counted_twice` counts each again; precision stays at 1 at most. None where nothing was judged that
    needs it, where both explorations failed, and for a share of nothing.
    """
    relevant = len(case.intersection) + len(case.our_unique_relevant)
    again = len(counted_twice(case))
    if unjudged(case) or (name == "recall" and no_run(case)):
        return None
    whole = len(case.ours) if name == "precision" else relevant + len(case.ground_truth_unique)
    value = _share(relevant + again, whole + again * (name == "recall")) if whole else None
    return None if value is None else min(1.0, value)


def counted_twice(case: Case) -> frozenset[str]:
    """Files with a relevant verdict that did not need one; no judge of ours is asked about them."""
    return frozenset(file for file, verdict in case.verdicts.items() if verdict.relevant) - case.our_unique


def no_run(case: Case) -> bool:
    """Whether both explorations failed, so that there is no ground truth."""
    return case.run_a.failure is not None and case.run_b.failure is not None


def unjudged(case: Case) -> bool:
    """Whether there are files that need a verdict, and none of them was put to the judge."""
    return bool(case.our_unique) and case.our_unique.isdisjoint(case.verdicts)


def not_shown(verdict: JudgeVerdict | None) -> bool:
    """Whether a file was not put to the judge, since it may not be shown or is no text."""
    return verdict is not None and verdict.failure is not None and verdict.failure.cause == INFEASIBLE


def grades(case: Case) -> dict[str, int]:
    """Grade every file of which something is known: 2 for both explorations, 1 for one or the judge alone."""
    wrong = {file for file, verdict in case.verdicts.items() if verdict.relevant is False}
    by_file = dict.fromkeys(case.ground_truth | case.our_unique_relevant, 1)
    by_file |= dict.fromkeys(case.in_both_runs, 2)
    return dict(sorted((by_file | dict.fromkeys(wrong, 0)).items()))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


WITHOUT_VERDICTS = "verdicts are missing"  # Why there are bounds, and no value with an interval
FAR_BELOW = 0.15
"""An area is an anomaly where it is further than this below the aggregate; so says the source document."""


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


def count_rate(count: int, of: int) -> Estimate:
    """A share of conversations, with its interval by Wilson."""
    interval = wilson(count, of)
    if interval is None:
        return Estimate(None, None, None, 0, "there is no conversation")
    return Estimate(count / of, interval.low, interval.high, of)


def uncertain(cases: Sequence[Case]) -> Estimate:
    """The share of conversations without a product area."""
    return count_rate(sum(case.product_area == UNCERTAIN for case in cases), len(cases))


def measures(cases: Sequence[Case]) -> dict[str, MeasureSummary]:
    """All measures over conversations."""
    return {name: summary(name, cases) for name in MEASURES}


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


def measured(cases: Sequence[Case], name: str) -> list[Measure]:
    """One measure of each case, in order; without a value in any where nothing at all was judged."""
    values = [SCORED[name](case) for case in cases]
    if name.endswith("_union") or not never_judged(cases):
        return values
    return [
        Measure(value=None, bounds=measure.bounds, missing=measure.missing or JUDGE) for measure in values
    ]


def never_judged(cases: Iterable[Case]) -> bool:
    """Whether files would need a verdict, and in no conversation was any put to the judge."""
    in_need = [case for case in cases if case.our_unique]
    return bool(in_need) and all(map(unjudged, in_need))


def precision_and_recall(*iterations: Sequence[Case]) -> tuple[str, str]:
    """Name the two measures, or what is like them without verdicts where nothing was judged in one."""
    unjudged_one = any(map(never_judged, iterations))
    return ("precision_union", "recall_union") if unjudged_one else ("precision", "recall")


def areas_of(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """The cases of each product area, areas in ascending order."""
    by_area: dict[str, list[Case]] = {}
    for case in cases:
        by_area.setdefault(case.product_area, []).append(case)
    return dict(sorted(by_area.items()))


def areas(cases: Sequence[Case]) -> dict[str, dict[str, AreaMeasure]]:
    """Precision and recall of each product area, and how far each is below the whole."""
    names = precision_and_recall(cases)
    by_area = areas_of(cases)
    return {
        area: {name: _area_measure(cases, area, by_area[area], name) for name in names} for area in by_area
    }


def _area_measure(cases: Sequence[Case], area: str, in_area: Sequence[Case], name: str) -> AreaMeasure:
    """The whole less an area is what the others have more than it, by their share of the conversations."""
    of_area = summary(name, in_area)
    inside: list[tuple[float, float]] = []
    outside: list[tuple[float, float]] = []
    for case, measure in zip(cases, measured(cases, name), strict=True):
        low, high = measure.bounds
        if low is not None and high is not None and measure.missing in (None, JUDGE):
            (inside if case.product_area == area else outside).append((low, high))
    gap: Bounds = (None, None) if not inside else (0.0, 0.0)
    if inside and outside:
        share = len(outside) / (len(inside) + len(outside))
        means = [[fmean(end) for end in zip(*part, strict=True)] for part in (inside, outside)]
        gap = (share * (means[1][0] - means[0][1]), share * (means[1][1] - means[0][0]))
    # .5 - .35 is above .15 by rounding alone.
    least, most = (None if end is None else round(end, 9) > FAR_BELOW for end in gap)
    anomaly = least if least == most else None
    return AreaMeasure(mean=of_area.macro, interval=of_area.interval, gap=gap, anomaly=anomaly)


FEW = 3  # Fewest conversations of a product area that say something about it


def far_below(cases: Sequence[Case]) -> dict[str, dict[str, AreaMeasure]]:
    """The areas of some size that are far below the whole, with the measures by which they are."""
    sizes = {area: len(in_area) for area, in_area in areas_of(cases).items()}
    below = {
        area: {name: measure for name, measure in figures.items() if measure.anomaly}
        for area, figures in areas(cases).items()
        if sizes[area] >= FEW
    }
    return {area: figures for area, figures in below.items() if figures}
