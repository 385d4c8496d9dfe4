"""How far a judge agrees with itself, asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tellapart.core.stats import clustered_rate, mean_once
from tellapart.longcontext.grades import VALUES, Category, Grade
from tellapart.longcontext.probes import Probe
from tellapart.longcontext.results import JudgeRepeats

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


def judgings_of(graded: Probe) -> list[Category]:
    """What each asking of the judge said, in their order; empty where it was not asked."""
    attempts = [grade for grade in graded.grades if grade.grader == "judge"]
    return [grade.category for grade in sorted(attempts, key=lambda grade: grade.judging)]


def judge_repeats(graded: Iterable[Probe]) -> JudgeRepeats:
    """How far a judge agrees with itself, asked several times about the same answer."""
    attempts = [(f"{probe.case.model}/{probe.case.name}", judgings_of(probe)) for probe in graded]
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
