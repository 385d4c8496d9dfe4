"""Tiers of difficulty by danger: the easy, the robust and the adversarial bundles of an eval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from tellapart.bundles.tier_names import THRESHOLDS, TIERS
from tellapart.core.arrays import F64
from tellapart.core.record import Record
from tellapart.errors import UsageError


class TierCuts(Record):
    """What ``bundles tier --json`` prints: the bundles by tier, and the highest danger in the first two.

    ``tied`` has for each cut the share of bundles that ties at it moved from where an exact cut would put
    them.
    """

    tier_distribution: dict[str, int]
    cutoffs: tuple[float, float] | None
    tied: tuple[float, float]


@dataclass(frozen=True)
class TierAssignment:
    """Tiers of bundles, shape (bundles,), one of ``TIERS`` each, and where they were cut."""

    tiers: NDArray[np.str_]
    cuts: TierCuts


def assign_tiers(danger: ArrayLike, thresholds: tuple[float, float] = THRESHOLDS) -> TierAssignment:
    """Cut bundles into tiers at two percentiles of their danger; see `cut_tiers`."""
    numbers, cuts = cut_tiers(danger, thresholds)
    return TierAssignment(np.array(TIERS)[numbers], cuts)


def cut_tiers(
    danger: ArrayLike, thresholds: tuple[float, float] = THRESHOLDS
) -> tuple[NDArray[np.uint8], TierCuts]:
    """Give the position of each bundle's tier in ``TIERS``, and where they were cut.

    Source:
        "Crucible Metrics Reference", Tier Assignment Algorithm. Deviation: the index of a cut is at most the
        last one, where the original leaves the list at a threshold of 1.
    """
    values = np.asarray(danger, dtype=np.float64)
    check_thresholds(thresholds)
    if not np.isfinite(values).all():
        bad = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"danger {bad} is {float(values[bad])!r}, expected a finite number")
    n = len(values)
    if not n:
        cuts = TierCuts(tier_distribution=dict.fromkeys(TIERS, 0), cutoffs=None, tied=(0.0, 0.0))
        return np.empty(0, np.uint8), cuts
    ordered = np.sort(values)
    at = [min(int(n * share), n - 1) for share in thresholds]
    low, high = (float(ordered[i]) + 0.0 for i in at)
    number = (values > low).astype(np.uint8) + (values > high)
    counts = np.bincount(number, minlength=3).tolist()
    below = np.searchsorted(ordered, [low, high], side="right").tolist()
    cuts = TierCuts(
        tier_distribution=dict(zip(TIERS, counts, strict=True)),
        cutoffs=(low, high),
        tied=((below[0] - (at[0] + 1)) / n, (below[1] - (at[1] + 1)) / n),
    )
    return number, cuts


def given_or_cut(tiers: pl.Series, margins: F64) -> tuple[pl.Series, TierCuts | None]:
    """Keep the tiers that came with the data, or cut them by this model's danger if none did."""
    if tiers.null_count() < len(tiers):
        return tiers, None
    numbers, cuts = cut_tiers(-margins)
    return pl.Series("tier", TIERS, dtype=pl.Enum(TIERS)).gather(numbers), cuts


def committee_danger(dangers: Sequence[ArrayLike]) -> F64:
    """Give the danger of bundles under one model, or the mean of their ranks in (0, 1] under several."""
    if len(dangers) == 1:
        return np.asarray(dangers[0], dtype=np.float64)
    ranks = np.stack([rankdata(np.asarray(danger, dtype=np.float64)) for danger in dangers])
    return np.asarray(ranks.mean(axis=0) / max(ranks.shape[1], 1), dtype=np.float64)


def check_thresholds(thresholds: tuple[float, float]) -> None:
    """Raise UsageError unless thresholds are two ascending shares in [0, 1]."""
    if not 0 <= thresholds[0] <= thresholds[1] <= 1:
        raise UsageError(
            f"thresholds are {thresholds!r}, expected two ascending shares in [0, 1] such as {THRESHOLDS}"
        )


def parse_thresholds(text: str) -> tuple[float, float]:
    """Read ``.7,.9``."""
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise UsageError(f"thresholds are {text!r}, expected two shares such as '.7,.9'") from None
    check_thresholds((low, high))
    return low, high
