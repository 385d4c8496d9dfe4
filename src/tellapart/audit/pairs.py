"""What can be said of two models, why not more, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tellapart.core.stats import Discordant, Interval, PairedTest


class Verdict(StrEnum):
    """What can be said of two models, A and B."""

    A_BETTER = "a>b"
    B_BETTER = "b>a"
    EQUIVALENT = "equivalent"
    NOT_SEPARATED = "not_separated"
    WITHHELD = "withheld"


class Cause(StrEnum):
    """Why two models are not separated."""

    CEILING = "ceiling"
    FLOOR = "floor"
    TOO_FEW_ITEMS = "too_few_items"
    REPLICATE_NOISE = "replicate_noise"
    GRADER_NOISE = "grader_noise"
    BROKEN_ITEMS = "broken_items"
    MISSING_DATA = "missing_data"
    NO_SCORES = "no_scores"
    EQUIVALENT = "equivalent"


class Action(StrEnum):
    """What can be done about it."""

    ADD_ITEMS = "add_items"
    USE_STRATUM = "use_stratum"
    HARDER_ITEMS = "harder_items"
    EASIER_ITEMS = "easier_items"
    ADD_REPLICATES = "add_replicates"
    REPEAT_GRADING = "repeat_grading"
    DROP_ITEMS = "drop_items"
    RERUN_MISSING = "rerun_missing"
    CHOOSE_OTHERWISE = "choose_otherwise"


@dataclass(frozen=True)
class Why:
    """A cause, and the sentence that gives its evidence."""

    cause: Cause
    text: str


@dataclass(frozen=True)
class Fix:
    """Something that would separate two models, or settle that they are equivalent.

    Attributes:
        action: What to do.
        cost_items: New items it takes; 0 for none.
        cost_replicates: Further answers (or gradings) an item and model it takes; 0 for none. To rerun what
            is missing it is 1, of those items and models alone whose score is missing.
        text: A sentence.
        stratum: Column and value of the kind of items it is about, or None for any kind.
        items: Ids of the items it is about, in ascending order.
        cost_answers: Single answers (gradings, to grade again) that must be got anew, in all: of both models
            and every item, new ones included. None where it is not known.
    """

    action: Action
    cost_items: int
    cost_replicates: int
    text: str
    stratum: tuple[str, str] | None = None
    items: tuple[str, ...] = ()
    cost_answers: int | None = None


@dataclass(frozen=True)
class Pair:
    """Two models on the items that both have scores on; the first comes first in the alphabet.

    Attributes:
        a: A model.
        b: Another.
        n: Items that both have scores on.
        n_clusters: Sources of these items.
        difference: Mean of a - b, or None without an item.
        sd: Standard deviation of a - b over items (n - 1), or None.
        design_effect: Variance inflation by clusters, or None.
        binary: Whether every score is 0 or 1.
        interval: Of the difference, at 95 %, not adjusted for the number of pairs, or None: Tango's score
            interval where the test is McNemar's, else BCa from the resamples that all models share. The exact
            McNemar test is the stricter: with 4 or 5 items that only one gets right, the interval leaves 0
            out, and p is .125 or .063.
        p: Of no difference, or None.
        p_holm: The same, adjusted over all pairs.
        p_equivalent: Of a difference of at least the smallest that matters, adjusted over all pairs, or None.
        bounds: Least and greatest difference that any values of the missing scores could give, or None.
        verdict: What can be said.
        items_needed: Items, new ones and these together, with which the test that decides would separate them
            with the planned power at Holm's level of the next claim, alpha over the pairs that are not
            separated, were the rates, or the difference and its spread, as found. None where no number would.
        reason: Why there is no interval, and with fewer than two items or clusters no p either; or empty.
        why: Causes, where they are not separated.
        fixes: What to do, the cheapest first.
        test: That ``p`` is of, or None without one.
        discordant: Items that exactly one of the two gets right, where the test is McNemar's; else None.
    """

    a: str
    b: str
    n: int
    n_clusters: int
    difference: float | None
    sd: float | None
    design_effect: float | None
    binary: bool
    interval: Interval | None
    p: float | None
    p_holm: float | None
    p_equivalent: float | None
    bounds: tuple[float, float] | None
    verdict: Verdict
    items_needed: int | None
    reason: str
    why: tuple[Why, ...] = ()
    fixes: tuple[Fix, ...] = ()
    test: PairedTest | None = None
    discordant: Discordant | None = None

    @property
    def is_separated(self) -> bool:
        """Whether one of the two is better."""
        return self.verdict in (Verdict.A_BETTER, Verdict.B_BETTER)
