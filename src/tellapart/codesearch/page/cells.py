"""Figures of a codebase search as cells: three decimals, as the documented ones have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tellapart.report import numbers as show
from tellapart.report.missing_reasons import KINDS
from tellapart.report.tables import Cell, undefined

WORDS = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "precision_union": "precision without verdicts",
    "recall_union": "recall without verdicts",
}
"""Measures in words."""

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


def ends_of(figure: Mapping[str, Any]) -> tuple[float, float] | None:
    """The interval of a record with ``low`` and ``high``; None where it lacks one of them."""
    low, high = figure.get("low"), figure.get("high")
    return None if low is None or high is None else (low, high)


def estimate(figure: Mapping[str, Any] | None) -> Cell:
    """A figure with ``value``, ``low``, ``high`` and ``reason``, its interval below it."""
    if figure is None:
        return undefined("it was not measured")
    ends = ends_of(figure)
    return number(figure["value"], figure.get("reason"), "" if figure["value"] is None else span(ends))


def widest(figures: Mapping[str, Any]) -> tuple[float, float] | None:
    """The wider of the two 95 % intervals of a mean over conversations.

    Resampling few conversations sees less than others could be; Student's t knows it. None where neither is
    there, as with one conversation.
    """
    known = [ends for name in ("t_interval", "interval") if (ends := figures.get(name)) is not None]
    return max(((low, high) for low, high in known), key=lambda ends: ends[1] - ends[0], default=None)


def is_open(figures: Mapping[str, Any]) -> bool:
    """Whether missing verdicts or explorations could change a mean."""
    low, high = figures.get("low"), figures.get("high")
    return low is not None and high is not None and round(high - low, 9) > 0


def complete(figures: Mapping[str, Any]) -> str:
    """The mean over the conversations that miss no verdict, where there is none of all: ``0.750 over 5``."""
    value = figures.get("macro_complete")
    if figures["macro"] is not None or value is None:
        return ""
    return f"{show.decimal(value)} over {show.count(figures['conversations'])} complete"


def causes(counts: Mapping[str, int]) -> str:
    """Counts by cause: ``judge 12, timeout 1``; empty where there is nothing."""
    return ", ".join(f"{cause} {show.count(n)}" for cause, n in counts.items())
