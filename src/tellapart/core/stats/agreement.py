"""How far two raters agree beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tellapart.core.estimate import Estimate
from tellapart.core.stats.intervals import Clusters, clustered_rate


def kappa_estimate(first: Sequence[str], second: Sequence[str], clusters: Clusters | None = None) -> Estimate:
    """Give Cohen's kappa of two raters' labels, of any number of kinds, on the same items.

    Returns:
        At most 1; 0 for agreement as by chance. No value without items, and where both give all items the
        same label, so that chance alone would make them agree. The interval is that of the share of
        agreement, put on kappa's scale with the agreement by chance held at what was found: so raters who
        always agree are not certain to.

    Source:
        Cohen 1960, "A coefficient of agreement for nominal scales", equation 9, whose standard error holds
        the agreement by chance too. Deviation: Wilson's interval of the agreement on its effective sample
        size, see `clustered_rate`, in place of Wald's.
    """
    agreement = clustered_rate([a == b for a, b in zip(first, second, strict=True)], clusters)
    if len({*first, *second}) < 2 or agreement.value is None:
        only = f"every item has the label {first[0]!r} by both" if len(first) else "there are no items"
        return Estimate(None, None, None, len(first), only)
    counts, others = Counter(first), Counter(second)
    chance = sum(n * others[label] for label, n in counts.items()) / len(first) ** 2
    kappa = (agreement.value - chance) / (1 - chance)
    if agreement.interval is None:
        return Estimate(kappa, None, None, len(first), agreement.reason)
    low, high = ((end - chance) / (1 - chance) for end in agreement.interval)
    return Estimate(kappa, max(-1.0, low), high, len(first))
