"""One conversation with what is known of its files: which are noise, and which terms led to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tellapart.codesearch.case import Case
from tellapart.codesearch.learning.labels import Basis, Labels, label
from tellapart.codesearch.learning.tracing import Trace, traced


@dataclass(frozen=True)
class Known:
    """A conversation, labelled and traced.

    Attributes:
        case: The conversation.
        labels: Of its files.
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
        return self.case.conversation.id

    @property
    def area(self) -> str:
        """The conversation's product area."""
        return self.case.conversation.product_area

    def alone(self, term: str) -> frozenset[str]:
        """Our files that no other term led to; none where only the words of their paths are known.

        That a path has a word says nothing of whether the file would be found without it.
        """
        if self.trace == "path":
            return frozenset()
        return frozenset(file for file, terms in self.by_file.items() if terms == {term})


def know(cases: Sequence[Case], basis: Basis) -> tuple[Known, ...]:
    """Label and trace conversations; they come out in the order of their ids, whatever order they had."""
    return tuple(_known(case, basis) for case in sorted(cases, key=lambda case: case.conversation.id))


def _known(case: Case, basis: Basis) -> Known:
    trace, by_file = traced(case)
    terms = frozenset(term.lower() for term in case.result.terms if term.strip())
    lowered = {file: frozenset(term.lower() for term in by_file[file]) & terms for file in sorted(case.ours)}
    return Known(case, label(case, basis), trace, terms, lowered)
