"""Figures of a codebase search as cells: three decimals, as in the original pipeline."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.codesearch.figures import MeasureSummary
from tellapart.core.estimate import Estimate
from tellapart.report import numbers as show
from tellapart.report.missing_reasons import KINDS
from tellapart.report.tables import Cell, undefined

FAILURES = KINDS | {"turns": "turns used up", "recorded": "recorded as failed"}
"""Kinds of failures in words; those of explorers and of other pipelines' evaluations too."""

UNKNOWN = "it is not known"
NO_INTERVAL = "no interval"


def number(value: float | None, reason: str | None = None, detail: str = "") -> Cell:
    """A figure, or a dash with the reason why there is none."""
    return undefined(reason or UNKNOWN, detail) if value is None else Cell(show.decimal(value), detail)


def span(ends: Sequence[float | None] | None) -> str:
    """An interval or bounds: ``0.454–1.000``; a dash stands for an end that is not known."""
    if ends is None:
        return NO_INTERVAL
    low, high = (show.DASH if end is None else show.decimal(end) for end in ends)
    return f"{low}–{high}"


def bounds(ends: Sequence[float | None]) -> str:
    """Bounds, or the one figure that they leave: ``0.454–1.000``, ``0.454``."""
    shown = span(ends)
    low, _, high = shown.partition("–")
    return low if low == high and ends[0] is not None else shown


def to(ends: Sequence[float]) -> str:
    """An interval in a sentence: ``0.454 to 1.000``."""
    return " to ".join(show.decimal(end) for end in ends)


def estimate(record: Estimate | None) -> Cell:
    """A value, its interval below it."""
    if record is None:
        return undefined("it was not measured")
    return number(record.value, record.reason, "" if record.value is None else span(record.interval))


def is_open(measure: MeasureSummary) -> bool:
    """Whether missing verdicts or explorations could change a mean."""
    low, high = measure.low, measure.high
    return low is not None and high is not None and round(high - low, 9) > 0
