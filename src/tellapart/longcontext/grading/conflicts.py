"""Where a judge and the rules say different things of the same response."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from tellapart.longcontext.grading.grades import Grade, GradedProbe

NO_JUDGE = "no judge needed"
"""Why only the rules graded an answer that is never put to a judge: a banned word, or an enumeration."""


def by_rules(probe: GradedProbe) -> Grade | None:
    """What the rules say beside a judge's grade; None where they were not asked too, or decided alone."""
    last = probe.grades[-1]
    return last if last.grader == "rules" and probe.grade.grader == "judge" else None


def conflicts_in(graded: Iterable[GradedProbe]) -> list[dict[str, Any]]:
    """The probes of which judge and rules give different categories, in order.

    A judge whose reply could not be used has said nothing, so that is no conflict; nor is it one where the
    rules could not decide.
    """
    found = []
    for probe in graded:
        beside, counts = by_rules(probe), probe.grade
        if beside is None or counts.value is None or beside.value is None:
            continue
        if beside.category == counts.category:
            continue
        found.append(
            {
                "model": probe.model,
                "case": probe.case,
                "epoch": probe.epoch,
                "step_id": probe.step.id,
                "judge": counts.category,
                "rules": beside.category,
            }
        )
    return found


def graders_of(graded: Iterable[GradedProbe]) -> dict[str, Any]:
    """Count the answers that judge and rules both graded, and those that only one of them graded.

    Returns:
        ``both``, the answers that both graded, of which conflicts are a part; ``only_rules`` and
        ``only_judge``: why the other one did not, with counts: ``NO_JUDGE``, or a cause of missing scores.
        An answer that nobody graded is in none.
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
    return {"both": both, "only_rules": _positive(only_rules), "only_judge": _positive(only_judge)}


def _positive(counts: Counter[str]) -> dict[str, int]:
    return {cause: counts[cause] for cause in sorted(counts) if counts[cause]}
