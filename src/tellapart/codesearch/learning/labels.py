"""What is known of each file that we found: relevant, noise, or open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tellapart.codesearch.case import Case

Basis = Literal["judged", "union"]
"""What noise is: files that the judge rejects; where nothing was judged, those that no exploration found."""


@dataclass(frozen=True)
class Labels:
    """The files of one conversation.

    Attributes:
        relevant: Of ours, those that an exploration found too or that were judged relevant.
        noise: Of ours, those that ``Basis`` calls noise.
        missed: Not ours, found by an exploration.
    """

    relevant: frozenset[str]
    noise: frozenset[str]
    missed: frozenset[str]

    @property
    def known(self) -> frozenset[str]:
        """Every file that is known to be relevant."""
        return self.relevant | self.missed


def basis_of(cases: Sequence[Case]) -> Basis:
    """Whether verdicts say what noise is; a single one is enough, the others are then merely missing."""
    judged = any(verdict.relevant is not None for case in cases for verdict in case.verdicts.values())
    return "judged" if judged else "union"


def label(case: Case, basis: Basis) -> Labels:
    """Label the files of a conversation; one without a verdict is neither relevant nor noise when judged."""
    relevant = case.intersection | case.our_unique_relevant
    noise = case.our_unique - case.our_unique_relevant
    if basis == "judged":
        noise -= case.without_verdict
    return Labels(relevant, noise, case.ground_truth_unique)
