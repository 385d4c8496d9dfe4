"""How complete the ground truth is.

Two explorations that share much have little left to find, two that share little have much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tellapart.codesearch.figures import (
    Completeness,
    Coverage,
    EstimatedRecall,
    NoEstimate,
    PopulationEstimate,
)
from tellapart.codesearch.metrics.aggregate import never_judged
from tellapart.codesearch.metrics.capture import TwoCatches, chapman_sum
from tellapart.codesearch.metrics.conversation import Tier, tiers
from tellapart.codesearch.model import Case
from tellapart.core.estimate import EstimateWithError


def catches(case: Case) -> TwoCatches:
    """Count the relevant files of run A, of run B and of both; see `grades.tiers` for what is relevant."""
    explored = {file for file, tier in tiers(case).items() if tier is not Tier.JUDGE}
    run_a, run_b = explored & set(case.run_a.files), explored & set(case.run_b.files)
    return TwoCatches(len(run_a), len(run_b), len(run_a & run_b))


def completeness(cases: Sequence[Case]) -> Completeness | None:
    """Estimate how many relevant files there are in all conversations, and what share is known.

    The estimate is the sum of Chapman's over conversations, as they are not equally easy to explore; see
    `capture.chapman_sum`. Conversations in which a run found nothing are left out: from one run alone
    nothing can be estimated.
    """
    if not cases:
        return None
    whole = [case for case in cases if not _failed(case)]
    used = [case for case in whole if catches(case).first and catches(case).second]
    counts = [catches(case) for case in used]
    estimate = chapman_sum(counts)
    return Completeness(
        conversations=len(used),
        left_out=NoEstimate(run_failed=len(cases) - len(whole), run_found_nothing=len(whole) - len(used)),
        run_a_files=sum(catches.first for catches in counts),
        run_b_files=sum(catches.second for catches in counts),
        both_files=sum(catches.both for catches in counts),
        known_files=sum(catches.union for catches in counts),
        estimate=_estimate(estimate),
        coverage=_coverage(estimate),
        recall=_recall(used, estimate),
    )


def _failed(case: Case) -> bool:
    return case.run_a.failure is not None or case.run_b.failure is not None


def _estimate(estimate: EstimateWithError) -> PopulationEstimate:
    high = estimate.high
    return PopulationEstimate(
        value=estimate.value,
        standard_error=estimate.standard_error,
        low=estimate.low,
        high=None if high is None or math.isinf(high) else high,
        reason=estimate.reason,
    )


def _coverage(estimate: EstimateWithError) -> Coverage:
    low, value, high = _shares(estimate, estimate.n, estimate.n)
    return Coverage(value=value, low=low, high=high)


def _shares(
    estimate: EstimateWithError, part: int, least: int
) -> tuple[float | None, float | None, float | None]:
    """A part of all relevant files, at the upper end of N, at N and at its lower end."""
    if estimate.value is None or estimate.interval is None:
        return None, None, None
    sizes = (estimate.interval.high, estimate.value, estimate.interval.low)
    low, value, high = (part / max(size, least) for size in sizes)
    return low, value, high


def _recall(cases: Sequence[Case], estimate: EstimateWithError) -> EstimatedRecall:
    """Share of all relevant files, unknown ones included, that we found.

    (intersection + our_unique_relevant) / max(N, known + our_unique_relevant). ``bounds`` take all files
    without a verdict as not relevant and as relevant; ``low`` and ``high`` the ends of N besides. ``value``
    is None where these bounds differ, nothing was judged, or there is no N.
    """
    sure, more = sum(map(_ours_in_union, cases)), sum(len(case.our_unique_relevant) for case in cases)
    open_ = sum(len(case.without_verdict) for case in cases)
    low, least, _ = _shares(estimate, sure + more, estimate.n + more)
    _, most, high = _shares(estimate, sure + more + open_, estimate.n + more + open_)
    value = None if never_judged(cases) or least != most else least
    return EstimatedRecall(value=value, bounds=(least, most), low=low, high=high, without_verdict=open_)


def _ours_in_union(case: Case) -> int:
    """Relevant files of ours that an exploration found too."""
    return sum(file in case.intersection for file in tiers(case))
