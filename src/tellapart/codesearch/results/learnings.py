"""``learnings.json``: what one iteration teaches, what might be changed, and what a model says of that."""

from __future__ import annotations

from typing import Any

from pydantic import AliasChoices, Field

from tellapart.codesearch.results.metrics import GapBelow
from tellapart.codesearch.results.types import Interval, Number
from tellapart.core.record import StoredRecord


class ComparedShares(StoredRecord):
    """A share among some files against the share among the others, conversation by conversation.

    Attributes:
        conversations: Those with files both here and elsewhere; the others are left out.
        here: Mean over them of the share here, in [0, 1]; None where there are none.
        elsewhere: Likewise of all other files.
        difference: ``here`` less ``elsewhere``.
        interval: Of the difference: what the test of ``p`` accepts; None where the conversations are too few.
        p: Two-sided, of a difference as large when what is here and what is elsewhere change places at
            random in each conversation; see `core.comparison.paired_effect`.
        p_holm: ``p`` with Holm's correction over all that was compared in the same way.
        beyond_chance: Whether that is a claim; None without a test.
        excess: Files of the sort here beyond those that there would be at the share of elsewhere.
    """

    conversations: int = 0
    here: Number | None = None
    elsewhere: Number | None = None
    difference: Number | None = None
    interval: Interval = None
    p: Number | None = None
    p_holm: Number | None = None
    beyond_chance: bool | None = None
    excess: Number = 0.0


class TermRecord(StoredRecord):
    """What a search term led to, over all conversations that used it.

    Attributes:
        term: As it was searched for, in lower case.
        conversations: Ids of those that used it, in order.
        files: Our files in them.
        relevant: Of these, relevant ones that are traced to the term.
        noise: Noise that is traced to it.
        open: Files traced to it of which nobody knows.
        relevant_alone: Of the relevant ones, those that are traced to no other term.
        noise_alone: Of the noise, likewise.
        open_alone: Of the open ones, likewise.
        noise_alone_in: Conversations with such noise, in order.
        noise_against_others: Share of noise among the files with the term, against those without it.
        noise_rate: Share of noise among the files that are one or the other; None where there is none.
        share: Share of our files that are traced to the term: near 1 it tells none apart; None without files.
    """

    term: str
    conversations: tuple[str, ...] = ()
    files: int = 0
    relevant: int
    noise: int
    open: int
    relevant_alone: int = 0
    noise_alone: int = 0
    open_alone: int = 0
    noise_alone_in: tuple[str, ...] = ()
    noise_against_others: ComparedShares = ComparedShares()
    noise_rate: Number | None
    share: Number | None = None


class PlaceRecord(StoredRecord):
    """What is known of the files of a directory, or of a kind.

    Attributes:
        place: ``repo/directory``, or an ending such as ``.py``; ``(none)`` for files without one.
        missed: Relevant files there that we did not find.
        found: Relevant files there that we found.
        noise: Files of noise there.
        missed_in: Conversations in which some were missed, in order.
        noise_in: Conversations in which there was noise, in order.
        recall_against_others: Share of the relevant files there that we found, against that of all others.
        noise_against_others: Share of noise among our files there, against that of all others.
        recall: Share of the relevant files there that we found; None where there is none.
        noise_rate: Share of noise among our files there; None where there is none.
    """

    place: str
    missed: int
    found: int
    noise: int
    missed_in: tuple[str, ...] = ()
    noise_in: tuple[str, ...] = ()
    recall_against_others: ComparedShares = ComparedShares()
    noise_against_others: ComparedShares = ComparedShares()
    recall: Number | None
    noise_rate: Number | None = None


class EffectRecord(StoredRecord):
    """One measure before and after a change of the system.

    Attributes:
        before: Mean over the conversations that have it; None where none has.
        after: Likewise, as the next iteration would report it.
        difference: Mean of after - before over the ``conversations`` that have both; None without any.
        interval: Of the difference: what the test of ``p`` accepts; None where the conversations are too few.
        p: Two-sided, of no change; see `core.comparison.paired_effect`. None below two conversations.
        conversations: Those that have a value before and after.
    """

    before: Number | None
    after: Number | None
    difference: Number | None
    interval: Interval
    p: Number | None
    conversations: int


class HeldBackRecord(StoredRecord):
    """A proposal, tested on conversations that did not suggest it.

    Attributes:
        of: What the difference is of; where it is positive, it speaks for the proposal.
        conversations: Held-back ones that have both shares.
        difference: Its mean over them; None without any.
        interval: Of the difference, at the level of Holm's method; None where they are too few.
        p: Two-sided, of no difference; None below two of them.
        p_adjusted: The same over all proposals that were tested.
        confirmed: Whether the difference is positive and beyond chance.
        conversations_needed: In all, both halves together, so that such a difference would be confirmed with
            80 % power; None where no number would.
        reason: Why there is no interval.
    """

    of: str
    conversations: int
    difference: Number | None
    interval: Interval
    p: Number | None
    p_adjusted: Number | None
    confirmed: bool
    conversations_needed: int | None
    reason: str | None = None


class ProposalRecord(StoredRecord):
    """One change of the system under test, for a person to decide on.

    ``p``, ``p_holm`` and ``beyond_chance`` are of the conversations that it rests on, out of which it was
    picked: they flatter it. What confirms it is ``held_back``.

    Attributes:
        id: Kind and subject, such as ``drop_term:post``.
        kind: One of `learning.proposals.Kind`.
        subject: The term, directory or kind of file.
        statement: One sentence.
        conversations: Those that it rests on, in order.
        evidence: Counts, comparisons and files; each kind of proposal has its own.
        p: Two-sided, of as much by chance alone.
        p_holm: The same with Holm's correction over all that was looked at in the same way.
        beyond_chance: Whether ``p_holm`` is a claim; None without one.
        withheld: Why it cannot be said which way it goes, such as verdicts that are missing; None else.
        weight: Files that speak for it beyond those that speak against it.
        assumes: What has to hold for that, in a sentence.
        effect: Of the change on the recorded iteration, by measure; None where that cannot be counted.
        emptied: Conversations that it would leave without a file.
        could_hurt: By product area what speaks against it, by name.
        held_back: What conversations that did not suggest it say; None where the half that suggests did not.
    """

    id: str = ""
    kind: str = ""
    subject: str = ""
    statement: str
    conversations: tuple[str, ...]
    evidence: dict[str, Any] = Field(default_factory=dict)
    p: Number | None = None
    p_holm: Number | None = None
    beyond_chance: bool | None = None
    withheld: str | None = None
    weight: Number = 0.0
    assumes: str = ""
    effect: dict[str, EffectRecord] | None = None
    emptied: tuple[str, ...] = ()
    could_hurt: dict[str, dict[str, Number]]
    held_back: HeldBackRecord | None = None


class AreaFarBelow(StoredRecord):
    """A product area that is far below the whole, and in which measures."""

    count: int
    pattern: bool
    below: dict[str, GapBelow]


class PatternRecord(StoredRecord):
    """What conversations of one area have in common."""

    product_area: str
    what: str
    conversations: tuple[str, ...]


class OutlierRecord(StoredRecord):
    """A conversation that is far from the others; where nothing was found there is no measure."""

    conversation_id: str
    product_area: str
    what: str
    measure: str | None = None
    value: Number | None = None
    median_of_others: Number | None = None


class AnecdoteRecord(StoredRecord):
    """A fact that too few conversations show, with the files that speak against it and for it."""

    what: str
    subject: str
    conversations: tuple[str, ...]
    against: int
    # ``for`` is a word of the language.
    in_favour: int = Field(validation_alias=AliasChoices("in_favour", "for"), serialization_alias="for")


class ExplanationRecord(StoredRecord):
    """What a model says of one proposal, or why it said nothing."""

    explanation: str | None = None
    check_first: str | None = None
    risk: str | None = None
    reasoning: str | None = None
    failure: Any = None

    @property
    def failed(self) -> bool:
        """Whether the model was asked and gave no explanation."""
        return "failure" in self.model_fields_set


class Learnings(StoredRecord):
    """All of it; ``explained_by`` and ``explanations`` only where a model was asked.

    ``proposals`` are confirmed by conversations that did not suggest them; ``candidates`` are not.
    """

    iteration_number: int | None = None
    timestamp: Any = None
    conversations: int
    pattern: int
    basis: str = "judged"
    traced_by: str | None = None
    terms: tuple[TermRecord, ...]
    directories: tuple[PlaceRecord, ...]
    kinds: tuple[PlaceRecord, ...] = ()
    areas: dict[str, AreaFarBelow] = Field(default_factory=dict)
    patterns: tuple[PatternRecord, ...] = ()
    outliers: tuple[OutlierRecord, ...] = ()
    anecdotes: tuple[AnecdoteRecord, ...] = ()
    proposals: tuple[ProposalRecord, ...]
    candidates: tuple[ProposalRecord, ...] = ()
    notes: tuple[str, ...] = ()
    explained_by: str | None = None
    explanations: dict[str, ExplanationRecord] = Field(default_factory=dict)
