"""Conversations with labelled files: relevant, noise, missed or open, and the terms that led to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tellapart.codesearch.metrics.conversation import no_run
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.codesearch.tracing import Trace, traced

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
        noise_seen: Whether noise could be recognised: False where none of the files that only we found has a
            verdict or, without verdicts, nobody explored to the end.
    """

    relevant: frozenset[str]
    noise: frozenset[str]
    missed: frozenset[str]
    open: frozenset[str]
    missed_seen: bool
    noise_seen: bool


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


@dataclass(frozen=True)
class LabelledCase:
    """A conversation, labelled and traced.

    Attributes:
        trace: Who says which terms led to a file.
        terms: What was searched for, in lower case.
        by_file: Of each of our files those of the terms that led to it; empty where none explains it.
    """

    case: Case
    labels: Labels
    trace: Trace
    terms: frozenset[str]
    by_file: Mapping[str, frozenset[str]]

    @property
    def id(self) -> str:
        """The conversation's."""
        return self.case.id

    @property
    def area(self) -> str:
        """The conversation's product area."""
        return self.case.product_area

    def alone(self, term: str) -> frozenset[str]:
        """Our files that no other term led to; none where only the words of their paths are known.

        That a path has a word says nothing of whether the file would be found without it.
        """
        if self.trace == "path":
            return frozenset()
        return frozenset(file for file, terms in self.by_file.items() if terms == {term})


def label_cases(cases: Sequence[Case], basis: Basis) -> tuple[LabelledCase, ...]:
    """Label and trace conversations; they come out in the order of their ids, whatever order they had."""
    return tuple(_labelled(case, basis) for case in sorted_cases(cases))


def _labelled(case: Case, basis: Basis) -> LabelledCase:
    trace, by_file = traced(case)
    terms = frozenset(term.lower() for term in case.terms if term.strip())
    lowered = {file: frozenset(term.lower() for term in by_file[file]) & terms for file in sorted(case.ours)}
    return LabelledCase(case, label(case, basis), trace, terms, lowered)
