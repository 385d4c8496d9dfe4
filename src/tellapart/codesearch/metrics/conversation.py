"""The measures of one conversation and the grades of its files, with what missing verdicts leave open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from tellapart.codesearch.model import Case, Explored, JudgeVerdict

JUDGE = "judge"
"""Cause of a value that is missing for want of verdicts."""

INFEASIBLE = "infeasible"
"""Cause of a value that no verdict would define: a share of nothing; and of a file that nobody is shown."""


@dataclass(frozen=True)
class Share:
    """Part of a whole, in files; of nothing where the whole is 0."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """In [0, 1]; None for a share of nothing."""
        return self.part / self.whole if self.whole else None


@dataclass(frozen=True)
class Measure:
    """One measure of one conversation.

    Attributes:
        least: With every file without a verdict taken as not relevant. None where the files are not known,
            since both explorations failed.
        most: With every one of them taken as relevant; None where ``least`` is.
        missing: Why there is no value, one of ``core.scores.CAUSES``; None where there is one.
    """

    least: Share | None
    most: Share | None
    missing: str | None

    @property
    def value(self) -> float | None:
        """In [0, 1]; None where it is missing, as it is where a verdict is missing that it rests on."""
        return None if self.missing or self.least is None else self.least.value

    @property
    def low(self) -> float | None:
        """The lowest value possible; 0 where the files are not known, None for a share of nothing."""
        return 0.0 if self.least is None else self.least.value

    @property
    def high(self) -> float | None:
        """The highest value possible; 1 where the files are not known, None for a share of nothing."""
        return 1.0 if self.most is None else self.most.value

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The lowest and the highest value possible."""
        return self.low, self.high


class Figure(Protocol):
    """A measure of one conversation, whatever it is measured against."""

    @property
    def value(self) -> float | None:
        """In [0, 1]; None where it is missing."""

    @property
    def low(self) -> float | None:
        """The lowest value possible."""

    @property
    def high(self) -> float | None:
        """The highest value possible."""

    @property
    def missing(self) -> str | None:
        """Why there is no value, one of ``core.scores.CAUSES``."""


Of: TypeAlias = Callable[[Case], Measure]


def precision(case: Case) -> Measure:
    """Share of our files that are relevant: those that an exploration found too, and those judged relevant.

    precision = (intersection + our_unique_relevant) / files we found. Undefined where we found none. Where
    both explorations failed it rests on the verdicts alone, which then cover all of our files.

    Source: source document 003, "Precision".
    """
    ours = len(case.ours)
    return _judged(case, lambda relevant: Share(relevant, ours))


def recall(case: Case) -> Measure:
    """Share of the files known to be relevant, ours that were judged relevant included, that we found.

    recall = sure / (sure + ground_truth_unique), sure = intersection + our_unique_relevant. Undefined where
    no file is known to be relevant; missing where both explorations failed.

    Source: source document 003, "Recall"; its "ground_truth_total" is this judged pool.
    """
    if no_run(case):
        return _unknown(case)
    missed = len(case.ground_truth_unique)
    return _judged(case, lambda relevant: Share(relevant, relevant + missed))


def f1(case: Case) -> Measure:
    """Harmonic mean of precision and recall: 2 sure / (files we found + sure + ground_truth_unique).

    In this form it is 0, and not undefined, where we found nothing although there are relevant files, and
    where nothing that we found is relevant; undefined only where nothing was found by anybody. Missing where
    both explorations failed.

    With one more relevant verdict 2s / (f + s + m) becomes 2(s + 1) / (f + s + 1 + m), greater by
    2(f + m) / ((f + s + m)(f + s + 1 + m)) >= 0: it never falls, so that its bounds are at the bounds of s.
    """
    if no_run(case):
        return _unknown(case)
    ours, missed = len(case.ours), len(case.ground_truth_unique)
    return _judged(case, lambda relevant: Share(2 * relevant, ours + relevant + missed))


def precision_union(case: Case) -> Measure:
    """Share of our files that an exploration found too: intersection / files we found; needs no verdict.

    Undefined where we found nothing; missing where both explorations failed.
    """
    return _unjudged(case, len(case.ours))


def recall_union(case: Case) -> Measure:
    """Share of the explorations' files that we found: intersection / union; needs no verdict.

    Undefined where the explorations found nothing; missing where both failed.
    """
    return _unjudged(case, len(case.ground_truth))


MEASURES: dict[str, Of] = {
    measure.__name__: measure for measure in (precision, recall, f1, precision_union, recall_union)
}
"""By name; those that people look at first come first."""


def f1_union(case: Case) -> Measure:
    """Harmonic mean of precision and recall against both explorations: 2 shared / (ours + theirs).

    It needs no verdict, and whoever returns more or fewer files gains nothing by that alone. Undefined where
    nobody found anything; missing where both failed.
    """
    if no_run(case):
        return _unknown(case)
    return _f1_against(case, case.ground_truth)


def f1_run_a(case: Case) -> Measure:
    """Harmonic mean of precision and recall against run A alone: 2 shared / (ours + its); no verdict needed.

    Undefined where neither found anything; missing where run A failed.
    """
    return _against(case, case.run_a)


def f1_run_b(case: Case) -> Measure:
    """The same against run B alone."""
    return _against(case, case.run_b)


def _against(case: Case, run: Explored) -> Measure:
    if run.failure is not None:
        return Measure(None, None, run.failure.cause)
    return _f1_against(case, frozenset(run.files))


def _f1_against(case: Case, theirs: frozenset[str]) -> Measure:
    share = Share(2 * len(case.ours & theirs), len(case.ours) + len(theirs))
    return Measure(share, share, INFEASIBLE if share.value is None else None)


F1_WITHOUT_VERDICTS: dict[str, Of] = {measure.__name__: measure for measure in (f1_union, f1_run_a, f1_run_b)}
"""By name, what systems are compared by without verdicts: against both explorers, or against one of them, for
systems that the other one searches like. The record of an evaluation does not have them."""


def documented(case: Case, name: str) -> float | None:
    """Precision or recall as the source document's pipeline has it, which adds numbers of files.

    It is the measure of the name, except that a verdict that failed counts as not relevant, and that where a
    recorded judge ruled on files that are not ours alone, such as files that an exploration found as well,
    `counted_twice` counts each again. Precision stays at 1 at most. None where nothing was judged that needs
    it, where both explorations failed, and for a share of nothing.
    """
    measure = MEASURES[name](case)
    if unjudged(case) or measure.least is None or measure.least.value is None:
        return None
    again = len(counted_twice(case))
    whole = measure.least.whole + (again if name == "recall" else 0)
    value = Share(measure.least.part + again, whole).value
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


def _judged(case: Case, share: Callable[[int], Share]) -> Measure:
    sure = len(case.intersection) + len(case.our_unique_relevant)
    least, most = share(sure), share(sure + len(case.without_verdict))
    # Even where no verdict could move it: conversations at the top alone would be no sample of the others.
    missing = JUDGE if case.without_verdict else INFEASIBLE if least.value is None else None
    return Measure(least, most, missing)


def not_shown(verdict: JudgeVerdict | None) -> bool:
    """Whether a file was not put to the judge, since it may not be shown or is no text.

    The system named it, so that is no failure of the judge's. It may be relevant all the same: a file that
    holds a secret is there, other than one that the system made up.
    """
    return verdict is not None and verdict.failure is not None and verdict.failure.cause == INFEASIBLE


def _unjudged(case: Case, whole: int) -> Measure:
    if no_run(case):
        return _unknown(case)
    share = Share(len(case.intersection), whole)
    return Measure(share, share, INFEASIBLE if share.value is None else None)


def _unknown(case: Case) -> Measure:
    """Of a conversation that nobody explored to the end; the cause is that of run A."""
    failure = case.run_a.failure
    return Measure(None, None, failure.cause if failure else INFEASIBLE)


def grades(case: Case) -> dict[str, int]:
    """Grade every file of which something is known: 2 for both explorations, 1 for one or the judge alone.

    What a judge called not relevant is 0, whoever found it.
    """
    wrong = {file for file, verdict in case.verdicts.items() if verdict.relevant is False}
    by_file = dict.fromkeys(case.ground_truth | case.our_unique_relevant, 1)
    by_file |= dict.fromkeys(case.in_both_runs, 2)
    return dict(sorted((by_file | dict.fromkeys(wrong, 0)).items()))
