"""``history.json`` of a loop: the trend over iterations, areas that got worse, and why the loop stopped."""

from __future__ import annotations

from enum import StrEnum

from tellapart.codesearch.figures import Bounds, Explorers, Interval, Number
from tellapart.core.comparison import Comparison
from tellapart.core.record import StoredRecord


class TrendMeasure(StoredRecord):
    """One measure of one iteration; see `looping.history.trend`."""

    value: Number | None = None
    low: Number | None = None
    high: Number | None = None
    bounds: Bounds = (None, None)
    n: int = 0
    reason: str | None = None


class ChangeRecord(StoredRecord):
    """A measure before and after.

    Attributes:
        before: Mean over the ``n`` conversations; None without any.
        after: The same of the later iteration.
        difference: ``after`` less ``before``: above 0 where it got better.
        interval: Of the difference, at the level at which `core.comparison` tested it; None where ``reason``
            says why.
        p: Two-sided, of no change; None below two conversations.
        p_adjusted: The same, adjusted over the areas where it is that of one; else ``p``.
        verdict: ``better``, ``worse``, ``equivalent``, ``not_separated`` or ``withheld``.
        settle_items: Conversations that settle whether the two iterations differ by as much as
            matters; None where that is decided, or not known.
        reason: Why there is no interval, or empty.
        withheld: Why there can be no verdict: an explorer that searches as the system does; or empty.
        n: Conversations that have the measure in both.
        open: Conversations that have it before, and after it for want of verdicts alone do not.
        bounds: Least and greatest difference over the ``n`` and the open ones, by what the missing verdicts
            could say; None without any.
        beyond_chance: Whether the two iterations are separated; None where so few conversations could not be.
    """

    before: Number | None = None
    after: Number | None = None
    difference: Number | None
    interval: Interval = None
    p: Number | None = None
    p_adjusted: Number | None = None
    verdict: str = "not_separated"
    settle_items: int | None = None
    reason: str = ""
    withheld: str = ""
    n: int = 0
    open: int = 0
    bounds: tuple[Number, Number] | None = None
    beyond_chance: bool | None = None


class RegressionStatus(StrEnum):
    """What is known of a measure that may have fallen by more than the limit.

    It is ``worse`` where it fell by more than the limit beyond noise, ``unclear`` where it fell by more on
    these conversations and noise could be why, ``unreliable`` where missing verdicts decide whether it fell
    by more, and ``circular`` where it fell by more as an explorer has it that searches as the system does.
    """

    WORSE = "worse"
    UNCLEAR = "unclear"
    UNRELIABLE = "unreliable"
    CIRCULAR = "circular"


class _Fallen(StoredRecord):
    area: str
    measure: str
    against_iteration: int
    fall: RegressionStatus = RegressionStatus.WORSE


class RegressionRecord(ChangeRecord, _Fallen):
    """A measure of an area that fell by more than the limit, or may have; the change is that of the area.

    Attributes:
        area: The product area, as the later iteration has it, or `looping.regression.EVERYWHERE`.
        measure: ``precision`` or ``recall``, or the same with ``_union`` where nothing was judged.
    """


class Since(StoredRecord):
    """What changed since the iteration before; see `looping.history.since`.

    Attributes:
        comparison: Of the two iterations; None where one of them has no score.
    """

    iteration: int
    conversations: int = 0
    same_files: bool
    same_explorers: bool = True
    same_ground_truth: bool = True
    measures: dict[str, ChangeRecord]
    compared_by: str = ""
    comparison: Comparison | None = None


class TrendIteration(StoredRecord):
    """The figures of one iteration.

    Attributes:
        areas: Of each product area the values of the measures, and ``count``, its conversations.
    """

    iteration: int
    explorers: Explorers = Explorers()
    conversations: int
    reliable: bool = True
    measures: dict[str, TrendMeasure]
    areas: dict[str, dict[str, Number | None]] = {}
    since: Since | None = None


class StopRecord(StoredRecord):
    """Why the loop stopped, for programs and for people."""

    reason: str
    iteration: int
    text: str


class History(StoredRecord):
    """The whole trend."""

    iterations: tuple[TrendIteration, ...]
    regressions: tuple[RegressionRecord, ...] = ()
    undecided: tuple[RegressionRecord, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: StopRecord | None = None
