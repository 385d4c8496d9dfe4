"""One conversation with everything that figures are made from: our files, two explorations, verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from tellapart.codesearch.conversations import Conversation, SearchResult
from tellapart.codesearch.failed import Failed

Actionable = Literal["yes", "no", "maybe"]


@dataclass(frozen=True)
class Explored:
    """What one explorer found for one conversation.

    Attributes:
        explorer: Its name, such as ``lexical`` or ``agent:anthropic/claude-haiku-4-5``.
        files: As ``repo/path``, each once, in the explorer's order.
        failure: Why it came to no end; None when it did. Files that it had found by then are not kept.
    """

    explorer: str
    files: tuple[str, ...]
    failure: Failed | None = None

    @property
    def suspect(self) -> bool:
        """Whether it found nothing and reports no error."""
        return not self.files and self.failure is None


@dataclass(frozen=True)
class Verdict:
    """What the judge says of a file that only we found.

    Attributes:
        relevant: None where there is no verdict, because of ``failure``.
        actionable: Whether somebody who works on the issue would change it.
        reasoning: In the judge's words.
        failure: Why there is no verdict; None just where there is one.
    """

    relevant: bool | None
    actionable: Actionable = "no"
    reasoning: str = ""
    failure: Failed | None = None


@dataclass(frozen=True)
class Assessment:
    """What the judge says of a search as a whole.

    Attributes:
        scores: Dimension to 1 (worst) to 5; ``gestalt`` among them.
        product_area: The area that the judge would have chosen, without being told ours.
        reasoning: In the judge's words.
        failure: Why there is no assessment; then the rest is empty.
    """

    scores: Mapping[str, int]
    product_area: str | None = None
    reasoning: str = ""
    failure: Failed | None = None


@dataclass(frozen=True)
class Case:
    """A conversation that has been explored, and judged as far as it was asked for.

    Attributes:
        conversation: What was asked.
        result: What the system under test returned.
        run_a: The first exploration.
        run_b: The second one.
        verdicts: By file, of those in ``our_unique`` that were put to the judge; files that are not in it
            were not judged at all.
        retest_a: ``run_a`` once more, where it was asked for.
        retest_b: ``run_b`` once more.
        assessment: Of the search as a whole, where it was asked for.
        terms_in_files: Which of the search terms occur in each of our files, where the repositories were
            there to look; the system's own word, ``result.terms_by_file``, goes first.
    """

    conversation: Conversation
    result: SearchResult
    run_a: Explored
    run_b: Explored
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    retest_a: Explored | None = None
    retest_b: Explored | None = None
    assessment: Assessment | None = None
    terms_in_files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def ours(self) -> frozenset[str]:
        """Files that we found."""
        return frozenset(self.result.files)

    @cached_property
    def ground_truth(self) -> frozenset[str]:
        """Files that either exploration found: their union."""
        return frozenset(self.run_a.files) | frozenset(self.run_b.files)

    @cached_property
    def in_both_runs(self) -> frozenset[str]:
        """Files that both explorations found."""
        return frozenset(self.run_a.files) & frozenset(self.run_b.files)

    @cached_property
    def intersection(self) -> frozenset[str]:
        """Files that we found and an exploration too."""
        return self.ours & self.ground_truth

    @cached_property
    def our_unique(self) -> frozenset[str]:
        """Files that only we found."""
        return self.ours - self.ground_truth

    @cached_property
    def ground_truth_unique(self) -> frozenset[str]:
        """Files that we missed."""
        return self.ground_truth - self.ours

    @cached_property
    def our_unique_relevant(self) -> frozenset[str]:
        """Files that only we found and the judge calls relevant."""
        return frozenset(file for file in self.our_unique if self._verdict(file) is True)

    @cached_property
    def without_verdict(self) -> frozenset[str]:
        """Files that only we found and nobody judged, because that failed or was not asked for."""
        return frozenset(file for file in self.our_unique if self._verdict(file) is None)

    def _verdict(self, file: str) -> bool | None:
        verdict = self.verdicts.get(file)
        return verdict.relevant if verdict else None
