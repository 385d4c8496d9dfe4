"""What the summaries of each writer cost, and how long they took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from tellapart.core.estimate import Estimate
from tellapart.core.stats import quantile_estimates

NO_MODEL = "the runs keep no record of a language model that wrote these summaries"
NO_PRICE = "no price was given: build with --price IN,OUT"
COUNTED = "counted, not sampled"
NOT_KEPT = "the run does not keep how long calls took: run it again"


@dataclass(frozen=True)
class Cost:
    """What a writer took.

    Attributes:
        each: US dollars of a summary.
        total: Of all of them; None where it is not known.
        latency: Median seconds of a summary.
        latency_p95: 95 % of the summaries took at most so many.
    """

    each: Estimate
    total: float | None
    latency: Estimate
    latency_p95: Estimate


def cost_of(
    writer: str, models: Mapping[str, Mapping[str, Any]], calls: pl.DataFrame | None, summaries: int
) -> Cost:
    """Say what a writer took."""
    if writer not in models:
        nothing = Estimate(None, None, None, 0, NO_MODEL)
        return Cost(nothing, None, nothing, nothing)
    total = models[writer].get("cost")
    if total is None or not summaries:
        each = Estimate(None, None, None, 0, NO_PRICE if total is None else "no summary was written")
    else:
        each = Estimate(total / summaries, None, None, summaries, COUNTED)
    if calls is None:
        unknown = Estimate(None, None, None, 0, NOT_KEPT)
        return Cost(each, total, unknown, unknown)
    seconds = calls.filter(writer=writer)["seconds"].drop_nulls().to_numpy()
    return Cost(each, total, *quantile_estimates(seconds, (0.5, 0.95)))
