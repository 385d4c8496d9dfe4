"""One conversation with everything that figures are made from: our files, two explorations, verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tellapart.llm.questions import Failure

RECORDED = "recorded"
"""Kind of a failure of which only another pipeline's message is known."""


@dataclass(frozen=True)
class Failed:
    """A failure of one call or one exploration.

    Attributes:
        cause: As a score table counts it, one of ``core.scores.CAUSES``.
        kind: What happened exactly; those of ``llm.questions.Kind``, ``RECORDED``, and ``turns`` for an agent
            that used up its turns.
        detail: In the words of whoever noticed.
    """

    cause: str
    kind: str
    detail: str

    @classmethod
    def of(cls, failure: Failure) -> Failed:
        """Take over what became of a question to a model."""
        return cls(failure.cause, failure.kind, failure.detail)


UNCERTAIN = "uncertain"
"""The product area of a conversation that could not be classified."""


@dataclass(frozen=True)
class Base:
    """The state of a repository before an issue was solved."""

    repository: str
    commit: str


@dataclass(frozen=True)
class Gold:
    """The files that an issue is known to be about, such as those that its fix touched.

    Attributes:
        files: As ``repo/path``, each once, ascending.
        absent: Files that the searched tree does not hold, which nobody can find; they are not in ``files``.
        left_out: How many files were left out by rule: ``test``, ``lock``, ``added`` by the fix itself,
            ``outside`` of the approved directory, ``unusable`` as a path.
        elsewhere: Of files whose spelling leaves open whether it begins with the repository, what else it
            may mean; whoever knows the searched tree decides.
    """

    files: tuple[str, ...]
    absent: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Conversation:
    """One issue to search for.

    Attributes:
        id: Unique within an iteration.
        issue_summary: What a user reports.
        product_area: Which part of the product it is about; ``UNCERTAIN`` where nobody knows.
        classification_confidence: Of the area, in [0, 1]; None where it is not said.
        base: The state of the repository in which it was an issue; None where it is not said.
    """

    id: str
    issue_summary: str
    product_area: str = UNCERTAIN
    classification_confidence: float | None = None
    base: Base | None = None


@dataclass(frozen=True)
class Snippet:
    """A piece of a file that the system showed; lines are from 1, None where they are not said."""

    file: str
    content: str
    line_start: int | None = None
    line_end: int | None = None


@dataclass(frozen=True)
class SearchResult:
    """What the system returned for one conversation.

    Attributes:
        files: As ``repo/path``, each once, in the system's order; empty when it found nothing.
        terms: What it searched for, in its order.
        terms_by_file: Which terms led to a file, where the system says so.
        duration_ms: How long it took; None where it is not said.
    """

    files: tuple[str, ...]
    terms: tuple[str, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    terms_by_file: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    duration_ms: float | None = None


@dataclass(frozen=True)
class Searched:
    """A conversation with what the system returned for it, and the gold files that came with it."""

    conversation: Conversation
    result: SearchResult
    gold: Gold | None = None


@dataclass(frozen=True)
class Unusable:
    """A conversation that cannot be evaluated: its id, or ``#2`` where the second has none, and why."""

    conversation: str
    why: str


@dataclass(frozen=True)
class Conversations:
    """Issues that are to be searched for.

    Attributes:
        iteration: From 1; None where the file does not say.
        timestamp: As it was written; None where there is none.
        conversations: In the file's order.
        unusable: What had to be left out.
        notes: What else people should know of the file.
        gold: By conversation, gold files that came with it; the system never sees them.
        gold_form: Where these came from, for people; None where nobody says.
    """

    iteration: int | None
    timestamp: str | None
    conversations: tuple[Conversation, ...]
    unusable: tuple[Unusable, ...] = ()
    notes: tuple[str, ...] = ()
    gold: Mapping[str, Gold] = field(default_factory=dict)
    gold_form: str | None = None


@dataclass(frozen=True)
class SearchResults:
    """One iteration of the system under test.

    Attributes:
        iteration: From 1; None where the file does not say.
        timestamp: As it was written; None where there is none.
        searched: In the file's order.
        unusable: What had to be left out.
        notes: What else people should know of the file, such as paths that were mended.
        system: What searched, in its own words; None where the file does not say.
        at_base: Whether it searched each issue's base commit.
        gold_form: Where gold files that came with it are from, for people; None where nobody says.
    """

    iteration: int | None
    timestamp: str | None
    searched: tuple[Searched, ...]
    unusable: tuple[Unusable, ...] = ()
    notes: tuple[str, ...] = ()
    system: str | None = None
    at_base: bool = False
    gold_form: str | None = None


Reason = Literal["not in the tree", "directory", "outside", "secret", "not approved", "ambiguous", "no path"]
"""Why what a system named is no file that it found.

``directory``: it names one. ``outside``: it leads out of the repositories. ``secret``: it may not be read.
``not approved``: it is in a repository that is not approved. ``ambiguous``: several repositories hold it, and
nothing says which. ``no path``: it names nothing, as a message does.
"""


@dataclass(frozen=True)
class LeftOut:
    """Something that a system returned and that is no file that it found: the line, shortened, and why."""

    line: str
    reason: Reason


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
class JudgeVerdict:
    """What the judge says of a file that only we found.

    Attributes:
        relevant: None where there is no verdict, because of ``failure``.
        actionable: Whether somebody who works on the issue would change it.
        reasoning: In the judge's words.
        failure: Why there is no verdict; None just where there is one.
        fingerprint: Of all that it rests on: the judge, its settings and prompt, the issue, the file as it
            was shown. None where no judge of ours was asked.
    """

    relevant: bool | None
    actionable: Actionable = "no"
    reasoning: str = ""
    failure: Failed | None = None
    fingerprint: str | None = field(default=None, compare=False)


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
        gold: The files that the issue is known to be about; None where nobody says.
    """

    conversation: Conversation
    result: SearchResult
    run_a: Explored
    run_b: Explored
    verdicts: Mapping[str, JudgeVerdict] = field(default_factory=dict)
    retest_a: Explored | None = None
    retest_b: Explored | None = None
    assessment: Assessment | None = None
    terms_in_files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gold: Gold | None = None

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


def sorted_cases(cases: Iterable[Case]) -> list[Case]:
    """Sort cases by the ids of their conversations, so that figures do not depend on the input's order."""
    return sorted(cases, key=lambda case: case.conversation.id)
