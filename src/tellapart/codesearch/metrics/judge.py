"""What the judge did: verdicts on files, and assessments of searches as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from tellapart.codesearch.figures import (
    AssessmentSummary,
    Classification,
    Dimension,
    JudgingSummary,
    Rate,
)
from tellapart.codesearch.metrics.conversation import JUDGE, not_shown
from tellapart.codesearch.model import UNCERTAIN, Assessment, Case, JudgeVerdict
from tellapart.core.stats import clustered_mean, clustered_rate, mean_once

MOST_FAILED = 0.05
"""Share of failed verdicts above which precision and recall are not to be relied on."""

ACTIONABLE = ("yes", "no", "maybe")

_Is: TypeAlias = Callable[[JudgeVerdict], bool]


def judging(cases: Sequence[Case]) -> JudgingSummary:
    """Count the verdicts, those on files that an exploration found as well included."""
    every = [verdict for case in cases for verdict in verdicts_of(case)]
    put = [verdict for verdict in every if not not_shown(verdict)]
    judged = [verdict for verdict in put if _is_judged(verdict)]
    relevant = sum(map(_is_relevant, judged))
    failed = len(put) - len(judged)
    share = share_failed(cases)
    hidden = dict(sorted(Counter(v.failure.kind for v in every if v.failure and not_shown(v)).items()))
    return JudgingSummary(
        judged=len(judged),
        relevant=relevant,
        actionable={name: sum(verdict.actionable == name for verdict in judged) for name in ACTIONABLE},
        failed=dict(sorted(Counter(_cause(v) for v in put if not _is_judged(v)).items())),
        **({"not_shown": hidden} if hidden else {}),
        not_asked=sum(len(case.our_unique - case.verdicts.keys()) for case in cases),
        share_failed=share,
        reliable=None if share is None else share <= MOST_FAILED,
        relevant_rate=_rate(cases, _is_judged, _is_relevant),
        relevant_bounds=(relevant / len(put), (relevant + failed) / len(put)) if put else None,
        actionable_rate=_rate(cases, _is_relevant, lambda verdict: verdict.actionable == "yes"),
    )


def verdicts_of(case: Case) -> list[JudgeVerdict]:
    """What came of each file that was put to the judge, files in ascending order."""
    return [case.verdicts[file] for file in sorted(case.verdicts)]


def share_failed(cases: Sequence[Case]) -> float | None:
    """Share of the verdicts asked for that failed, in [0, 1]; None where none was asked for."""
    put = [verdict for case in cases for verdict in verdicts_of(case) if not not_shown(verdict)]
    return sum(not _is_judged(verdict) for verdict in put) / len(put) if put else None


def _is_judged(verdict: JudgeVerdict) -> bool:
    return verdict.relevant is not None


def _is_relevant(verdict: JudgeVerdict) -> bool:
    return verdict.relevant is True


def _cause(verdict: JudgeVerdict) -> str:
    return verdict.failure.cause if verdict.failure else JUDGE


def _rate(cases: Sequence[Case], among: _Is, has: _Is) -> Rate:
    """A rate of verdicts, with its 95 % interval, for which a conversation's stand and fall together."""
    rows = sorted(
        (case.id, has(verdict)) for case in cases for verdict in verdicts_of(case) if among(verdict)
    )
    estimate = clustered_rate([hit for _, hit in rows], [conversation for conversation, _ in rows])
    return Rate(rate=estimate.value, n=estimate.n, interval=estimate.interval, reason=estimate.reason)


LEVELS = range(1, 6)
"""Of every dimension, from worst to best."""


def assessment(cases: Sequence[Case]) -> AssessmentSummary | None:
    """Sum up the assessments."""
    attempted = [(case, case.assessment) for case in cases if case.assessment is not None]
    if not attempted:
        return None
    assessed = [(case, of_case) for case, of_case in attempted if of_case.failure is None]
    names = sorted({name for _, of_case in assessed for name in of_case.scores})
    return AssessmentSummary(
        assessed=len(assessed),
        failed=dict(
            sorted(Counter(of_case.failure.cause for _, of_case in attempted if of_case.failure).items())
        ),
        dimensions={name: _dimension([of_case for _, of_case in assessed], name) for name in names},
        classification=_classification(assessed),
    )


def _dimension(assessments: Sequence[Assessment], name: str) -> Dimension:
    scores = sorted(assessment.scores[name] for assessment in assessments if name in assessment.scores)
    mean = clustered_mean(scores)
    return Dimension(
        mean=mean_once(scores),
        interval=mean.interval and mean.interval.within(LEVELS[0], LEVELS[-1]),
        interval_reason=mean.reason,
        n=mean.n,
        counts={str(level): scores.count(level) for level in LEVELS},
    )


def _classification(assessed: Sequence[tuple[Case, Assessment]]) -> Classification | None:
    """Whether the product area is the one that the judge would have chosen, not knowing ours.

    An area that is ``UNCERTAIN`` is right only where the judge says so too. None where the judge was not
    asked, or we classified nothing.
    """
    both = sorted(
        (case.product_area, of_case.product_area)
        for case, of_case in assessed
        if of_case.product_area is not None
    )
    # Where we classified nothing, agreeing on that is no accuracy.
    if all(ours == UNCERTAIN for ours, _ in both):
        return None
    mistaken = Counter(f"{ours} -> {theirs}" for ours, theirs in both if ours != theirs)
    estimate = clustered_rate([ours == theirs for ours, theirs in both])
    return Classification(
        accuracy=estimate.value,
        interval=estimate.interval,
        n=estimate.n,
        mistaken=dict(sorted(mistaken.items())),
    )
