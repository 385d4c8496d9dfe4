"""A change of the system under test that is proposed, and how far that is from chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from tellapart.codesearch.learning.effects import Effect
from tellapart.core.comparison import Claim

MOST_PROPOSALS = 20
"""More than that nobody reads; the facts hold the rest."""

MOST_EXAMPLES = 5
"""Files that are shown of each."""

Kind = Literal[
    "drop_term",
    "rank_term_lower",
    "search_directory",
    "search_kind",
    "leave_out_directory",
    "leave_out_kind",
]


@dataclass(frozen=True)
class Proposal:
    """One change of the system under test, for a person to decide on.

    Attributes:
        kind: What sort of change.
        subject: The term, directory or kind of file.
        statement: One sentence.
        conversations: Those that it rests on, in order; at least ``PATTERN``.
        evidence: Counts, comparisons and some files.
        p: Two-sided, of as much by chance alone.
        p_holm: The same with Holm's correction over all that was looked at in the same way.
        beyond_chance: Whether ``p_holm`` is at most .05; None without one.
        withheld: Why it cannot be said which way it goes, such as verdicts that are missing; None else.
        weight: Files that speak for it beyond those that speak against it.
        assumes: What has to hold for that, in a sentence.
        effect: Of the change on the recorded iteration; None where that cannot be counted.
        could_hurt: By product area what speaks against it.
    """

    kind: Kind
    subject: str
    statement: str
    conversations: tuple[str, ...]
    evidence: dict[str, Any]
    p: float | None
    p_holm: float | None
    beyond_chance: bool | None
    weight: float
    assumes: str
    effect: Effect | None
    could_hurt: dict[str, Any]
    withheld: str | None = None

    @property
    def id(self) -> str:
        """Kind and subject, such as ``drop_term:post``."""
        return f"{self.kind}:{self.subject}"

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {
            "id": self.id,
            "kind": self.kind,
            "subject": self.subject,
            "statement": self.statement,
            "conversations": list(self.conversations),
            "evidence": self.evidence,
            "p": self.p,
            "p_holm": self.p_holm,
            "beyond_chance": self.beyond_chance,
            "withheld": self.withheld,
            "weight": self.weight,
            "assumes": self.assumes,
            "effect": self.effect.record() if self.effect else None,
            "emptied": list(self.effect.emptied) if self.effect else [],
            "could_hurt": self.could_hurt,
        }


def first_ones(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Those that are worth reading first: beyond chance, then by weight, then by name."""
    ordered = sorted(
        proposals, key=lambda one: (one.beyond_chance is not True, -round(one.weight, 9), one.id)
    )
    return ordered[:MOST_PROPOSALS]


def chance_words(claim: Claim) -> str:
    """How far from chance, as a sentence ends."""
    if claim.p is None or claim.p_adjusted is None:
        return "nothing can be said of chance"
    says = "more than chance does" if claim.holds else "chance can do as much"
    return f"{says} (p {claim.p:.2g}, {claim.p_adjusted:.2g} with all that was compared)"
