"""How many items a paired comparison needs, and what a given number can show."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from tellapart.core.arrays import F64
from tellapart.core.compiled import compiled
from tellapart.core.stats.samples import finite_values, same_length

_EXACT_DISCORDANT = 2000.0
"""Expected discordant items up to which the power is summed over all outcomes."""


def power_of_mcnemar(n: int, only_a: float, only_b: float, *, alpha: float = 0.05) -> float:
    """Give the chance that the exact two-sided McNemar test separates two models with n items.

    Args:
        n: Items, >= 0.
        only_a: Share of items that only A gets right, in [0, 1].
        only_b: Share that only B gets right, with ``only_a`` at most 1.
        alpha: Two-sided level, in (0, 1).

    Returns:
        In [0, 1], over all outcomes of n independent items; below ``alpha`` where the models are equal.

    Source:
        Duffy 1984, "Asymptotic and exact power for the McNemar test and its analogue with R controls",
        the exact unconditional power.
    """
    if n < 0:
        raise ValueError(f"n is {n!r}, expected 0 or more items.")
    _check(np.array([only_a]), np.array([only_b]), 0.5, alpha)
    discordant = only_a + only_b
    if n == 0 or discordant <= 0:
        return 0.0
    table = _powers_by_discordant(n, only_a / discordant, alpha)
    return float(_mixed(n, min(1.0, discordant), table))


def mcnemar_items_needed(
    only_a: ArrayLike, only_b: ArrayLike, *, power: float = 0.8, alpha: float = 0.05
) -> list[int | None]:
    """Give the number of items with which the exact McNemar test separates two models, pair by pair.

    The power of an exact test is a saw-tooth in n; the answer is the first n from which it stays at ``power``
    or above. Above 2,000 expected discordant items the answer is that of the normal approximation, Connor's
    with the correction for continuity, which differs there from the exact one by less than 1 %.

    Args:
        only_a: Shape (pairs,), share of items that only A gets right, in [0, 1].
        only_b: Shape (pairs,), share that only B gets right; the two add up to at most 1.
        power: Chance of finding the difference, in [alpha, 1).
        alpha: Two-sided level, in (0, 1).

    Returns:
        A number a pair; None where the shares are equal, as no number of items separates equals, or where
        it is above 10^15.

    Source:
        Connor 1987, "Sample size for testing differences in proportions for the paired-sample design";
        Lachenbruch 1992, "On the sample size for studies based upon McNemar's test".
    """
    a, b = finite_values(only_a, "only_a"), finite_values(only_b, "only_b")
    same_length(a, b, "only_a and only_b")
    _check(a, b, power, alpha)
    smooth = _approximate(a, b, power, alpha)
    return [
        _whole(_smallest(p, q, float(start), power, alpha))
        for p, q, start in zip(a.tolist(), b.tolist(), smooth, strict=True)
    ]


def _check(only_a: F64, only_b: F64, power: float, alpha: float) -> None:
    if not 0 < alpha < 1 or not min(alpha, 0.5) <= power < 1:
        raise ValueError(f"alpha is {alpha!r} and power {power!r}, expected 0 < alpha <= power < 1.")
    if (np.minimum(only_a, only_b) < 0).any() or (only_a + only_b > 1 + 1e-9).any():
        raise ValueError("Shares of discordant items are expected to be >= 0 and to add up to at most 1.")


def _approximate(only_a: F64, only_b: F64, power: float, alpha: float) -> F64:
    """Solve n gap - 1 = (z_a sqrt(discordant) + z_b sqrt(discordant - gap^2)) sqrt(n); inf for no gap.

    The 1 is the correction for continuity of a difference of counts, which moves in steps of 2.
    """
    gap, discordant = np.abs(only_a - only_b), only_a + only_b
    z = ndtri(1 - alpha / 2) * np.sqrt(discordant)
    z = z + ndtri(power) * np.sqrt(np.maximum(0, discordant - np.square(gap)))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        root = (z + np.sqrt(np.square(z) + 4 * gap)) / (2 * gap)
        return np.where(gap > 0, np.square(root), np.inf)


def _smallest(only_a: float, only_b: float, start: float, power: float, alpha: float) -> float:
    discordant = min(1.0, only_a + only_b)
    if start > MOST_ITEMS or start * discordant > _EXACT_DISCORDANT:
        return start
    end, smallest = 1.2 * start + 20, 0
    while not smallest:
        smallest = _search(only_a / (only_a + only_b), discordant, int(end), power, alpha)
        end *= 2
    return float(smallest)


def _whole(n: float) -> int | None:
    return math.ceil(n) if n <= MOST_ITEMS else None


@compiled()
def _powers_by_discordant(most: int, share: float, alpha: float) -> F64:
    """Chance that the test rejects given 0 .. most discordant items, each A's with probability ``share``.

    The two tails and the tail of a fair coin are carried from m to m + 1 items.
    """
    powers = np.zeros(most + 1)
    chances = np.array([0.5, share, 1 - share])
    at, below = np.ones(3), np.ones(3)
    critical = -1
    for m in range(1, most + 1):
        if critical < 0:
            for k in range(3):
                at[k] *= 1 - chances[k]
                below[k] = at[k]
            if 2 * below[0] > alpha:
                continue
            critical = 0
        else:
            for k in range(3):
                below[k] -= chances[k] * at[k]
                at[k] *= (1 - chances[k]) * m / (m - critical)
            ahead = at[0] * (m - critical) / (critical + 1)
            if 2 * (below[0] + ahead) <= alpha:
                for k in range(3):
                    if chances[k] < 1:
                        at[k] *= (m - critical) / (critical + 1) * chances[k] / (1 - chances[k])
                        below[k] += at[k]
                critical += 1
        powers[m] = min(1.0, max(0.0, below[1] + below[2]))
    return powers


@compiled()
def _mixed(n: int, discordant: float, powers: F64) -> float:
    """Mean of ``powers`` over the binomial number of discordant items, out from its mode."""
    if discordant >= 1:
        return float(powers[n])
    mode = min(n, int((n + 1) * discordant))
    weight = math.lgamma(n + 1.0) - math.lgamma(mode + 1.0) - math.lgamma(n - mode + 1.0)
    weight = math.exp(weight + mode * math.log(discordant) + (n - mode) * math.log1p(-discordant))
    odds = discordant / (1 - discordant)
    total, here = weight * powers[mode], weight
    for m in range(mode, 0, -1):
        here *= m / (n - m + 1) / odds
        total += here * powers[m - 1]
        if here < 1e-14:
            break
    here = weight
    for m in range(mode, min(n, len(powers) - 1)):
        here *= (n - m) / (m + 1) * odds
        total += here * powers[m + 1]
        if here < 1e-14:
            break
    return float(total)


@compiled()
def _search(share: float, discordant: float, end: int, power: float, alpha: float) -> int:
    """The first n up to ``end`` from which the power stays, or 0 where ``end`` has too little."""
    spread = math.sqrt(end * discordant * (1 - discordant))
    powers = _powers_by_discordant(min(end, int(end * discordant + 9 * spread + 20)), share, alpha)
    if _mixed(end, discordant, powers) < power:
        return 0
    low, high = 0, end
    while high - low > 1:
        middle = (low + high) // 2
        if _mixed(middle, discordant, powers) >= power:
            high = middle
        else:
            low = middle
    # Over a spread of three discordant items the teeth, two or three items wide, cancel out.
    last = high
    if high * discordant * (1 - discordant) < 9:
        for n in range(high, min(end, high + 20 + int(4 * math.sqrt(high) / discordant))):
            if _mixed(n, discordant, powers) < power:
                last = n + 1
    return last


MOST_ITEMS = 10**15
"""A difference that would need more items than this is taken for rounding noise."""


def items_needed_t(
    difference: float,
    paired_sd: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    design_effect: float = 1.0,
    items_per_cluster: float = 1.0,
) -> int | None:
    """Give the number of items with which the paired t test, or sign flips, separate two models.

    (z_{1 - alpha/2} + z_power)^2 x paired_sd^2 x design effect / difference^2, plus z_{1 - alpha/2}^2 / 2
    clusters, which is what estimating the standard deviation costs. Within two clusters of the noncentral t.
    Clusters keep their size, so that more items are more clusters.

    Args:
        difference: Mean difference between the models, in score units; the sign does not matter.
        paired_sd: Standard deviation over items of the per-item difference, in score units, >= 0.
        power: Chance of finding the difference, in [alpha, 1).
        alpha: Two-sided level, in (0, 1); small where many pairs are claimed at once.
        design_effect: Variance inflation by clusters, > 0.
        items_per_cluster: Mean number of items of a cluster, >= 1.

    Returns:
        At least as many as the 1 + log2(1 / alpha) clusters below which no flipping of signs is significant;
        None when the difference is 0, as no number of items separates equals, or above 10^15 items.

    Source:
        Guenther 1981, "Sample size formulas for normal theory t tests"; clusters as in Miller 2024,
        "Adding Error Bars to Evals".
    """
    if not math.isfinite(difference) or not 1 <= items_per_cluster < math.inf:
        raise ValueError(
            f"difference is {difference!r} and items_per_cluster {items_per_cluster!r}, expected a finite "
            "number and one of at least 1."
        )
    root = _z_sum(power, alpha) * math.sqrt(_item_variance(paired_sd, design_effect))
    if difference == 0 or root / abs(difference) > math.sqrt(MOST_ITEMS):
        return None
    estimate = (root / difference) ** 2 / items_per_cluster
    clusters = max(estimate + float(ndtri(1 - alpha / 2)) ** 2 / 2, 1 - math.log2(alpha))
    return math.ceil(round(clusters * items_per_cluster, 9))


def detectable_difference(
    n: int, paired_sd: float, *, power: float = 0.8, alpha: float = 0.05, design_effect: float = 1.0
) -> float | None:
    """Give the smallest difference that n items find with the stated power, by the z test.

    Returns:
        In score units, >= 0; ``None`` when n is 0.

    Source:
        Miller 2024, "Adding Error Bars to Evals", minimum detectable effect.
    """
    if n < 0:
        raise ValueError(f"n is {n!r}, expected 0 or more items.")
    if n == 0:
        return None
    return _z_sum(power, alpha) * math.sqrt(_item_variance(paired_sd, design_effect) / n)


def detectable_difference_t(
    n: int,
    paired_sd: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    design_effect: float = 1.0,
    items_per_cluster: float = 1.0,
) -> float | None:
    """Give the smallest difference that n items find by the paired t test: `items_needed_t` solved for it.

    Args:
        n: Items, >= 0.
        paired_sd: As in `items_needed_t`, as are the rest.
        power: Chance of finding the difference.
        alpha: Two-sided level.
        design_effect: Variance inflation by clusters.
        items_per_cluster: Mean number of items of a cluster.

    Returns:
        In score units, >= 0; None with too few clusters for any difference.
    """
    clusters = n / items_per_cluster
    spent = float(ndtri(1 - alpha / 2)) ** 2 / 2
    if clusters <= spent or clusters < 1 - math.log2(alpha):
        return None
    effective = (clusters - spent) * items_per_cluster
    return _z_sum(power, alpha) * math.sqrt(_item_variance(paired_sd, design_effect) / effective)


def power_of(
    n: int, difference: float, paired_sd: float, *, alpha: float = 0.05, design_effect: float = 1.0
) -> float | None:
    """Give the chance that n items find a difference, by the two-sided z test.

    Returns:
        In [alpha, 1], counting the far tail too, so a difference of 0 is found with chance alpha; ``None``
        when n is 0 or nothing varies.
    """
    if n < 0:
        raise ValueError(f"n is {n!r}, expected 0 or more items.")
    z = _z_sum(0.5, alpha)
    variance = _item_variance(paired_sd, design_effect)
    if n == 0 or variance == 0:
        return None
    distance = abs(difference) * math.sqrt(n / variance)
    return float(ndtr(distance - z) + ndtr(-distance - z))


def _z_sum(power: float, alpha: float) -> float:
    if not 0 < alpha < 1 or not alpha <= power < 1:
        raise ValueError(f"alpha is {alpha!r} and power {power!r}, expected 0 < alpha <= power < 1.")
    return float(ndtri(1 - alpha / 2) + ndtri(power))


def _item_variance(paired_sd: float, design_effect: float) -> float:
    if not 0 <= paired_sd < math.inf or not 0 < design_effect < math.inf:
        raise ValueError(
            f"paired_sd is {paired_sd!r} and design_effect {design_effect!r}, expected >= 0 and > 0, finite."
        )
    return paired_sd**2 * design_effect


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
