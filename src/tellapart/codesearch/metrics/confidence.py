"""Precision and recall by how sure it is that a file is relevant: both runs, one run, the judge alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from tellapart.codesearch.case import Case
from tellapart.codesearch.metrics.aggregate import WITHOUT_VERDICTS, never_judged
from tellapart.codesearch.metrics.calibration import is_clean
from tellapart.codesearch.metrics.conversation import Share
from tellapart.codesearch.metrics.grades import Tier, irrelevant, tiers
from tellapart.core.stats import clustered_rate, mean_once

Figures: TypeAlias = dict[str, Any]

_Files: TypeAlias = Callable[[Case], frozenset[str]]

BY_CONSTRUCTION = "the judge rules on files that we found only, so that it cannot say what we missed"


def confidence(cases: Sequence[Case]) -> Figures | None:
    """Count the relevant files of each tier, and ours among them.

    Two runs that agree may still be wrong, but less often than one; a system that is better on the files of
    one run alone may be better at that run's errors. Conversations in which a run failed are left out, since
    what one run found cannot be in both; those in which one found nothing without an error are in ``tiers``
    and not in ``tiers_clean``.

    Args:
        cases: In any order, which changes nothing.

    Returns:
        None without a case. Else ``conversations``, ``conversations_clean``, ``left_out`` because a run
        failed, and ``tiers`` and ``tiers_clean``, see `_tiers`.
    """
    if not cases:
        return None
    whole = sorted(
        (case for case in cases if not (case.run_a.failure or case.run_b.failure)),
        key=lambda case: case.conversation.id,
    )
    clean = [case for case in whole if is_clean(case)]
    return {
        "conversations": len(whole),
        "conversations_clean": len(clean),
        "left_out": len(cases) - len(whole),
        "tiers": _tiers(whole),
        "tiers_clean": _tiers(clean),
    }


def _tiers(cases: Sequence[Case]) -> Figures:
    """Figures of each tier, surest first.

    Returns:
        By tier ``files``, relevant ones that are known; ``ours``, those of them that we found; ``recall``,
        ours / files, of which the judge's tier has none; and ``precision``, ours / all files that we found.
        ``irrelevant`` and ``no_verdict`` are those of ours that the judge calls not relevant and that nobody
        judged; with them the precisions add up to 1. Each is a share over files (``value``, in [0, 1], higher
        is better but for the last two) with its 95 % interval ``low`` to ``high``, Wilson's, clustered by
        conversation, and the mean (``macro``) over the ``conversations`` that have one; None for a share of
        nothing. ``bounds`` of the judge's precision take files without a verdict as not relevant and as
        relevant; where there are such files it has no value.
    """
    found = {
        tier.value: {
            "files": sum(_total(_in_tier(tier), cases)),
            "ours": sum(_total(_ours_in(tier), cases)),
            "recall": _share(cases, _ours_in(tier), _in_tier(tier)),
            "precision": _share(cases, _ours_in(tier), _ours),
        }
        for tier in Tier
    }
    judged = found[Tier.JUDGE.value]
    judged["recall"] = {"value": None, "reason": BY_CONSTRUCTION}
    judged["precision"] = _with_bounds(cases)
    rest: dict[str, _Files] = {
        "irrelevant": lambda case: case.ours & irrelevant(case),
        "no_verdict": lambda case: case.without_verdict,
    }
    return found | {
        name: {"ours": sum(_total(of, cases)), "precision": _share(cases, of, _ours)}
        for name, of in rest.items()
    }


def _with_bounds(cases: Sequence[Case]) -> Figures:
    found = _share(cases, _ours_in(Tier.JUDGE), _ours)
    most = _share(cases, lambda case: case.our_unique_relevant | case.without_verdict, _ours)
    bounds = {"bounds": [found["value"], most["value"]]}
    if found["value"] == most["value"]:
        return found | bounds
    reason = "nothing was judged" if never_judged(cases) else WITHOUT_VERDICTS
    return found | dict.fromkeys(("value", "low", "high", "macro")) | bounds | {"reason": reason}


def _share(cases: Sequence[Case], part: _Files, whole: _Files) -> Figures:
    """Share of some files that are others as well, which are among them."""
    shares = [Share(*of) for of in zip(_total(part, cases), _total(whole, cases), strict=True)]
    rate = clustered_rate(
        [float(hit) for one in shares for hit in [1] * one.part + [0] * (one.whole - one.part)],
        [n for n, one in enumerate(shares) for _ in range(one.whole)],
    )
    values = [one.value for one in shares if one.value is not None]
    return {
        "value": rate.rate,
        "low": rate.interval.low if rate.interval else None,
        "high": rate.interval.high if rate.interval else None,
        "reason": rate.reason,
        "macro": mean_once(values),
        "conversations": len(values),
    }


def _total(of: _Files, cases: Sequence[Case]) -> list[int]:
    return [len(of(case)) for case in cases]


def _ours(case: Case) -> frozenset[str]:
    return case.ours


def _in_tier(tier: Tier) -> _Files:
    return lambda case: frozenset(file for file, its in tiers(case).items() if its is tier)


def _ours_in(tier: Tier) -> _Files:
    return lambda case: _in_tier(tier)(case) & case.ours
