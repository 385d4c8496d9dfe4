"""What became of a measure from one iteration to a later one, on the conversations that both have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tellapart.codesearch.figures import Bounds
from tellapart.codesearch.looping.records import ChangeRecord
from tellapart.codesearch.metrics.aggregate import mean_bounds, never_judged
from tellapart.codesearch.metrics.conversation import JUDGE, Figure
from tellapart.codesearch.metrics.explorations import ROLES
from tellapart.codesearch.metrics.paired_cases import (
    compare_scores,
    joint_scores,
    share_cases,
)
from tellapart.codesearch.metrics.score_tables import free_measure, measure_of, rests_on, score_notes
from tellapart.codesearch.model import Evaluation
from tellapart.core.comparison import ALPHA, Comparison, PairComparison, Verdict
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.seed import SEED
from tellapart.core.stats import mean_once

LEVEL = ALPHA / 2
"""Chance of any false claim by one of two measures: precision and recall are two looks at one change."""


@dataclass(frozen=True)
class Changes:
    """A measure before and after, overall and by product area as the later iteration has it.

    Attributes:
        whole: Over all conversations.
        areas: In ascending order of names.
        comparison: Of the two iterations, as `core.comparison` gives it for the score tables of the two; None
            where one of them has no score.
    """

    whole: ChangeRecord
    areas: Mapping[str, ChangeRecord]
    comparison: Comparison | None


def changes(
    before: Evaluation, now: Evaluation, name: str, *, alpha: float = LEVEL, seed: int = SEED
) -> Changes:
    """Compare a measure on the conversations that have it in both iterations."""
    shared = share_cases(before.cases, now.cases)
    measured = [[measure_of(name)(case) for case in cases] for cases in shared.lists]
    names = iteration_names(before, now)
    comparison = None
    if all(any(measure.value is not None for measure in of_cases) for of_cases in measured):
        scores = joint_scores(names, shared.lists, measured, _notes(before, now, name))
        comparison = compare_scores(scores, alpha=alpha, seed=seed)
    whole = comparison.primary.pairs[0] if comparison else None
    by_area = dict.fromkeys(shared.areas, whole)
    if comparison and comparison.secondary:
        by_area = {str(pair.stratum): pair for pair in comparison.secondary.pairs}
    pairs = list(zip(*measured, strict=True))
    return Changes(
        _change(pairs, whole, names[1]),
        {
            area: _change(
                [pair for pair, pair_area in zip(pairs, shared.areas, strict=True) if pair_area == area],
                by_area.get(area),
                names[1],
            )
            for area in sorted(set(shared.areas))
        },
        comparison,
    )


def _notes(before: Evaluation, now: Evaluation, name: str) -> ScoreNotes:
    """What must stay with the scores of two iterations by a measure."""
    named = zip(iteration_names(before, now), (before, now), strict=True)
    return ScoreNotes.together(score_notes(each, system=system, measure=name) for system, each in named)


def iteration_names(before: Evaluation, now: Evaluation) -> tuple[str, str]:
    """What two iterations are called where they are compared."""
    return f"iteration {before.iteration}", f"iteration {now.iteration}"


def _change(
    pairs: Sequence[tuple[Figure, Figure]], compared: PairComparison | None, now: str
) -> ChangeRecord:
    values = [(old.value, new.value) for old, new in pairs if old.value is not None and new.value is not None]
    bounded = [bounds for old, new in pairs if (bounds := _difference_bounds(old, new)) != (None, None)]
    low, high = mean_bounds(bounded)
    difference, interval = (None, None) if compared is None else compared.of(now)
    verdict = _verdict(compared, now)
    p = compared.p if compared else None
    testable = p is not None and interval is not None and not (compared and compared.withheld)
    return ChangeRecord(
        before=mean_once([old for old, _ in values]),
        after=mean_once([new for _, new in values]),
        difference=difference,
        interval=interval,
        p=p,
        p_adjusted=compared.p_adjusted if compared else None,
        verdict=verdict,
        settle_items=compared.settle_items if compared else None,
        reason=compared.reason if compared else "",
        withheld=compared.withheld if compared else "",
        n=len(values),
        open=len(bounded) - len(values),
        bounds=None if low is None or high is None else (low, high),
        beyond_chance=_beyond_chance(verdict, testable=testable),
    )


def _beyond_chance(verdict: str, *, testable: bool) -> bool | None:
    if verdict in ("better", "worse"):
        return True
    return False if testable else None


def _difference_bounds(old: Figure, new: Figure) -> Bounds:
    """Least and greatest difference; undefined where one is missing for another reason than verdicts now."""
    if old.value is None:
        return None, None
    if new.value is not None:
        return new.value - old.value, new.value - old.value
    if new.missing != JUDGE or new.high is None:
        return None, None
    # A share of nothing, unless a verdict defines it, has no lower end.
    return (new.high if new.low is None else new.low) - old.value, new.high - old.value


def _verdict(compared: PairComparison | None, now: str) -> str:
    if compared is None:
        return Verdict.NOT_SEPARATED.value
    if compared.is_separated:
        return "better" if compared.ahead == now else "worse"
    return compared.verdict.value


def names_of(*evaluations: Evaluation, among: Sequence[Evaluation] = ()) -> tuple[str, str]:
    """Choose the measures of some iterations: precision and recall, or those that need no verdict.

    These where one of the iterations was never judged; and where nobody judged anything at all, even if all
    files of an iteration were explored too, so that a loop without a judge has one name for it.
    """
    every = (*evaluations, *among)
    any_verdicts = any(case.verdicts for evaluation in every for case in evaluation.cases)
    suffix = (
        ""
        if any_verdicts and not any(never_judged(evaluation.cases) for evaluation in evaluations)
        else "_union"
    )
    return f"precision{suffix}", f"recall{suffix}"


def telling(before: Evaluation, now: Evaluation) -> tuple[str, ...]:
    """Choose the measures by which a change of the system can be told."""
    free = free_measure((before, now))
    return names_of(before, now) if free is None or rests_on(free) == ROLES else (free,)
