"""Precision and recall of one conversation, with what failed verdicts leave open."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.codesearch.case import Case


@dataclass(frozen=True)
class Measure:
    """One figure of one conversation.

    Attributes:
        value: With every failed verdict taken as not relevant, as documented; None where it is undefined, or
            where nothing was judged at all and it depends on that.
        low: With every file without a verdict taken as not relevant; None where it is undefined.
        high: With every one of them taken as relevant.
    """

    value: float | None
    low: float | None
    high: float | None


def precision(case: Case) -> Measure:
    """Share of our files that are relevant: those that an exploration found too, and those judged relevant.

    precision = (intersection + our_unique_relevant) / files we found; undefined where we found none.
    """
    found = len(case.ours)
    sure = len(case.intersection) + len(case.our_unique_relevant)
    return _measure(case, _ratio(sure, found), _ratio(sure + len(case.without_verdict), found))


def recall(case: Case) -> Measure:
    """Share of the relevant files that are known, ours that were judged relevant included, that we found.

    recall = sure / (sure + ground_truth_unique), sure = intersection + our_unique_relevant;
    undefined where nothing is known to be relevant.
    """
    sure, missed = len(case.intersection) + len(case.our_unique_relevant), len(case.ground_truth_unique)
    most = sure + len(case.without_verdict)
    return _measure(case, _ratio(sure, sure + missed), _ratio(most, most + missed))


def _measure(case: Case, low: float | None, high: float | None) -> Measure:
    unjudged = case.our_unique and not case.verdicts
    return Measure(None if unjudged else low, low, high)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
