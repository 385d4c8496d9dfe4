"""Cautions: what decides how much figures by tier, and comparisons of scoreboards, are worth."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import polars as pl

from tellapart.bundles.difficulty import LevelItems, LevelStep, check_levels, disorder
from tellapart.bundles.tier_names import TIERS
from tellapart.bundles.tier_stats import cluster_numbers
from tellapart.bundles.tiers import TierCuts
from tellapart.errors import InputError
from tellapart.files import RowFaults
from tellapart.report.numbers import listed, percent

MANY = 0.01
"""Ties are worth a warning above this share of the bundles."""

FREEZE_TIERS = "to compare models by tier, write tiers into the eval first: tellapart bundles tier"


def score_cautions(scores: pl.DataFrame, cuts: TierCuts | None) -> tuple[str, ...]:
    """Everything to beware of in the scores of one model."""
    if cuts is None:
        tiers = [_untiered(scores), tier_caution(scores)]
    else:
        cut_by_model = f"this eval has no tiers, so they were cut by this model's own danger; {FREEZE_TIERS}"
        tiers = [cut_by_model, *tier_cautions(cuts)]
    return tuple(caution for caution in (_ties(scores), *tiers) if caution)


def tier_cautions(cuts: TierCuts) -> tuple[str, ...]:
    """Say where ties at a cut moved many bundles, and which tiers are empty."""
    cautions = [
        f"ties at the cut between tier {i} and tier {i + 1} (danger {cutoff:.6g}) moved {percent(share)} of "
        "the bundles into the easier tier"
        for i, (cutoff, share) in enumerate(zip(cuts.cutoffs or (), cuts.tied, strict=False), start=1)
        if share > MANY
    ]
    if empty := [tier for tier, count in cuts.tier_distribution.items() if not count]:
        cautions.append(
            f"no bundle is in {', '.join(empty)}, so there are no figures of it and no gate on it can pass"
        )
    return tuple(cautions)


def settle(problems: RowFaults, where: object, what: str, left: int, *, skip_invalid: bool) -> list[str]:
    """Refuse bad rows that are not to be skipped, or of which nothing is left; say what is left out."""
    if not skip_invalid:
        problems.refuse()
    counts = ", ".join(f"{count} {cause}" for cause, count in sorted(problems.counts.items()))
    left_out = [f"left out {problems.n_rows} bad row(s): {counts}"] if counts else []
    if not left:
        raise InputError(f"no {what}: {next(iter(left_out), 'there are no rows')}", where=where)
    return left_out


def _ties(scores: pl.DataFrame) -> str | None:
    tied = scores.filter(pl.col("ties") > 0).height
    if tied <= MANY * scores.height:
        return None
    return (
        f"in {tied} of {scores.height} bundles ({percent(tied / scores.height)}) the positive ties with a "
        "negative. A tie fails but ranks 1: read expected_rank and mrr, which average over ties"
    )


def _untiered(scores: pl.DataFrame) -> str | None:
    missing = scores["tier"].null_count()
    if not missing:
        return None
    return f"{missing} of {scores.height} bundles have no tier: they count in 'overall' alone; {FREEZE_TIERS}"


def check_tiers(*runs: pl.DataFrame) -> tuple[LevelStep, ...]:
    """Test that the pass rate rises from no tier to a harder one, in one run or several of one condition."""
    first = runs[0]
    clusters = cluster_numbers(first)
    passed = np.mean([(run["margin"] > 0).cast(pl.Float64).to_numpy() for run in runs], axis=0)
    tiers = [(tier, first["tier"].eq_missing(tier).to_numpy()) for tier in TIERS]
    return check_levels(
        [LevelItems(tier, passed[inside], clusters[inside]) for tier, inside in tiers if inside.any()]
    )


def tier_caution(scores: pl.DataFrame) -> str | None:
    """Say that tiers do not order difficulty for a model, as every verdict on its scores must."""
    return disorder({scores["model"][0]: check_tiers(scores)})


CUT_FROM = 10
"""Fewer bundles than this can be in the order of their margins by chance."""


def model_cautions(scores: Mapping[str, pl.DataFrame]) -> tuple[str, ...]:
    """Say what decides how much a verdict on the scores of models is worth, each thing once for all."""
    own = [model for model, of_model in scores.items() if is_own_cut(of_model)]
    steps = {name: check_tiers(of) for name, of in scores.items() if name not in own and of.height}
    itself, its, it = ("itself", "its", "it") if len(own) == 1 else ("themselves", "their", "them")
    cut = (
        f"the tiers were cut by the margins of {listed(own)} {itself}, so {its} pass rates by tier follow "
        f"from the cut and say nothing about {it}"
    )
    return tuple(filter(None, [cut if own else None, disorder(steps)]))


def is_own_cut(scores: pl.DataFrame) -> bool:
    """Whether the tiers lie one below the other in this model's own margins.

    Then they were cut by its own danger, equal margins into one tier, and its pass rate in a tier follows
    from the cut.
    """
    margins = (scores.filter(pl.col("tier") == tier)["margin"].to_numpy() for tier in TIERS)
    in_tiers = [of_tier for of_tier in margins if len(of_tier)]
    if len(in_tiers) < 2 or scores.height < CUT_FROM:
        return False
    return all(bool(easier.min() > harder.max()) for easier, harder in pairwise(in_tiers))
