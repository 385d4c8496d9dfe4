"""What the judge did: verdicts on files, and assessments of searches as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tellapart.codesearch.figures import AssessmentSummary, Classification, Dimension, JudgingSummary
from tellapart.codesearch.metrics.measures import JUDGE, not_shown, share_of
from tellapart.codesearch.model import UNCERTAIN, Assessment, Case, JudgeVerdict
from tellapart.core.estimate import Estimate
from tellapart.core.stats import clustered_mean, mean_once

MOST_FAILED = 0.05  # Share of failed verdicts above which precision and recall are not to be relied on

DIMENSIONS = {
    "file_relevance": "files are relevant",
    "snippet_quality": "snippets are good",
    "service_accuracy": "the right services",
    "noise": "little noise",
    "coverage": "coverage",
    "gestalt": "as a whole",
}
"""What the judge scores of a search, as far as it is defined for it, and in words."""

ACTIONABLE = ("yes", "no", "maybe")


def judging(cases: Sequence[Case]) -> JudgingSummary:
    """Count the verdicts, those on files that an exploration found as well included."""
    verdicts = [verdict for case in cases for verdict in case.verdicts.values()]
    judged = [verdict for verdict in verdicts if verdict.relevant is not None]
    hidden = Counter(v.failure.kind for v in verdicts if v.failure and not_shown(v))
    failed = Counter(v.failure.cause if v.failure else JUDGE for v in _failed(cases))
    share = share_failed(cases)
    return JudgingSummary(
        judged=len(judged),
        relevant=sum(verdict.relevant is True for verdict in judged),
        actionable={name: sum(v.actionable == name for v in judged) for name in ACTIONABLE},
        failed=dict(sorted(failed.items())),
        **({"not_shown": dict(sorted(hidden.items()))} if hidden else {}),
        not_asked=sum(len(case.our_unique - case.verdicts.keys()) for case in cases),
        share_failed=share,
        reliable=None if share is None else share <= MOST_FAILED,
    )


def share_failed(cases: Sequence[Case]) -> float | None:
    """Share of the verdicts asked for that failed, in [0, 1]; None where none was asked for."""
    put = sum(not not_shown(verdict) for case in cases for verdict in case.verdicts.values())
    return len(_failed(cases)) / put if put else None


def _failed(cases: Sequence[Case]) -> list[JudgeVerdict]:
    verdicts = [verdict for case in cases for verdict in case.verdicts.values()]
    return [verdict for verdict in verdicts if verdict.relevant is None and not not_shown(verdict)]


LEVELS = range(1, 6)  # Of every dimension, from worst to best


def assessment(cases: Sequence[Case]) -> AssessmentSummary | None:
    """Sum up the assessments."""
    attempted = [(case, case.assessment) for case in cases if case.assessment is not None]
    if not attempted:
        return None
    assessed = [(case, of_case) for case, of_case in attempted if of_case.failure is None]
    names = sorted({name for _, of_case in assessed for name in of_case.scores})
    failed = Counter(of_case.failure.cause for _, of_case in attempted if of_case.failure)
    return AssessmentSummary(
        assessed=len(assessed),
        failed=dict(sorted(failed.items())),
        dimensions={name: _dimension([of_case for _, of_case in assessed], name) for name in names},
        classification=_classification(assessed),
    )


def _dimension(assessments: Sequence[Assessment], name: str) -> Dimension:
    scores = sorted(assessment.scores[name] for assessment in assessments if name in assessment.scores)
    mean = clustered_mean(scores, limits=(LEVELS[0], LEVELS[-1]))
    return Dimension(
        mean=Estimate(mean_once(scores), mean.low, mean.high, mean.n, mean.reason),
        counts={str(level): scores.count(level) for level in LEVELS},
    )


def _classification(assessed: Sequence[tuple[Case, Assessment]]) -> Classification | None:
    """Whether the product area is the one that the judge would have chosen, not knowing ours."""
    chosen = [(case, of_case.product_area) for case, of_case in assessed if of_case.product_area is not None]
    # Where we classified nothing, agreeing on that is no accuracy.
    if all(case.product_area == UNCERTAIN for case, _ in chosen):
        return None
    mistaken = Counter(f"{case.product_area} -> {area}" for case, area in chosen if case.product_area != area)
    return Classification(
        accuracy=share_of((case.id, case.product_area == area) for case, area in chosen),
        mistaken=dict(sorted(mistaken.items())),
    )
