"""What to beware of in an evaluation: sentences for people, each with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from statistics import stdev

import numpy as np

from tellapart.codesearch.config import LoopConfig
from tellapart.codesearch.figures import AreaMeasure, Metrics
from tellapart.codesearch.metrics.aggregate import measured, never_judged, precision_and_recall
from tellapart.codesearch.metrics.conversation import JUDGE, counted_twice, no_run
from tellapart.codesearch.metrics.explorations import ROLES, RUNS
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.core.comparison.plan import Spread, whole
from tellapart.core.comparison_settings import ALPHA, POWER
from tellapart.report.numbers import whole_percent

FEW = 3
"""Fewest conversations of a product area that say something about it."""

REGRESSION = LoopConfig.regression
WIDEST = 2 * REGRESSION
"""Of the 95 % interval; a wider one reaches further than a regression to either side."""

_SHOWN = 5


def warnings(cases: Sequence[Case], metrics: Metrics) -> list[str]:
    """Say what to beware of."""
    ordered = sorted_cases(cases)
    return [
        *_verdicts(ordered, metrics),
        *_twice(ordered),
        *_explorations(ordered, metrics),
        *too_few(ordered, metrics),
        *_areas(ordered, metrics),
    ]


def _verdicts(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    judging, precision, recall = metrics.judging, metrics.measures["precision"], metrics.measures["recall"]
    is_open = JUDGE in precision.missing or JUDGE in recall.missing
    # Where nobody was asked to judge, bounds say what that leaves open.
    if never_judged(cases) or not (is_open or judging.reliable is False):
        return
    failed, hidden = sum(judging.failed.values()), sum(judging.not_shown.values())
    parts = []
    if failed:
        share = whole_percent(judging.share_failed or 0)
        parts.append(
            f"{failed} of {failed + judging.judged} verdicts failed ({share}; {_causes(judging.failed)})"
        )
    if judging.not_asked:
        parts.append(f"{judging.not_asked} files that only we found were not put to the judge")
    if hidden:
        parts.append(f"{hidden} files may not be shown to the judge ({_causes(judging.not_shown)})")
    lowest, highest = (
        f"precision {_number(precision.bounds[end])} and recall {_number(recall.bounds[end])}"
        for end in (0, 1)
    )
    yield (
        f"{'; '.join(parts)}, so precision and recall are not known: {lowest} if none of these files is "
        f"relevant, {highest} if all are."
    )


def _twice(cases: Sequence[Case]) -> Iterator[str]:
    twice = {case.id: len(files) for case in cases if (files := counted_twice(case))}
    if twice:
        yield (
            f"{sum(twice.values())} relevant verdicts in {_listed(list(twice))} are on files that are not "
            "the system's alone; the original pipeline counts these twice, so its precision and recall are "
            "too high."
        )


def _explorations(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    for role in ROLES:
        run = metrics.exploring.of(role)
        if run.suspect:
            yield (
                f"The exploration of {RUNS[role]} ({run.explorer}) is suspect in {len(run.suspect)} of "
                f"{len(cases)} conversations, where it found no file and reports no error: "
                f"{_listed(run.suspect)}."
            )
        if ids := run.failed_conversations:
            yield (
                f"The exploration of {RUNS[role]} ({run.explorer}) failed in {len(ids)} of {len(cases)} "
                f"conversations ({_causes(run.failed)}), whose ground truth lacks it: {_listed(ids)}."
            )
    if neither := [case.id for case in cases if no_run(case)]:
        yield (
            f"Both explorations failed in {len(neither)} of {len(cases)} conversations, which have no "
            f"recall: {_listed(neither)}."
        )
    done = [case for case in cases if case.run_a.failure is None and case.run_b.failure is None]
    if len(done) > 1 and all(case.ground_truth and case.ground_truth == case.in_both_runs for case in done):
        yield (
            f"Run A and run B found exactly the same files in all {len(done)} conversations that both "
            "explored: independent explorations do not."
        )


def _areas(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    """Areas far below the whole, whatever missing verdicts say."""
    if cases and metrics.uncertain and metrics.uncertain.value == 1:
        yield (
            f"The product area of all {len(cases)} conversations is uncertain: there are no figures by area."
        )
    for area, figures in metrics.areas.items():
        count = metrics.by_product_area[area].count or 0
        for name, measure in figures.items() if count >= FEW else ():
            if measure.anomaly:
                yield _anomaly(area, measure_in_words(name), count, measure)


def _anomaly(area: str, name: str, count: int, measure: AreaMeasure) -> str:
    if measure.mean is None:
        return (
            f"{area} is at least {_number(measure.gap[0])} below the whole in {name}, whatever the missing "
            "verdicts say."
        )
    ends = measure.interval
    shown = f"95 % interval {ends[0]:.2f} to {ends[1]:.2f}" if ends else "no interval"
    return (
        f"{area} is {measure.gap[0]:.2f} below the whole in {name}: {measure.mean:.3f} over {count} "
        f"conversations ({shown})."
    )


def too_few(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    """Warn where the interval of precision or recall is wider than ``WIDEST``, or there can be none."""
    figures = {name: metrics.measures[name] for name in precision_and_recall(cases)}
    wide = {
        name: measure.interval
        for name, measure in figures.items()
        if measure.macro is not None
        and (
            measure.interval[1] - measure.interval[0] > WIDEST
            if measure.interval
            else measure.conversations < 2
        )
    }
    if not wide:
        return
    shown = [
        f"{measure_in_words(name)} "
        + ("has no interval" if ends is None else f"is within {ends[0]:.2f} to {ends[1]:.2f}")
        for name, ends in wide.items()
    ]
    sizes = [n for name in wide if (n := conversations_needed(cases, name)) is not None]
    needed = f"About {max(sizes)} would be needed." if sizes else "The number needed cannot be estimated yet."
    yield (
        f"{len(cases)} {'conversation is' if len(cases) == 1 else 'conversations are'} too few to tell a "
        f"regression of {REGRESSION:.2f} from chance: {', '.join(shown)} (95 %). {needed}"
    )


def conversations_needed(cases: Sequence[Case], name: str) -> int | None:
    """Conversations an iteration with which a regression of a measure would be seen, with 80 % power."""
    values = [measure.value for measure in measured(cases, name) if measure.value is not None]
    spread = stdev(values) if len(values) > 1 else 0.0
    if not spread:
        return None
    # The difference of two independent iterations varies by twice the variance of one.
    one = np.ones(1)
    both = Spread(2 * one * spread**2, one, one * len(values), one, 0 * one, inf)
    return whole(float(both.items(REGRESSION, ALPHA, POWER)[0]))


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _causes(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{cause} {count}" for cause, count in counts.items())


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
