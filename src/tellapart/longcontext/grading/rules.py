"""Grades that need no model."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grading.grades import Grade
from tellapart.longcontext.played import PlayedStep
from tellapart.longcontext.probes import rule_of


def grade_by_rules(step: PlayedStep, expected: Expected | None, material: Sequence[str]) -> Grade:
    """Grade one probe without a model."""
    early = grade_without_judge(step, expected, material)
    return early if early is not None else Grade("EVAL_ERROR", "Not graded yet.", missing="judge")


def grade_without_judge(step: PlayedStep, expected: Expected | None, material: Sequence[str]) -> Grade | None:
    """Grade what never needs a judge; None where one is asked."""
    if step.response is None:
        return Grade("ERROR", "There is no response.", missing=step.cause or "provider")
    if rule_of(step.id, step.failure_mode, expected) == "sink":
        banned = expected.banned if expected else "excellent"
        used = banned.lower() in step.response.lower()
        return Grade("FAIL" if used else "PASS", f"The word {banned!r} is {'used' if used else 'avoided'}.")
    if expected is None:
        return Grade("EVAL_ERROR", "Nobody says what the right answer is.", missing="infeasible")
    return None
