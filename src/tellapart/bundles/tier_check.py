"""Tier check: whether the tiers that came with an eval order difficulty for the model that was scored."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from tellapart.bundles.tier_stats import cluster_numbers
from tellapart.bundles.tiers import TIERS
from tellapart.core.stats import holm_known, rate_fall


@dataclass(frozen=True)
class TierStep:
    """From a tier to the next one that has bundles.

    Attributes:
        tiers: The two, the easier one first.
        pass_rates: Of each, in [0, 1].
        n: Bundles in each.
        p_falls: One-sided p of "the pass rate does not fall", clustered on the anchor; None where ``reason``
            says why.
        p_rises: One-sided p of "it does not rise", after Holm over the steps.
        reason: Why there is no p.
    """

    tiers: tuple[str, str]
    pass_rates: tuple[float, float]
    n: tuple[int, int]
    p_falls: float | None
    p_rises: float | None
    reason: str | None

    @property
    def falls(self) -> bool:
        """Whether the harder tier has the lower pass rate."""
        return self.pass_rates[1] < self.pass_rates[0]


def check_tiers(scores: pl.DataFrame) -> tuple[TierStep, ...]:
    """Test that the pass rate falls from each tier to the next.

    Args:
        scores: Rows of ``SCORE_SCHEMA`` of one model; those without a tier are left out. Tiers that were cut
            by this model's own danger fall by construction, so test only those that came with the data.

    Returns:
        A step for each two neighbouring tiers that have bundles, as ``rate_fall`` tests it.
    """
    numbered = scores.select("tier", pl.col("margin") > 0).with_columns(cluster=cluster_numbers(scores))
    groups = [(tier, numbered.filter(pl.col("tier") == tier)) for tier in TIERS]
    pairs = list(pairwise((tier, group) for tier, group in groups if group.height))
    falls = [rate_fall(a["margin"], b["margin"], a["cluster"], b["cluster"]) for (_, a), (_, b) in pairs]
    adjusted = holm_known([fall.p_rises for fall in falls])
    return tuple(
        TierStep(
            tiers=(easier, harder),
            pass_rates=(_share(a["margin"]), _share(b["margin"])),
            n=fall.n,
            p_falls=fall.p_falls,
            p_rises=p_rises,
            reason=fall.reason,
        )
        for ((easier, a), (harder, b)), fall, p_rises in zip(pairs, falls, adjusted, strict=True)
    )


def _share(passed: pl.Series) -> float:
    return int(passed.sum()) / len(passed)


def disorder(steps: tuple[TierStep, ...]) -> str | None:
    """Say that tiers do not order difficulty, and where; None where the pass rate falls at every step."""
    wrong = [_sentence(step) for step in steps if not step.falls]
    return f"tiers do not order difficulty for this model: {'; '.join(wrong)}" if wrong else None


def _sentence(step: TierStep) -> str:
    (easier, harder), (before, after), (n_before, n_after) = step.tiers, step.pass_rates, step.n
    change = (
        f"pass rate is {100 * before:.1f} % in {easier} (n = {n_before}) and {100 * after:.1f} % "
        f"in {harder} (n = {n_after})"
    )
    if before == after:
        return change
    if step.p_rises is None:
        return f"{change}, untested: {step.reason}"
    p = "p < 0.001" if step.p_rises < 0.001 else f"p = {step.p_rises:.3f}"
    return f"{change}, {p} of no rise{'' if step.p_rises < 0.05 else ', which may be chance'}"
