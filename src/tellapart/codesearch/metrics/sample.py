"""Whether there are conversations enough to see a regression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from statistics import stdev
from typing import Any

from tellapart.codesearch.case import Case
from tellapart.codesearch.metrics.aggregate import Figures, measured, never_judged
from tellapart.core.comparison import items_to_detect
from tellapart.core.stats import wilson

REGRESSION = 0.10
"""A fall of precision or recall that stops the loop."""

WIDEST = 2 * REGRESSION
"""Of the 95 % interval; a wider one reaches further than a regression to either side."""


def too_few(cases: Sequence[Case], metrics: Mapping[str, Any]) -> Iterator[str]:
    """Warn where the interval of precision or recall is wider than ``WIDEST``.

    What counts is `widest_interval` of the conversations that are complete, since resampling three
    conversations shows about half of what three others could be. Where nothing was judged the measures that
    need no verdict are looked at.

    Yields:
        One sentence at most, with the conversations that would be needed to see a regression between two
        iterations with 80 % power, as if the conversations of one had nothing to do with those of the other;
        fewer are where both are asked the same.
    """
    suffix = "_union" if never_judged(cases) else ""
    wide = {}
    for name in (f"precision{suffix}", f"recall{suffix}"):
        ends = widest_interval(metrics["measures"][name])
        if metrics["measures"][name]["conversations"] and (ends is None or ends[1] - ends[0] > WIDEST):
            wide[name] = ends
    if wide:
        shown = [
            f"{name} has no interval" if ends is None else f"{name} is within {ends[0]:.2f} to {ends[1]:.2f}"
            for name, ends in wide.items()
        ]
        needed = [conversations_needed(cases, name) for name in wide]
        known = [n for n in needed if n is not None]
        yield (
            f"{len(cases)} {'conversation is' if len(cases) == 1 else 'conversations are'} too few to tell a "
            f"regression of {REGRESSION:.2f} from chance: {', '.join(shown)} (95 %). "
            + (f"About {max(known)} would be needed." if known else "How many would be cannot be said yet.")
        )


def widest_interval(figures: Figures) -> list[float] | None:
    """The wider 95 % interval of a macro measure over its complete conversations.

    Where all conversations are alike, Wilson's interval says how many others may not be, and these could be
    anything. None below two conversations.
    """
    both = (figures["t_interval_complete"], figures["interval_complete"])
    known = [ends for ends in both if ends is not None]
    n, macro = figures["conversations"], figures["macro_complete"]
    if not known and n > 1:
        alike = wilson(n, n)
        share = alike.low if alike else 0.0
        known = [[macro * share, macro * share + 1 - share]]
    return max(known, key=lambda ends: ends[1] - ends[0], default=None)


def conversations_needed(cases: Sequence[Case], name: str) -> int | None:
    """Conversations an iteration with which a regression of a measure would be seen, with 80 % power.

    Returns:
        None where fewer than two conversations have a value or all have the same one.
    """
    values = [one.value for one in measured(cases, name) if one.value is not None]
    spread = stdev(values) if len(values) > 1 else 0.0
    # The difference of two independent iterations varies by twice the variance of one.
    return items_to_detect(REGRESSION, spread * sqrt(2)) if spread else None
