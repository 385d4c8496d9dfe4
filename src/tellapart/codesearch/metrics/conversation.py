"""The measures of one conversation and the grades of its files, with what missing verdicts leave open."""

from __future__ import annotations

from collections.abc import Callable

from tellapart.codesearch.figures import Measure
from tellapart.codesearch.model import Case, JudgeVerdict

JUDGE = "judge"
"""Cause of a value that is missing for want of verdicts."""

INFEASIBLE = "infeasible"
"""Cause of a value that no verdict would define: a share of nothing; and of a file that nobody is shown."""


def precision(case: Case) -> Measure:
    """Share of our files that are relevant: those that an exploration found too, and those judged relevant.

    precision = (intersection + our_unique_relevant) / files we found. Undefined where we found none. Where
    both explorations failed it rests on the verdicts alone, which then cover all of our files.

    Source: source document 003, "Precision".
    """
    return _judged(case, lambda relevant: _share(relevant, len(case.ours)))


def recall(case: Case) -> Measure:
    """Share of the files known to be relevant, ours that were judged relevant included, that we found.

    recall = sure / (sure + ground_truth_unique), sure = intersection + our_unique_relevant. Undefined where
    no file is known to be relevant; missing where both explorations failed.

    Source: source document 003, "Recall"; its "ground_truth_total" is this judged pool.
    """
    missed = len(case.ground_truth_unique)
    return _unknown(case) or _judged(case, lambda relevant: _share(relevant, relevant + missed))


def f1(case: Case) -> Measure:
    """Harmonic mean of precision and recall: 2 sure / (files we found + sure + ground_truth_unique).

    In this form it is 0, and not undefined, where we found nothing although there are relevant files. With
    one more relevant verdict it never falls, so that its bounds are at the bounds of the verdicts.
    """
    size = len(case.ours) + len(case.ground_truth_unique)
    return _unknown(case) or _judged(case, lambda relevant: _share(2 * relevant, size + relevant))


def precision_union(case: Case) -> Measure:
    """Share of our files that an exploration found too: intersection / files we found; needs no verdict."""
    return _unknown(case) or _known(_share(len(case.intersection), len(case.ours)))


def recall_union(case: Case) -> Measure:
    """Share of the explorations' files that we found: intersection / union; needs no verdict."""
    return _unknown(case) or _known(_share(len(case.intersection), len(case.ground_truth)))


def f1_union(case: Case) -> Measure:
    """Harmonic mean of precision and recall against both explorations; needs no verdict.

    Whoever returns more or fewer files gains nothing by that alone.
    """
    size = len(case.ours) + len(case.ground_truth)
    return _unknown(case) or _known(_share(2 * len(case.intersection), size))


MEASURES: dict[str, Callable[[Case], Measure]] = {
    measure.__name__: measure for measure in (precision, recall, f1, precision_union, recall_union)
}
"""By name; those that people look at first come first. Systems are compared by ``f1_union`` as well."""


def documented(case: Case, name: str) -> float | None:
    """Precision or recall as the source document's pipeline has it, which adds numbers of files.

    A verdict that failed counts as not relevant. Where a recorded judge ruled on files that are not ours
    alone, `counted_twice` counts each again; precision stays at 1 at most. None where nothing was judged that
    needs it, where both explorations failed, and for a share of nothing.
    """
    relevant = len(case.intersection) + len(case.our_unique_relevant)
    again = len(counted_twice(case))
    if unjudged(case) or (name == "recall" and no_run(case)):
        return None
    whole = len(case.ours) if name == "precision" else relevant + len(case.ground_truth_unique)
    value = _share(relevant + again, whole + again * (name == "recall")) if whole else None
    return None if value is None else min(1.0, value)


def counted_twice(case: Case) -> frozenset[str]:
    """Files with a relevant verdict that did not need one; no judge of ours is asked about them."""
    return frozenset(file for file, verdict in case.verdicts.items() if verdict.relevant) - case.our_unique


def no_run(case: Case) -> bool:
    """Whether both explorations failed, so that there is no ground truth."""
    return case.run_a.failure is not None and case.run_b.failure is not None


def one_run(case: Case) -> bool:
    """Whether just one exploration failed, so that the ground truth is that of the other."""
    return (case.run_a.failure is None) != (case.run_b.failure is None)


def unjudged(case: Case) -> bool:
    """Whether there are files that need a verdict, and none of them was put to the judge."""
    return bool(case.our_unique) and case.our_unique.isdisjoint(case.verdicts)


def not_shown(verdict: JudgeVerdict | None) -> bool:
    """Whether a file was not put to the judge, since it may not be shown or is no text.

    That is no failure of the judge's, and it may be relevant all the same.
    """
    return verdict is not None and verdict.failure is not None and verdict.failure.cause == INFEASIBLE


def grades(case: Case) -> dict[str, int]:
    """Grade every file of which something is known: 2 for both explorations, 1 for one or the judge alone.

    What a judge called not relevant is 0, whoever found it.
    """
    wrong = {file for file, verdict in case.verdicts.items() if verdict.relevant is False}
    by_file = dict.fromkeys(case.ground_truth | case.our_unique_relevant, 1)
    by_file |= dict.fromkeys(case.in_both_runs, 2)
    return dict(sorted((by_file | dict.fromkeys(wrong, 0)).items()))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _known(value: float | None) -> Measure:
    return Measure(value=value, bounds=(value, value), missing=INFEASIBLE if value is None else None)


def _judged(case: Case, share: Callable[[int], float | None]) -> Measure:
    sure = len(case.intersection) + len(case.our_unique_relevant)
    if not case.without_verdict:
        return _known(share(sure))
    # Even where no verdict could move it: conversations at the top alone would be no sample of the others.
    return Measure(value=None, bounds=(share(sure), share(sure + len(case.without_verdict))), missing=JUDGE)


def _unknown(case: Case) -> Measure | None:
    """The measure of a conversation that nobody explored to the end; the cause is that of run A."""
    if not no_run(case) or case.run_a.failure is None:
        return None
    return Measure(value=None, bounds=(0.0, 1.0), missing=case.run_a.failure.cause)
