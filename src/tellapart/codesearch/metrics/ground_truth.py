"""How far the ground truth can be trusted: how complete it is, and who vouches for each of its files.

Two explorations that share much have little left to find, two that share little have much.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from tellapart.codesearch.case import Case, sorted_cases
from tellapart.codesearch.metrics.aggregate import WITHOUT_VERDICTS, never_judged
from tellapart.codesearch.metrics.capture import TwoCatches, chapman_sum
from tellapart.codesearch.metrics.conversation import Share, Tier, irrelevant, tiers
from tellapart.codesearch.results.metrics import (
    Completeness,
    Confidence,
    Coverage,
    EstimatedRecall,
    FileShare,
    NoEstimate,
    PopulationEstimate,
    TierSummary,
)
from tellapart.core.estimate import EstimateWithError
from tellapart.core.stats import clustered_rate


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


_Files: TypeAlias = Callable[[Case], frozenset[str]]

BY_CONSTRUCTION = "the judge rules on files that we found only, so that it cannot say what we missed"


def confidence(cases: Sequence[Case]) -> Confidence | None:
    """Count the relevant files of each tier, and ours among them.

    Two runs that agree may still be wrong, but less often than one; a system that is better on the files of
    one run alone may be better at that run's errors. Conversations in which a run failed are left out, since
    what one run found cannot be in both.
    """
    if not cases:
        return None
    whole = sorted_cases(case for case in cases if not _failed(case))
    return Confidence(conversations=len(whole), left_out=len(cases) - len(whole), tiers=_tiers(whole))


def _tiers(cases: Sequence[Case]) -> dict[str, TierSummary]:
    """Figures of each tier, surest first."""
    relevant = {
        tier.value: TierSummary(
            files=sum(_total(_in_tier(tier), cases)),
            ours=sum(_total(_ours_in(tier), cases)),
            recall=FileShare(value=None, reason=BY_CONSTRUCTION)
            if tier is Tier.JUDGE
            else _share(cases, _ours_in(tier), _in_tier(tier)),
            precision=_with_bounds(cases) if tier is Tier.JUDGE else _share(cases, _ours_in(tier), _ours),
        )
        for tier in Tier
    }
    rest: dict[str, _Files] = {
        "irrelevant": lambda case: case.ours & irrelevant(case),
        "no_verdict": lambda case: case.without_verdict,
    }
    return relevant | {
        name: TierSummary(ours=sum(_total(of, cases)), precision=_share(cases, of, _ours))
        for name, of in rest.items()
    }


def _with_bounds(cases: Sequence[Case]) -> FileShare:
    share = _share(cases, _ours_in(Tier.JUDGE), _ours)
    most = _share(cases, lambda case: case.our_unique_relevant | case.without_verdict, _ours)
    bounds = (share.value, most.value)
    if share.value == most.value:
        return share.model_copy(update={"bounds": bounds})
    reason = "nothing was judged" if never_judged(cases) else WITHOUT_VERDICTS
    unknown = dict.fromkeys(("value", "low", "high"))
    return share.model_copy(update={**unknown, "bounds": bounds, "reason": reason})


def _share(cases: Sequence[Case], part: _Files, whole: _Files) -> FileShare:
    """Share of some files that are others as well, which are among them."""
    shares = [Share(*of) for of in zip(_total(part, cases), _total(whole, cases), strict=True)]
    rate = clustered_rate(
        [float(hit) for share in shares for hit in [1] * share.part + [0] * (share.whole - share.part)],
        [n for n, share in enumerate(shares) for _ in range(share.whole)],
    )
    return FileShare(value=rate.value, low=rate.low, high=rate.high, reason=rate.reason)


def _total(of: _Files, cases: Sequence[Case]) -> list[int]:
    return [len(of(case)) for case in cases]


def _ours(case: Case) -> frozenset[str]:
    return case.ours


def _in_tier(tier: Tier) -> _Files:
    return lambda case: frozenset(file for file, file_tier in tiers(case).items() if file_tier is tier)


def _ours_in(tier: Tier) -> _Files:
    return lambda case: _in_tier(tier)(case) & case.ours
