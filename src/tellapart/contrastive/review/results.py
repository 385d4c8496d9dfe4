"""What a review of a benchmark's label noise prints as JSON."""

from __future__ import annotations

from tellapart.core.comparison import Verdict
from tellapart.core.record import Record


class Suspect(Record):
    """A distractor that may be a second right answer.

    Attributes:
        target: Id of the unit that is asked about.
        distractor: Id of the other.
        items: Items in which both are options, by level.
        score: How likely it is noise, in [0, 1]; the list is sorted by it.
        reasons: Why it is suspected, a clause each.
        summary: Of the target.
        distractor_summary: None where nobody summarised the distractor.
        code: Of the target.
        distractor_code: Of the distractor.
        language: Of the target.
    """

    target: str
    distractor: str
    items: tuple[str, ...]
    score: float
    reasons: tuple[str, ...]
    summary: str
    distractor_summary: str | None
    code: str
    distractor_code: str
    language: str


class Review(Record):
    """Everything suspected in a benchmark, most likely noise first.

    Attributes:
        benchmark: Its fingerprint.
        items: Of the benchmark.
        pairs: Of a target and a distractor that were compared.
        suspected_items: Items with a suspect among their options.
        threshold: Score from which a pair is suspected.
        suspects: See `Suspect`.
    """

    benchmark: str
    items: int
    pairs: int
    suspected_items: int
    threshold: float
    suspects: tuple[Suspect, ...]


class SuspectItems(Record):
    """``artifacts/suspects.json`` of a run: which items hold a suspect.

    Attributes:
        threshold: Score from which a pair is suspected.
        of: Items of the benchmark.
        items: Ids of those with a suspect among their options, in ascending order.
    """

    threshold: float
    of: int
    items: tuple[str, ...]


class ChangedVerdict(Record):
    """Two models, what is said of them on all items, and without those that hold a suspect."""

    a: str
    b: str
    verdict: Verdict
    without: Verdict


class SuspectEffect(Record):
    """How many items hold a suspect, and what these items do to the verdict.

    Attributes:
        items: With a suspect among their options.
        of: Items that are reported.
        share: ``items`` over ``of``.
        changed: Pairs whose verdict is another without these items. None where there is no verdict that could
            change, or no other item.
    """

    items: int
    of: int
    share: float
    changed: tuple[ChangedVerdict, ...] | None
