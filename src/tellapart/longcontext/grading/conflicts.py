"""Where a judge and the rules say different things of the same response."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tellapart.longcontext.grading.grades import Grade, GradedProbe


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
        if beside is None or counts.missing or beside.missing or beside.category == counts.category:
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
