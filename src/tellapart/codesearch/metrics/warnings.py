"""What to beware of in an evaluation: sentences for people, each with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from statistics import stdev

import numpy as np

from tellapart.codesearch.config import LoopConfig
from tellapart.codesearch.explorer_kinds import is_deterministic
from tellapart.codesearch.figures import GapBelow, JudgingSummary, MeasureSummary, Metrics
from tellapart.codesearch.metrics.aggregate import measured, never_judged, precision_and_recall
from tellapart.codesearch.metrics.conversation import JUDGE, MEASURES, counted_twice, documented, no_run
from tellapart.codesearch.metrics.explorations import ROLES
from tellapart.codesearch.metrics.independence import RUNS
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.core.comparison.plan import Spread, whole
from tellapart.core.comparison_settings import ALPHA, POWER
from tellapart.core.stats import wilson
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
        *_not_shown(metrics.judging),
        *_twice(ordered),
        *_explorations(ordered, metrics),
        *too_few(ordered, metrics),
        *_same_runs(ordered),
        *_areas(ordered, metrics),
    ]


def _verdicts(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    judging, precision, recall = metrics.judging, metrics.measures["precision"], metrics.measures["recall"]
    if never_judged(cases):
        return  # Nobody was asked to; bounds say what that leaves open.
    failed = sum(judging.failed.values())
    is_open = JUDGE in precision.missing or JUDGE in recall.missing
    if judging.reliable is False or (is_open and (failed or judging.not_asked)):
        without = f"{judging.not_asked} files that only we found were not put to the judge"
        if failed:
            share = f"{whole_percent(judging.share_failed or 0)}; {_causes(judging.failed)}"
            without = f"{failed} of {failed + judging.judged} verdicts failed ({share})"
        lowest, highest = (
            f"precision {_number(precision.bounds[end])} and recall {_number(recall.bounds[end])}"
            for end in (0, 1)
        )
        yield (
            f"{without}, so precision and recall are not known: {lowest} if none of these files is "
            f"relevant, {highest} if all are."
        )


def _not_shown(judging: JudgingSummary) -> Iterator[str]:
    if count := sum(judging.not_shown.values()):
        yield (
            f"{count} of the files that only we found {'was' if count == 1 else 'were'} not put to the judge "
            f"({_causes(judging.not_shown)}), since {'it' if count == 1 else 'they'} may not be shown or "
            "cannot be read. That is no failure of the judge's; precision and recall are known within bounds."
        )


def _twice(cases: Sequence[Case]) -> Iterator[str]:
    for case in cases:
        if again := len(counted_twice(case)):
            values = [
                f"{name} {_number(documented(case, name))} instead of {_number(MEASURES[name](case).value)}"
                for name in ("precision", "recall")
            ]
            yield (
                f"{case.id}: {again} of {len(case.our_unique_relevant) + again} relevant "
                f"verdicts {'is on a file' if again == 1 else 'are on files'} not ours alone, which the "
                f"original pipeline counts twice: {', '.join(values)}."
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


def _same_runs(cases: Sequence[Case]) -> Iterator[str]:
    names = {explored.explorer for case in cases for explored in (case.run_a, case.run_b)}
    done = [case for case in cases if case.run_a.failure is None and case.run_b.failure is None]
    if len(names) == 1 and all(map(is_deterministic, names)):
        yield (
            f"Run A and run B are both {names.pop()}, which always finds the same: their overlap is 1 by "
            "construction and says nothing."
        )
    elif len(done) > 1 and all(case.ground_truth and case.ground_truth == case.in_both_runs for case in done):
        yield (
            f"Run A and run B found exactly the same files in all {len(done)} conversations that both "
            "explored: independent explorations do not."
        )


def _areas(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    """Areas far below the whole, and those of which missing verdicts leave that open."""
    if cases and metrics.uncertain and metrics.uncertain.value == 1:
        yield (
            f"The product area of all {len(cases)} conversations is uncertain: there are no figures by area."
        )
    for area, figures in metrics.areas.items():
        for name, below in figures.below_aggregate.items() if figures.count >= FEW else ():
            words = name.replace("_union", " without verdicts")
            if below.anomaly:
                yield _anomaly(area, words, figures.measures[name], below)
            elif below.anomaly is None and below.gap_bounds and metrics.measures[name].conversations:
                low, high = map(_number, below.gap_bounds)
                yield (
                    f"Whether {area} is far below the whole in {words} is open: the gap is from {low} to "
                    f"{high}, depending on the missing verdicts."
                )


def _anomaly(area: str, name: str, measure: MeasureSummary, below: GapBelow) -> str:
    if below.gap is None:
        low = _number(below.gap_bounds and below.gap_bounds[0])
        return f"{area} is at least {low} below the whole in {name}, whatever the missing verdicts say."
    interval = measure.interval
    shown = f"95 % interval {interval[0]:.2f} to {interval[1]:.2f}" if interval else "no interval"
    chance = {
        True: f"more than chance would do (p {below.p or 0:.3f})",
        False: f"within chance for so few conversations (p {below.p or 0:.2f})",
        None: "chance cannot be tested",
    }
    return (
        f"{area} is {below.gap:.2f} below the whole in {name}: {_number(measure.macro)} over "
        f"{measure.conversations} conversations ({shown}), {chance[below.beyond_chance]}."
    )


def too_few(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    """Warn where the interval of precision or recall is wider than ``WIDEST``."""
    names = [name for name in precision_and_recall(cases) if metrics.measures[name].macro is not None]
    intervals = {name: interval_of(metrics.measures[name]) for name in names}
    wide = {name: ends for name, ends in intervals.items() if ends is None or ends[1] - ends[0] > WIDEST}
    if not wide:
        return
    shown = [
        f"{name.replace('_union', ' without verdicts')} "
        + ("has no interval" if ends is None else f"is within {ends[0]:.2f} to {ends[1]:.2f}")
        for name, ends in wide.items()
    ]
    sizes = [n for name in wide if (n := conversations_needed(cases, name)) is not None]
    needed = f"About {max(sizes)} would be needed." if sizes else "The number needed cannot be estimated yet."
    yield (
        f"{len(cases)} {'conversation is' if len(cases) == 1 else 'conversations are'} too few to tell a "
        f"regression of {REGRESSION:.2f} from chance: {', '.join(shown)} (95 %). {needed}"
    )


def interval_of(measure: MeasureSummary) -> tuple[float, float] | None:
    """The 95 % interval of a mean over conversations; None below two.

    Where all conversations are alike, Wilson's interval says how many others may not be, and these could be
    anything.
    """
    n, macro = measure.conversations, measure.macro or 0.0
    if measure.interval is not None or n < 2:
        return measure.interval
    alike = wilson(n, n)
    share = alike.low if alike else 0.0
    return macro * share, macro * share + 1 - share


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
