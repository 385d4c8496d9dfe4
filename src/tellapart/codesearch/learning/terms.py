"""Search terms: how much noise each led to, and how much of it to nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tellapart.codesearch.case import Case
from tellapart.codesearch.learning.labels import Basis, label
from tellapart.codesearch.learning.tracing import traced


@dataclass
class TermFacts:
    """What a search term led to, over all conversations that used it.

    Attributes:
        term: As it was searched for, in lower case.
        conversations: Ids of those that used it, in order.
        relevant: Relevant files that it occurs in.
        noise: Files of noise that it occurs in.
        open: Files that nobody judged.
        relevant_alone: Of the relevant ones, those that no other term of the conversation occurs in.
        noise_alone: Of the noise, likewise.
    """

    term: str
    conversations: list[str] = field(default_factory=list)
    relevant: int = 0
    noise: int = 0
    open: int = 0
    relevant_alone: int = 0
    noise_alone: int = 0

    @property
    def noise_rate(self) -> float | None:
        """Share of noise among the files that are one or the other; None where there is none."""
        known = self.relevant + self.noise
        return self.noise / known if known else None


def term_facts(cases: Sequence[Case], basis: Basis) -> list[TermFacts]:
    """Count by term.

    Args:
        cases: In any order.
        basis: What counts as noise.

    Returns:
        One for each term, those with most noise of their own first, then most noise, then by term.
    """
    found: dict[str, TermFacts] = {}
    for case in sorted(cases, key=lambda case: case.conversation.id):
        for term in sorted({term.lower() for term in case.result.terms}):
            found.setdefault(term, TermFacts(term)).conversations.append(case.conversation.id)
        _count(case, basis, found)
    return sorted(found.values(), key=lambda fact: (-fact.noise_alone, -fact.noise, fact.term))


def files_by_term_alone(case: Case, term: str) -> frozenset[str]:
    """Our files that would not have been found without a term, as far as that can be traced."""
    _, by_file = traced(case)
    return frozenset(file for file, terms in by_file.items() if {one.lower() for one in terms} == {term})


def _count(case: Case, basis: Basis, found: dict[str, TermFacts]) -> None:
    labels = label(case, basis)
    _, by_file = traced(case)
    for file, named in by_file.items():
        terms = {term.lower() for term in named} & found.keys()
        for term in terms:
            fact, alone = found[term], len(terms) == 1
            if file in labels.relevant:
                fact.relevant += 1
                fact.relevant_alone += alone
            elif file in labels.noise:
                fact.noise += 1
                fact.noise_alone += alone
            else:
                fact.open += 1
