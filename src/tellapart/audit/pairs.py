"""What can be said of two models, why not more, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tellapart.core.comparison import PairComparison


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
class Pair(PairComparison):
    """Two models as they were compared, and what the audit adds.

    Attributes:
        why: Causes, where they are not separated.
        fixes: What to do, the cheapest first.
    """

    why: tuple[Why, ...] = ()
    fixes: tuple[Fix, ...] = ()
