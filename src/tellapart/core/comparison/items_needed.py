"""How many items it would take to separate two models, or to detect a difference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tellapart.core.comparison.pairs import PairComparison
from tellapart.core.stats.paired import PairedTest
from tellapart.core.stats.power import items_needed_t, mcnemar_items_needed


def items_needed(pairs: Sequence[PairComparison], power: float, level: float) -> list[int | None]:
    """Give the items that would separate each pair, by the test that decides.

    Args:
        pairs: As they were tested.
        power: The chance of separating a pair that is planned for, in [level, 1).
        level: Two-sided, of that test.

    Returns:
        A number for each pair, the items there are included; None where no number would do.
    """
    exact = {k: pair for k, pair in enumerate(pairs) if pair.test is PairedTest.MCNEMAR}
    shares = [((pair.only_a or 0) / pair.n, (pair.only_b or 0) / pair.n) for pair in exact.values()]
    only_a, only_b = np.array(shares, dtype=np.float64).reshape(-1, 2).T
    by_mcnemar = dict(zip(exact, mcnemar_items_needed(only_a, only_b, power=power, alpha=level), strict=True))
    return [by_mcnemar[k] if k in by_mcnemar else _by_t(pair, power, level) for k, pair in enumerate(pairs)]


def _by_t(pair: PairComparison, power: float, level: float) -> int | None:
    if pair.difference is None or pair.sd is None:
        return None
    return items_needed_t(
        pair.difference,
        pair.sd,
        power=power,
        alpha=level,
        design_effect=pair.design_effect or 1.0,
        items_per_cluster=pair.n / pair.clusters,
    )


def items_to_show(
    gap: float, sd: float, *, power: float, level: float, design_effect: float, items_per_cluster: float
) -> int | None:
    """Give the items with which a gap between two models would be found, were their scores to spread so.

    Args:
        gap: True mean difference of an item, in score units.
        sd: Standard deviation of the difference over items, in score units, >= 0.
        power: The chance that is planned for.
        level: Two-sided, of the test.
        design_effect: Variance inflation by clusters.
        items_per_cluster: Mean number of items of a cluster.

    Returns:
        None where the gap is 0.
    """
    return items_needed_t(
        gap,
        sd,
        power=power,
        alpha=level,
        design_effect=design_effect,
        items_per_cluster=items_per_cluster,
    )
