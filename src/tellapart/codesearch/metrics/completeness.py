"""How many relevant files there are beyond those that the explorations found: capture and recapture.

Two explorations that share much have little left to find, two that share little have much. What the system
under test found and both missed is a third source, and checks what the two say of themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from tellapart.codesearch.case import Case
from tellapart.codesearch.metrics.aggregate import WITHOUT_VERDICTS, never_judged
from tellapart.codesearch.metrics.grades import Tier, tiers
from tellapart.core.stats import (
    Interval,
    Population,
    RateEstimate,
    TwoCatches,
    chapman,
    chapman_sum,
    clustered_rate,
)

Figures: TypeAlias = dict[str, Any]


def catches(case: Case) -> TwoCatches:
    """Count the relevant files of run A, of run B and of both; see `grades.tiers` for what is relevant."""
    explored = {file for file, tier in tiers(case).items() if tier is not Tier.JUDGE}
    run_a, run_b = explored & set(case.run_a.files), explored & set(case.run_b.files)
    return TwoCatches(len(run_a), len(run_b), len(run_a & run_b))


def case_completeness(case: Case) -> Figures:
    """Estimate the relevant files of one conversation.

    Returns:
        ``run_a_files``, ``run_b_files``, ``both_files``, ``known_files`` (the union), ``estimate`` and
        ``coverage``, as in `completeness`.
    """
    failed = _why_failed(case)
    counts = catches(case)
    found = Population(None, None, None, counts.known, failed) if failed else chapman(counts)
    return {**_counts([counts]), "estimate": _estimate(found), "coverage": _coverage(found)}


def completeness(cases: Sequence[Case]) -> Figures | None:
    """Estimate how many relevant files there are in all conversations, and what share is known.

    The estimate is the sum of Chapman's over conversations, as they are not equally easy to explore; see
    `core.stats.chapman_sum`. ``pooled`` takes the counts of all conversations as those of one, which is too
    small where some are easy for both runs; ``pooled_clean`` leaves out conversations in which a run found
    nothing, which the sum always does: from one run alone nothing can be estimated.

    Args:
        cases: In any order, which changes nothing.

    Returns:
        None without a case. Else ``conversations`` that have an estimate, ``left_out`` by reason, the counts
        of relevant files, and

        - ``estimate``: N, all relevant files, ``standard_error``, its 95 % interval ``low`` to ``high``, None
          where it has no end, and the ``reason`` where something of it is missing;
        - ``coverage``: known files / N, in (0, 1], with the same ends, 0 where N has none;
        - ``recall``: files of ours that are relevant / max(N, files known to be), see `_recall`;
        - ``third_source``: see `_third_source`.

    Source: see `core.stats.chapman`; for what searches miss, Spoor et al. 1996, "Use of the capture-recapture
    technique to evaluate the completeness of systematic literature searches".
    """
    if not cases:
        return None
    whole = [case for case in cases if not _why_failed(case)]
    used = [case for case in whole if catches(case).first and catches(case).second]
    counts = [catches(case) for case in used]
    found = chapman_sum(counts)
    return {
        "conversations": len(used),
        "left_out": {"run_failed": len(cases) - len(whole), "run_found_nothing": len(whole) - len(used)},
        **_counts(counts),
        "estimate": _estimate(found),
        "coverage": _coverage(found),
        "recall": _recall(used, found),
        "third_source": _third_source(used, found),
        "pooled": _pooled(whole),
        "pooled_clean": _pooled(used),
    }


def _why_failed(case: Case) -> str | None:
    failed = [name for name, run in (("A", case.run_a), ("B", case.run_b)) if run.failure]
    return f"run {' and run '.join(failed)} failed" if failed else None


def _counts(counts: Sequence[TwoCatches]) -> Figures:
    return {
        "run_a_files": sum(one.first for one in counts),
        "run_b_files": sum(one.second for one in counts),
        "both_files": sum(one.both for one in counts),
        "known_files": sum(one.known for one in counts),
    }


def _pooled(cases: Sequence[Case]) -> Figures:
    counts = [catches(case) for case in cases]
    together = TwoCatches(*(sum(getattr(one, of) for one in counts) for of in ("first", "second", "both")))
    found = chapman(together)
    return {**_counts([together]), "estimate": _estimate(found), "coverage": _coverage(found)}


def _estimate(found: Population) -> Figures:
    interval = found.interval
    return {
        "value": found.estimate,
        "standard_error": found.standard_error,
        "low": interval.low if interval else None,
        "high": interval.high if interval and math.isfinite(interval.high) else None,
        "reason": found.reason,
    }


def _coverage(found: Population) -> Figures:
    low, value, high = _shares(found, found.known, found.known)
    return {"value": value, "low": low, "high": high}


def _shares(found: Population, part: int, least: int) -> tuple[float | None, float | None, float | None]:
    """A part of all relevant files, at the upper end of N, at N and at its lower end.

    Args:
        found: N, which is taken as at least ``least``.
        part: Files.
        least: Files known to be relevant.
    """
    if found.estimate is None or found.interval is None:
        return None, None, None
    sizes = (found.interval.high, found.estimate, found.interval.low)
    low, value, high = (part / max(size, least) for size in sizes)
    return low, value, high


def _recall(cases: Sequence[Case], found: Population) -> Figures:
    """Share of all relevant files, unknown ones included, that we found.

    (intersection + our_unique_relevant) / max(N, known + our_unique_relevant). ``bounds`` take all files
    without a verdict as not relevant and as relevant; ``low`` and ``high`` the ends of N besides. ``value``
    is None where these bounds differ, nothing was judged, or there is no N.
    """
    sure, more = sum(map(_ours_in_union, cases)), sum(len(case.our_unique_relevant) for case in cases)
    open_ = sum(len(case.without_verdict) for case in cases)
    low, least, _ = _shares(found, sure + more, found.known + more)
    _, most, high = _shares(found, sure + more + open_, found.known + more + open_)
    value = None if never_judged(cases) or least != most else least
    return {"value": value, "bounds": [least, most], "low": low, "high": high, "without_verdict": open_}


def _third_source(cases: Sequence[Case], found: Population) -> Figures:
    """Hold the estimate against relevant files of ours, of which the explorations knew a part.

    Over conversations with a verdict, of ``our_relevant_files`` the share ``1 - coverage`` should be unknown
    to the explorations (``expected_unique``); ``seen_unique`` are. ``coverage`` is the share that they knew,
    with Wilson's interval, clustered by conversation; None with ``bounds`` where files are without a
    verdict. ``missed_more`` is True where all of that interval is below that of the
    estimated coverage: the explorations share a blind spot, or the judge calls too much relevant. The reverse
    says nothing: a system finds the files that are easy for everyone. None where missing verdicts decide it,
    or either is unknown.
    """
    judged = [case for case in cases if not case.our_unique or case.our_unique > case.without_verdict]
    if not any(case.our_unique for case in judged):
        judged = []
    open_ = sum(len(case.without_verdict) for case in judged)
    unique = sum(len(case.our_unique_relevant) for case in judged)
    rate, with_open = (_known_rate(judged, with_open=each) for each in (False, True))
    lowest, said, _ = _shares(found, found.known, found.known)
    return {
        "conversations": len(judged),
        "our_relevant_files": rate.n,
        "expected_unique": None if said is None else rate.n * (1 - said),
        "seen_unique": unique,
        "seen_unique_bounds": [unique, unique + open_],
        "coverage": {
            "value": None if open_ else rate.rate,
            "bounds": [with_open.rate, rate.rate],
            "low": rate.interval.low if rate.interval and not open_ else None,
            "high": rate.interval.high if rate.interval and not open_ else None,
            "reason": WITHOUT_VERDICTS if open_ else rate.reason,
        },
        "missed_more": _missed_more(rate.interval, with_open.interval, lowest),
    }


def _known_rate(cases: Sequence[Case], *, with_open: bool) -> RateEstimate:
    """Share of our relevant files that the explorations knew, files without a verdict among them or not."""
    values: list[float] = []
    labels: list[str] = []
    for case in sorted(cases, key=lambda case: case.conversation.id):
        unknown = len(case.our_unique_relevant) + with_open * len(case.without_verdict)
        own = [1.0] * _ours_in_union(case) + [0.0] * unknown
        values += own
        labels += [case.conversation.id] * len(own)
    return clustered_rate(values, labels)


def _missed_more(least: Interval | None, most: Interval | None, lowest: float | None) -> bool | None:
    if lowest is None or least is None or most is None:
        return None
    if least.high < lowest:
        return True
    return None if most.high < lowest else False


def _ours_in_union(case: Case) -> int:
    """Relevant files of ours that an exploration found too."""
    return sum(file in case.intersection for file in tiers(case))
