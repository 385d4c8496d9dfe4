"""How often training will see each legacy item, and what would bring that back to a healthy number."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor

from scipy.special import betaincc

from tellapart.bundles.exposure_plan import ExposurePlan
from tellapart.bundles.rounding import DECIMALS, rounded
from tellapart.core.record import Record

HEALTHY, WARNING, CRITICAL = 50, 30, 10
"""Expected exposures from which each status holds; below the last it is severe."""

ACTIONS: Mapping[str, str] = {
    "healthy": "No action needed",
    "warning": "Monitor frozen tier3 closely",
    "critical": "Consider increasing legacy ratio",
    "severe": "Regression highly likely",
}
"""What the source document recommends, by status."""


class Restoring(Record):
    """What would make exposure just healthy, one value changed and all others as they are.

    Of a plan that is healthy already it is what could be given up: the least ratio and steps, and the
    largest pool, that keep it so.

    Attributes:
        legacy_ratio: The least one, rounded up at 12 decimals; None where it would be above 1.
        steps: The fewest; None where no number is enough.
        pool_size: The largest; None where it would be below 1.
    """

    legacy_ratio: float | None
    steps: int | None
    pool_size: int | None


class Exposure(Record):
    """How often a plan shows each legacy item.

    Attributes:
        exposure: Expected exposures of each item, 0 or more.
        status: One of ``ACTIONS``.
        action: What to do about it.
        to_restore: What would make it just healthy.
        why_not: Why a part of ``to_restore`` is None, by its name.
        seen_fewer: Expected share of the pool that is seen fewer than 50, 30 and 10 times, in [0, 1].
    """

    plan: ExposurePlan
    exposure: float
    status: str
    action: str
    to_restore: Restoring
    why_not: dict[str, str]
    seen_fewer: dict[str, float]


def exposure(plan: ExposurePlan) -> Exposure:
    """Work out the exposure of legacy items; a value at a threshold belongs to the better status.

    Decimals count as they are written, so that a plan for exactly 50 exposures is healthy and what
    ``to_restore`` gives, put into the plan, always is.

    Source:
        "Crucible Metrics Reference", Exposure Probability & Dilution Detection. ``to_restore`` and
        ``seen_fewer`` are ours.
    """
    expected = _legacy_draws(plan) / plan.pool_size
    status = level(expected)
    restoring, why_not = _to_restore(plan)
    return Exposure(
        plan=plan,
        exposure=rounded(float(expected)),
        status=status,
        action=ACTIONS[status],
        to_restore=restoring,
        why_not=why_not,
        seen_fewer={str(k): _seen_fewer(plan, k) for k in (HEALTHY, WARNING, CRITICAL)},
    )


def level(expected: Fraction) -> str:
    """Name the level of an expected exposure: one of ``ACTIONS``."""
    limits = zip((HEALTHY, WARNING, CRITICAL), ACTIONS, strict=False)
    return next((name for limit, name in limits if expected >= limit), "severe")


def _to_restore(plan: ExposurePlan) -> tuple[Restoring, dict[str, str]]:
    why_not: dict[str, str] = {}
    wanted = HEALTHY * plan.pool_size
    tier3_draws = plan.steps * plan.batch_size * exact(plan.tier3_probability)
    by_step = plan.batch_size * exact(plan.tier3_probability) * exact(plan.legacy_ratio)
    ratio = wanted / tier3_draws if tier3_draws else None
    if ratio is None:
        why_not["legacy_ratio"] = "nothing is drawn from tier 3"
    elif ratio > 1:
        why_not["legacy_ratio"] = f"it would have to be {float(ratio):.4g}, above 1"
        ratio = None
    if not by_step:
        why_not["steps"] = "no step draws from the legacy pool"
    pool_size = floor(_legacy_draws(plan) / HEALTHY)
    if pool_size < 1:
        why_not["pool_size"] = f"not even a pool of one item would be seen {HEALTHY} times"
    return (
        Restoring(
            legacy_ratio=None if ratio is None else ceil(ratio * 10**DECIMALS) / 10**DECIMALS,
            steps=ceil(wanted / by_step) if by_step else None,
            pool_size=pool_size if pool_size >= 1 else None,
        ),
        why_not,
    )


def _seen_fewer(plan: ExposurePlan, k: int) -> float:
    """Chance that an item is seen fewer than k times: binomial, each place in a batch drawn by itself."""
    places = plan.steps * plan.batch_size
    if places < k:
        return 1.0
    chance = plan.tier3_probability * plan.legacy_ratio / plan.pool_size
    return rounded(float(betaincc(k, places - k + 1, chance)))


def _legacy_draws(plan: ExposurePlan) -> Fraction:
    draws = plan.steps * plan.batch_size
    return draws * exact(plan.tier3_probability) * exact(plan.legacy_ratio)


def exact(share: float) -> Fraction:
    """The decimal that was written, where ``Fraction(share)`` would be the nearest binary number."""
    return Fraction(repr(float(share)))
