"""What scores rest on beside the items: they compare only where that is the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tellapart.errors import UsageError


@dataclass(frozen=True)
class Basis:
    """What the scores of a file are, and what they were measured against.

    Attributes:
        measure: Which of several measures they are.
        ground_truth: By item, a number that is the same for equal ground truths; None where there is none.
    """

    measure: str
    ground_truth: Mapping[str, int | None]


def check_same(found: Sequence[tuple[str, Basis | None]]) -> list[str]:
    """Compare what files rest on with the first that says so.

    Args:
        found: Each file's name and basis; None for one that says nothing of it.

    Returns:
        A note for each file that was measured against something else on items of both.

    Raises:
        UsageError: Two files hold different measures.
    """
    stated = [(name, basis) for name, basis in found if basis is not None]
    notes = []
    for name, basis in stated[1:]:
        first, of_first = stated[0]
        if basis.measure != of_first.measure:
            raise UsageError(
                f"the scores are {basis.measure!r}, but {of_first.measure!r} in {first}",
                where=name,
                next_step="Name one measure for all with --measure",
            )
        both = basis.ground_truth.keys() & of_first.ground_truth.keys()
        differing = sum(basis.ground_truth[item] != of_first.ground_truth[item] for item in both)
        if differing:
            notes.append(
                f"{name} was measured against another ground truth than {first} on {differing} of "
                f"{len(both)} items: their difference is also that of the explorations. Evaluate one of them "
                "again with the recorded explorations of the other."
            )
    return notes
