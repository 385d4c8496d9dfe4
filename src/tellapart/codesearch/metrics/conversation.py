"""The measures of one conversation and the grades of its files, with what missing verdicts leave open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tellapart.codesearch.figures import Measure
from tellapart.codesearch.model import Case, JudgeVerdict

JUDGE = "judge"  # Cause of a value that is missing for want of verdicts
INFEASIBLE = "infeasible"
"""Cause of a value that no verdict would define: a share of nothing; and of a file that nobody is shown."""

_FORMULAS: dict[str, Callable[[int, int, int], float | None]] = {
    "precision": lambda relevant, ours, missed: _share(relevant, ours),
    "recall": lambda relevant, ours, missed: _share(relevant, relevant + missed),
    "f1": lambda relevant, ours, missed: _share(2 * relevant, ours + relevant + missed),
}
"""Of relevant files that we found, files that we found, and files that an exploration found and we missed."""


def measure(case: Case, name: str) -> Measure:
    """Score a conversation by one of ``SCORED``.

    Relevant are the files that an exploration found too, and those judged relevant; by ``…_union`` the
    former alone, which needs no verdict. A share of nothing is undefined. Where both explorations failed
    there is only precision, which then rests on the verdicts.

    Source: source document 003, "Precision" and "Recall"; its "ground_truth_total" is this judged pool. F1 is
        their harmonic mean; in this form it is 0, not undefined, where we found nothing of what there is.
    """
    kind, _, union = name.partition("_")
    if name != "precision" and case.run_a.failure and case.run_b.failure:
        return Measure(value=None, bounds=(0.0, 1.0), missing=case.run_a.failure.cause)
    sure = len(case.intersection) + (0 if union else len(case.our_unique_relevant))
    open_ = 0 if union else len(case.without_verdict)
    low, high = (
        _FORMULAS[kind](relevant, len(case.ours), len(case.ground_truth_unique))
        for relevant in (sure, sure + open_)
    )
    if open_:
        # Even where no verdict could move it: those at the top alone would be no sample of the others.
        return Measure(value=None, bounds=(low, high), missing=JUDGE)
    return Measure(value=low, bounds=(low, low), missing=INFEASIBLE if low is None else None)


SCORED: dict[str, Callable[[Case], Measure]] = {
    f"{kind}{union}": partial(measure, name=f"{kind}{union}")
    for union in ("", "_union")
    for kind in _FORMULAS
}
"""Measures by which systems can be compared."""

MEASURES = tuple(name for name in SCORED if name != "f1_union")
"""Names of those that an evaluation has; those that people look at first come first."""


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


def unjudged(case: Case) -> bool:
    """Whether there are files that need a verdict, and none of them was put to the judge."""
    return bool(case.our_unique) and case.our_unique.isdisjoint(case.verdicts)


def not_shown(verdict: JudgeVerdict | None) -> bool:
    """Whether a file was not put to the judge, since it may not be shown or is no text."""
    return verdict is not None and verdict.failure is not None and verdict.failure.cause == INFEASIBLE


def grades(case: Case) -> dict[str, int]:
    """Grade every file of which something is known: 2 for both explorations, 1 for one or the judge alone."""
    wrong = {file for file, verdict in case.verdicts.items() if verdict.relevant is False}
    by_file = dict.fromkeys(case.ground_truth | case.our_unique_relevant, 1)
    by_file |= dict.fromkeys(case.in_both_runs, 2)
    return dict(sorted((by_file | dict.fromkeys(wrong, 0)).items()))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
