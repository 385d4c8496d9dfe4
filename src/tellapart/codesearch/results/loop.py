"""``history.json`` of a loop: the trend over iterations, areas that got worse, and why the loop stopped."""

from __future__ import annotations

from typing import Any

from tellapart.codesearch.results.metrics import Explorers
from tellapart.codesearch.results.types import Bounds, Interval, Number
from tellapart.core.record import StoredRecord


class TrendMeasure(StoredRecord):
    """One measure of one iteration; see `looping.history.trend`."""

    value: Number | None = None
    low: Number | None = None
    high: Number | None = None
    complete: Number | None = None
    bounds: Bounds = (None, None)
    n: int = 0
    reason: str | None = None


class ChangeRecord(StoredRecord):
    """A measure before and after; see `looping.change.Change`."""

    before: Number | None = None
    after: Number | None = None
    difference: Number | None
    interval: Interval = None
    p: Number | None = None
    p_adjusted: Number | None = None
    verdict: str = "not_separated"
    items_needed: int | None = None
    reason: str = ""
    n: int = 0
    open: int = 0
    bounds: tuple[Number, Number] | None = None
    low: Number | None = None
    high: Number | None = None
    beyond_chance: bool | None = None


class _Fallen(StoredRecord):
    area: str
    measure: str
    against_iteration: int
    fall: str = "worse"


class RegressionRecord(ChangeRecord, _Fallen):
    """A measure of an area that fell by more than the limit, or may have."""

    one_ground_truth: ChangeRecord | None = None
    same_explorers: bool = True


class Since(StoredRecord):
    """What changed since the iteration before; see `looping.history.since`.

    Attributes:
        comparison: Of the two iterations, as `core.comparison` writes it.
    """

    iteration: int
    conversations: int = 0
    same_files: bool
    same_explorers: bool = True
    same_ground_truth: bool = True
    measures: dict[str, ChangeRecord]
    compared_by: str = ""
    comparison: dict[str, Any] | None = None
    one_ground_truth: dict[str, ChangeRecord] | None = None


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

    schema_version: int = 1
    iterations: tuple[TrendIteration, ...]
    regressions: tuple[RegressionRecord, ...] = ()
    undecided: tuple[RegressionRecord, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: StopRecord | None = None
