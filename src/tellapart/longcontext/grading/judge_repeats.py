"""Which of several askings of a judge counts, and how often it changed its mind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from tellapart.core.stats import clustered_rate, mean_once
from tellapart.longcontext.grading.grades import VALUES, Category, Grade, GradedProbe

_ORDER = list(VALUES)


def counting_first(grades: Sequence[Grade]) -> tuple[Grade, ...]:
    """Put the grade that counts before the others, which stay in their order.

    That is the first one with the category of most askings that have a score. Of categories that are equally
    frequent the one with the lowest value counts, and of those the one that the document names first, so that
    which asking came first makes no difference. Where no asking has a score, the first one counts.

    Args:
        grades: Of one response, at least one, in the order of the askings.
    """
    said = Counter(grade.category for grade in grades if grade.value is not None)
    if not said:
        return tuple(grades)
    most = min(said, key=lambda category: (-said[category], VALUES[category] or 0.0, _ORDER.index(category)))
    counting = next(grade for grade in grades if grade.category == most)
    return (counting, *(grade for grade in grades if grade is not counting))


def judgings_of(graded: GradedProbe) -> list[Category]:
    """What each asking of the judge said, in their order; empty where it was not asked."""
    asked = [grade for grade in graded.grades if grade.grader == "judge"]
    return [grade.category for grade in sorted(asked, key=lambda grade: grade.judging)]


def repeat_figures(graded: Iterable[GradedProbe]) -> dict[str, Any]:
    """How far a judge agrees with itself.

    Returns:
        ``askings`` and those of them without an evaluation, ``askings_failed``; ``ties``, probes in which the
        most frequent category has an equal. Over the ``probes_repeated`` with two evaluations or more:
        ``flip_rate``, the share in which any two of them differ, with Wilson's interval ``flip_ci``,
        clustered on the conversation; it grows with the number of askings. ``disagreement`` does not: the
        mean over probes of the share of pairs of evaluations that differ. The last three are None without
        such probes.
    """
    said = [(f"{one.model}/{one.case}", judgings_of(one)) for one in graded]
    votes = [(where, [c for c in own if VALUES[c] is not None]) for where, own in said]
    repeated = [(where, own) for where, own in votes if len(own) > 1]
    differ = [_share_of_pairs(own) for _, own in repeated]
    rate = clustered_rate([float(share > 0) for share in differ], [where for where, _ in repeated])
    return {
        "askings": sum(len(own) for _, own in said),
        "askings_failed": sum(len(own) for _, own in said) - sum(len(own) for _, own in votes),
        "ties": sum(_is_tied(own) for _, own in votes),
        "probes_repeated": len(repeated),
        "flip_rate": rate.rate,
        "flip_ci": [rate.interval.low, rate.interval.high] if rate.interval else None,
        "disagreement": mean_once(differ),
    }


def _share_of_pairs(votes: Sequence[Category]) -> float:
    """Share of pairs of votes that differ; of at least two."""
    alike = sum(n * (n - 1) for n in Counter(votes).values())
    return 1 - alike / (len(votes) * (len(votes) - 1))


def _is_tied(votes: Sequence[Category]) -> bool:
    counts = sorted(Counter(votes).values(), reverse=True)
    return len(counts) > 1 and counts[0] == counts[1]
