"""What the last iteration leaves to decide, for people: calibration, and what it teaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MOST_PROPOSALS = 3


def calibration_lines(evaluation: Mapping[str, Any]) -> Iterator[str]:
    """Tell what calibration says so far.

    Args:
        evaluation: The record of an evaluation; one without a decision says nothing.
    """
    decision = evaluation.get("metrics", {}).get("agreement", {}).get("decision")
    if decision:
        yield f"calibration: {decision['text']}"


def learned_lines(learnings: Mapping[str, Any], where: str) -> Iterator[str]:
    """Tell the first proposals.

    Args:
        learnings: Of an iteration; without proposals it says nothing.
        where: The file that has them all.
    """
    proposals = learnings.get("proposals", [])
    if proposals:
        yield f"proposed for the next iteration ({len(proposals)} in all, in {where}):"
    for one in proposals[:MOST_PROPOSALS]:
        undecided = f" (undecided: {one['withheld']})" if one["withheld"] else ""
        yield f"- {one['statement']}{undecided}"
