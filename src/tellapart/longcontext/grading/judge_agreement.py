"""How far a judge agrees with itself, asked again, and with the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tellapart.core.stats import clustered_rate, mean_once
from tellapart.longcontext.grades import VALUES, Category, Grade, GradedProbe
from tellapart.longcontext.results import Conflict, GraderCounts, JudgeRepeats

_ORDER = list(VALUES)


def counting_first(grades: Sequence[Grade]) -> tuple[Grade, ...]:
    """Put the grade that counts before the others, which stay in their order.

    That is the first one with the category of most askings that have a score. Of categories that are equally
    frequent the one with the lowest value counts, and of those the one that the document names first, so that
    which asking came first makes no difference. Where no asking has a score, the first one counts.
    """
    votes = Counter(grade.category for grade in grades if grade.value is not None)
    if not votes:
        return tuple(grades)
    most = min(
        votes, key=lambda category: (-votes[category], VALUES[category] or 0.0, _ORDER.index(category))
    )
    counting = next(grade for grade in grades if grade.category == most)
    return (counting, *(grade for grade in grades if grade is not counting))


def judgings_of(graded: GradedProbe) -> list[Category]:
    """What each asking of the judge said, in their order; empty where it was not asked."""
    attempts = [grade for grade in graded.grades if grade.grader == "judge"]
    return [grade.category for grade in sorted(attempts, key=lambda grade: grade.judging)]


def judge_repeats(graded: Iterable[GradedProbe]) -> JudgeRepeats:
    """How far a judge agrees with itself, asked several times about the same answer."""
    attempts = [(f"{probe.model}/{probe.case}", judgings_of(probe)) for probe in graded]
    votes = [(where, [c for c in categories if VALUES[c] is not None]) for where, categories in attempts]
    repeated = [(where, categories) for where, categories in votes if len(categories) > 1]
    differ = [_share_of_pairs(categories) for _, categories in repeated]
    rate = clustered_rate([float(share > 0) for share in differ], [where for where, _ in repeated])
    askings = sum(len(categories) for _, categories in attempts)
    return JudgeRepeats(
        askings=askings,
        askings_failed=askings - sum(len(categories) for _, categories in votes),
        ties=sum(_is_tied(categories) for _, categories in votes),
        probes_repeated=len(repeated),
        flip_rate=rate.value,
        flip_ci=rate.interval,
        disagreement=mean_once(differ),
    )


def _share_of_pairs(votes: Sequence[Category]) -> float:
    """Share of pairs of votes that differ; of at least two."""
    alike = sum(n * (n - 1) for n in Counter(votes).values())
    return 1 - alike / (len(votes) * (len(votes) - 1))


def _is_tied(votes: Sequence[Category]) -> bool:
    counts = sorted(Counter(votes).values(), reverse=True)
    return len(counts) > 1 and counts[0] == counts[1]


NO_JUDGE = "no judge needed"
"""Why only the rules graded an answer that is never put to a judge: a banned word, or an enumeration."""


def by_rules(probe: GradedProbe) -> Grade | None:
    """What the rules say beside a judge's grade; None where they were not asked too, or decided alone."""
    last = probe.grades[-1]
    return last if last.grader == "rules" and probe.grade.grader == "judge" else None


def conflicts_in(graded: Iterable[GradedProbe]) -> tuple[Conflict, ...]:
    """The probes of which judge and rules give different categories, in order.

    A judge whose reply could not be used has said nothing, so that is no conflict; nor is it one where the
    rules could not decide.
    """
    return tuple(
        Conflict(
            model=probe.model,
            case=probe.case,
            epoch=probe.epoch,
            step_id=probe.step.id,
            judge=probe.grade.category,
            rules=beside.category,
        )
        for probe in graded
        if (beside := by_rules(probe)) is not None
        and beside.value is not None
        and probe.grade.value is not None
        and beside.category != probe.grade.category
    )


def grader_counts(graded: Iterable[GradedProbe]) -> GraderCounts:
    """Count the answers that judge and rules both graded, and those that only one of them graded.

    Why the other one did not grade an answer is ``NO_JUDGE``, or a cause of missing scores. An answer that
    nobody graded is in none of the counts.
    """
    both = 0
    only_rules: Counter[str] = Counter()
    only_judge: Counter[str] = Counter()
    for probe in graded:
        grade, beside = probe.grade, by_rules(probe)
        if grade.grader == "rules":
            only_rules[NO_JUDGE] += grade.value is not None
        elif beside is not None and beside.value is not None:
            both += grade.value is not None
            only_rules[grade.missing or "judge"] += grade.value is None
        elif grade.value is not None:
            only_judge[(beside and beside.missing) or "infeasible"] += 1
    return GraderCounts(both=both, only_rules=_positive(only_rules), only_judge=_positive(only_judge))


def _positive(counts: Counter[str]) -> dict[str, int]:
    return {cause: counts[cause] for cause in sorted(counts) if counts[cause]}
