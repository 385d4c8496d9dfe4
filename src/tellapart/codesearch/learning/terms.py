"""Search terms: what each led to, how much of it to nothing else, and whether it goes with noise.

What can be said of a term depends on who says which terms led to a file. Where the system does, a file that
was found by one term alone would be gone without it. Where only the contents are known, a term may occur in
a file without having led there, and common words occur in nearly all: then ``noise_against_others`` is what
is left, whether files with the term are noise more often than the conversation's other files. Paths say as
much as that and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tellapart.codesearch.learning.against import PATTERN, Against, Counts, against, corrected
from tellapart.codesearch.learning.known import Known


@dataclass(frozen=True)
class TermFacts:
    """What a search term led to, over all conversations that used it.

    Attributes:
        term: As it was searched for, in lower case.
        conversations: Ids of those that used it, in order.
        files: Our files in them.
        relevant: Of these, relevant ones that are traced to the term.
        noise: Noise that is traced to it.
        open: Files traced to it of which nobody knows.
        relevant_alone: Of the relevant ones, those that are traced to no other term; see `Known.alone`.
        noise_alone: Of the noise, likewise.
        open_alone: Of the open ones, likewise.
        noise_alone_in: Conversations with such noise, in order.
        noise_against_others: Share of noise among the files with the term, against those without it.
    """

    term: str
    conversations: tuple[str, ...]
    files: int
    relevant: int
    noise: int
    open: int
    relevant_alone: int
    noise_alone: int
    open_alone: int
    noise_alone_in: tuple[str, ...]
    noise_against_others: Against

    @property
    def noise_rate(self) -> float | None:
        """Share of noise among the files that are one or the other; None where there is none."""
        known = self.relevant + self.noise
        return self.noise / known if known else None

    @property
    def share(self) -> float | None:
        """Share of our files that are traced to the term: near 1 it tells none apart; None without files."""
        return (self.relevant + self.noise + self.open) / self.files if self.files else None

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {
            **vars(self),
            "conversations": list(self.conversations),
            "noise_alone_in": list(self.noise_alone_in),
            "noise_rate": self.noise_rate,
            "share": self.share,
            "noise_against_others": self.noise_against_others.record(),
        }


def term_facts(known: Sequence[Known], seed: int) -> list[TermFacts]:
    """Count by term.

    Args:
        known: In the order of ids.
        seed: Of the comparisons.

    Returns:
        One for each term. First those with most noise of their own beyond what is relevant, then those of
        ``PATTERN`` conversations or more, then by how much more noise there is among their files than at the
        rate of the others, then by noise and by name.
    """
    terms = sorted(set().union(*(one.terms for one in known)))
    compared = corrected([_compared(known, term, seed) for term in terms])
    found = [_facts(known, term, other) for term, other in zip(terms, compared, strict=True)]
    return sorted(found, key=_order)


def _order(fact: TermFacts) -> tuple[int, bool, float, int, str]:
    excess = round(fact.noise_against_others.excess, 9)
    own = fact.noise_alone - fact.relevant_alone
    return -own, len(fact.conversations) < PATTERN, -excess, -fact.noise, fact.term


def _compared(known: Sequence[Known], term: str, seed: int) -> Against:
    rows = [_row(one, term) for one in known if term in one.terms and one.labels.noise_seen]
    return against(rows, seed)


def _row(one: Known, term: str) -> Counts:
    labels = one.labels
    told = labels.relevant | labels.noise
    here = {file for file in told if term in one.by_file[file]}
    noise = len(labels.noise & here)
    return Counts(noise, len(here), len(labels.noise) - noise, len(told) - len(here))


def _facts(known: Sequence[Known], term: str, compared: Against) -> TermFacts:
    using = [one for one in known if term in one.terms]
    there = [frozenset(file for file, terms in one.by_file.items() if term in terms) for one in using]
    alone = [one.alone(term) for one in using]

    def count(which: str, of: Sequence[frozenset[str]]) -> int:
        return sum(len(getattr(one.labels, which) & files) for one, files in zip(using, of, strict=True))

    return TermFacts(
        term=term,
        conversations=tuple(one.id for one in using),
        files=sum(len(one.by_file) for one in using),
        relevant=count("relevant", there),
        noise=count("noise", there),
        open=count("open", there),
        relevant_alone=count("relevant", alone),
        noise_alone=count("noise", alone),
        open_alone=count("open", alone),
        noise_alone_in=tuple(
            one.id for one, files in zip(using, alone, strict=True) if one.labels.noise & files
        ),
        noise_against_others=compared,
    )
