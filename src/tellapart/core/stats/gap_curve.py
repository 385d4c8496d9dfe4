"""How many items a gap needs, over a range of gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tellapart.core.stats.power import items_needed_t, mcnemar_items_needed
from tellapart.core.stats.samples import finite_values


def items_against_gap(
    gaps: ArrayLike,
    paired_sd: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    design_effect: float = 1.0,
    items_per_cluster: float = 1.0,
    exact_mcnemar: bool = False,
) -> list[int | None]:
    """Give the items that separate two models, were their gap another and the spread as it is.

    Args:
        gaps: Shape (m,), mean differences in score units; the sign does not matter.
        paired_sd: Standard deviation over items of the per-item difference, in score units, >= 0.
        power: Chance of finding the gap, in [alpha, 1).
        alpha: Two-sided level, in (0, 1).
        design_effect: Variance inflation by clusters, > 0.
        items_per_cluster: Mean number of items of a cluster, >= 1.
        exact_mcnemar: For scores of 0 and 1 without clusters. The share of items on which the models differ
            is then ``paired_sd``^2 + gap^2, and neither less than the gap nor more than 1.

    Returns:
        A number a gap, as `mcnemar_items_needed` or `items_needed_t` give it; None for a gap of 0.

    Raises:
        ValueError: An argument is out of range.
    """
    distances = np.abs(finite_values(gaps, "gaps"))
    if exact_mcnemar:
        widest = float(distances.max(initial=0.0))
        if widest > 1:
            raise ValueError(f"gaps reach {widest!r}, expected at most 1 between scores of 0 and 1.")
        differing = np.clip(paired_sd**2 + np.square(distances), distances, 1.0)
        ahead, behind = (differing + distances) / 2, (differing - distances) / 2
        return mcnemar_items_needed(ahead, behind, power=power, alpha=alpha)
    return [
        items_needed_t(
            gap,
            paired_sd,
            power=power,
            alpha=alpha,
            design_effect=design_effect,
            items_per_cluster=items_per_cluster,
        )
        for gap in distances.tolist()
    ]
