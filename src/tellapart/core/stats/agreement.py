"""How far two raters agree beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.core.estimate import Estimate
from tellapart.core.stats.intervals import Clusters, clustered_rate

Labels: TypeAlias = Sequence[str] | NDArray[np.generic]
"""Of n items, of any number of kinds."""


def cohen_kappa(first: Labels, second: Labels) -> float | None:
    """Give Cohen's kappa of two raters' labels on the same items.

    Returns:
        At most 1; 0 for agreement as by chance. ``None`` without items, and where both give all items the
        same label, so that chance alone would make them agree.

    Source:
        Cohen 1960, "A coefficient of agreement for nominal scales".
    """
    if len(first) != len(second):
        raise ValueError(
            f"first and second have {len(first)} and {len(second)} entries, expected one an item."
        )
    if len({*first, *second}) < 2:
        return None
    agreement = sum(bool(a == b) for a, b in zip(first, second, strict=True)) / len(first)
    chance = _chance(first, second)
    return (agreement - chance) / (1 - chance)


def _chance(first: Labels, second: Labels) -> float:
    """The share of agreement that independent raters with these labels would reach."""
    counts, others = Counter(first), Counter(second)
    return sum(n * others[label] for label, n in counts.items()) / len(first) ** 2


def kappa_estimate(first: Sequence[str], second: Sequence[str], clusters: Clusters | None = None) -> Estimate:
    """Give Cohen's kappa of two raters with an interval.

    Labels may be any, and labels of ``clusters`` name the sources that items share.

    Returns:
        The estimate. The interval is that of the share of agreement, put on kappa's scale with the agreement
        by chance held at what was found: so raters who always agree are not certain to.

    Source:
        Cohen 1960, equation 9, whose standard error holds the agreement by chance too. Deviation: Wilson's
        interval of the agreement on its effective sample size, see `clustered_rate`, in place of Wald's.
    """
    kappa = cohen_kappa(first, second)
    agreement = clustered_rate([a == b for a, b in zip(first, second, strict=True)], clusters)
    if kappa is None:
        only = f"every item has the label {first[0]!r} by both" if first else "there are no items"
        return Estimate(None, None, None, len(first), only)
    if agreement.interval is None:
        return Estimate(kappa, None, None, len(first), agreement.reason)
    chance = _chance(first, second)
    low, high = ((end - chance) / (1 - chance) for end in agreement.interval)
    return Estimate(kappa, max(-1.0, low), high, len(first))
