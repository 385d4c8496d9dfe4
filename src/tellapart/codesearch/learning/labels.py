"""What is known of each file that we found: relevant, noise, or open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tellapart.codesearch.case import Case
from tellapart.codesearch.metrics.conversation import no_run

Basis = Literal["judged", "union"]
"""What noise is: files that the judge rejects; where nothing was judged, those that no exploration found."""


@dataclass(frozen=True)
class Labels:
    """The files of one conversation.

    Attributes:
        relevant: Of ours, those that an exploration found too or that were judged relevant.
        noise: Of ours, those that ``Basis`` calls noise.
        missed: Not ours, found by an exploration.
        open: Of ours, those of which nobody knows.
        missed_seen: Whether anybody explored to the end, so that something could be missed at all.
        noise_seen: Whether noise could be told: False where none of the files that only we found has a
            verdict or, without verdicts, nobody explored to the end.
    """

    relevant: frozenset[str]
    noise: frozenset[str]
    missed: frozenset[str]
    open: frozenset[str]
    missed_seen: bool
    noise_seen: bool

    @property
    def known(self) -> frozenset[str]:
        """Every file that is known to be relevant."""
        return self.relevant | self.missed


def basis_of(cases: Sequence[Case]) -> Basis:
    """Whether verdicts say what noise is; a single one is enough, the others are then merely missing."""
    judged = any(verdict.relevant is not None for case in cases for verdict in case.verdicts.values())
    return "judged" if judged else "union"


def label(case: Case, basis: Basis) -> Labels:
    """Label the files of a conversation; a file is open where a verdict, or all exploring, failed."""
    explored = not no_run(case)
    relevant = case.intersection | case.our_unique_relevant
    others = case.our_unique - case.our_unique_relevant
    if basis == "judged":
        unknown = case.without_verdict
        seen = not case.our_unique or unknown < case.our_unique
    else:
        unknown = frozenset() if explored else others
        seen = explored
    return Labels(relevant, others - unknown, case.ground_truth_unique, unknown, explored, seen)
