"""Two models on the same bundles: every figure of every tier, its delta and a paired test of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs

from tellapart.bundles.rounding import rounded, rounded_ends
from tellapart.bundles.tier_stats import MEANS, QUANTILES, SHARES, TierStats, tier_stats
from tellapart.bundles.tiers import TIERS
from tellapart.core.randomness import generator
from tellapart.core.stats import discordant, holm_known, paired_difference, quantile_differences
from tellapart.core.stats.samples import NO_VARIATION

Figures = dict[str, Any]

SCOPES = ("overall", *TIERS)
"""What has figures: all bundles, and each tier."""

FAMILY = (
    "Holm, figure by figure, over the tests of that figure there are: overall and every tier, at most "
    f"{len(SCOPES)}"
)
"""What ``p_holm`` is adjusted for."""

RESAMPLES = 2000
_SIGNIFICANT = 9


def compare_scores(a: pl.DataFrame, b: pl.DataFrame, *, names: tuple[str, ...]) -> Figures:
    """Compare the scores of a candidate B with those of a baseline A.

    Each figure is an object of ``a``, ``b`` and ``delta`` = b - a over the bundles that each has; and, over
    the bundles that both have, joined by id: ``delta_shared``, its 95 % interval ``ci``, the two-sided ``p``
    of a paired ``test``, and ``p_holm``, see ``FAMILY``; ``reason`` says why something of these is None.
    Where both have every bundle in the same tier, swapping A and B turns signs round and keeps p; else that
    holds of ``overall`` alone, and there not of ``p_holm``. The order of rows is irrelevant.

    Args:
        a: Rows of ``SCORE_SCHEMA`` of one model.
        b: Those of another. In a tier are the bundles that A has there, and of those that A lacks, the ones
            that B has there.
        names: Seed the bootstrap, in any order: what was compared on.

    Returns:
        ``tiers``: by ``SCOPES`` and figure of ``TierStats``; ``items``: bundles in ``a``, in ``b``,
        ``shared`` by both, of these ``moved``, whose tier differs in B, and ``reshaped``, whose number of
        negatives does.
    """
    candidate = _in_tiers_of(a, b)
    shared = a.join(candidate, on="item", suffix="_b").sort("item")
    own_tiers = b.select("item", pl.col("tier").alias("own"))
    tiers = {
        scope: _compare_scope(
            in_scope(a, scope), in_scope(candidate, scope), in_scope(shared, scope), (*names, scope)
        )
        for scope in SCOPES
    }
    for figure in tiers["overall"]:
        _adjust([found[figure] for found in tiers.values()])
    moved = shared.join(own_tiers, on="item").filter(pl.col("tier").ne_missing(pl.col("own")))
    reshaped = shared.filter(pl.col("negatives") != pl.col("negatives_b"))
    return {
        "items": {
            "a": a.height,
            "b": b.height,
            "shared": shared.height,
            "moved": moved.height,
            "reshaped": reshaped.height,
        },
        "tiers": tiers,
    }


def in_scope(frame: pl.DataFrame, scope: str) -> pl.DataFrame:
    """Rows of one of ``SCOPES``."""
    return frame if scope == "overall" else frame.filter(pl.col("tier") == scope)


def _in_tiers_of(a: pl.DataFrame, b: pl.DataFrame) -> pl.DataFrame:
    known = a.select("item", pl.col("tier").alias("tier_of_a"), pl.lit(True).alias("known"))
    tier = pl.when(pl.col("known").is_null()).then("tier").otherwise("tier_of_a").alias("tier")
    return b.join(known, on="item", how="left").with_columns(tier).drop("tier_of_a", "known")


def _compare_scope(a: pl.DataFrame, b: pl.DataFrame, shared: pl.DataFrame, names: tuple[str, ...]) -> Figures:
    before, after = tier_stats(a), tier_stats(b)
    tests = _paired_tests(shared) | _quantile_tests(shared, names)
    tests["accuracy"] = tests["correct"] = tests["pass_rate"]
    untested = {
        "p": None,
        "ci": None,
        "delta_shared": None,
        "test": None,
        "reason": "a number of bundles is not tested",
    }
    found = {
        name: _figure(before, after, name, tests.get(name, untested))
        for name in TierStats.model_fields
        if name != "ci95"
    }
    found["n"]["shared"] = shared.height
    for count in ("correct", "ties"):
        # What was tested is a share.
        found[count]["ci"] = found[count]["delta_shared"] = None
    return found


def _figure(before: TierStats, after: TierStats, name: str, test: Figures) -> Figures:
    a, b = getattr(before, name), getattr(after, name)
    delta = None if a is None or b is None else rounded(b - a)
    empty = [side for side, stats in (("A", before), ("B", after)) if not stats.n]
    missing = {"reason": f"no bundles in {' and '.join(empty)}"} if empty else {}
    return {"a": a, "b": b, "delta": delta, "p": None, "p_holm": None, **test, **missing}


def _paired_tests(shared: pl.DataFrame) -> dict[str, Figures]:
    """Test means by t; shares exactly where each bundle is 0 or 1 and has an anchor of its own, else by t."""
    clusters = _anchors(shared)
    rows = {"pass_rate": pl.col("margin") > 0, "ties": pl.col("ties") > 0}
    rows |= {name: pl.col(column) for name, column in (SHARES | MEANS).items()}
    values = shared.select(value.cast(pl.Float64).alias(name) for name, value in rows.items())
    of_b = shared.select(cs.ends_with("_b").name.map(lambda name: name.removesuffix("_b")))
    values_b = of_b.select(value.cast(pl.Float64).alias(name) for name, value in rows.items())
    return {
        name: _paired(values[name].to_numpy(), values_b[name].to_numpy(), clusters, exact=name not in MEANS)
        for name in rows
    }


def _anchors(shared: pl.DataFrame) -> np.ndarray:
    """Number the clusters of A in the order of their names."""
    return shared["cluster"].rank("dense").to_numpy()


def _paired(a: np.ndarray, b: np.ndarray, clusters: np.ndarray, *, exact: bool) -> Figures:
    difference = paired_difference(b, a, clusters)
    by_mcnemar = exact and difference.binary and difference.n_clusters == difference.n
    p = difference.p_mcnemar if by_mcnemar else difference.p_clustered
    clustered = "" if difference.n_clusters == difference.n else ", clustered on the anchor"
    counts: Figures = {}
    if exact and difference.binary:
        split = discordant(a, b)
        counts = {"only_a": split.only_a, "only_b": split.only_b}
    return {
        "p": _p(p),
        "ci": rounded_ends(difference.interval),
        "delta_shared": rounded(difference.difference),
        "test": None if p is None else "exact McNemar" if by_mcnemar else f"paired t{clustered}",
        "reason": _why(difference.reason, difference.n, difference.difference),
        **counts,
    }


def _quantile_tests(shared: pl.DataFrame, names: tuple[str, ...]) -> dict[str, Figures]:
    found = quantile_differences(
        shared["margin_b"].to_numpy(),
        shared["margin"].to_numpy(),
        list(QUANTILES.values()),
        rng=generator(0, *sorted(names)),
        clusters=_anchors(shared),
        resamples=RESAMPLES,
    )
    return {
        name: {
            "p": _p(one.p_value),
            "ci": rounded_ends(one.interval),
            "delta_shared": rounded(one.difference),
            "test": None
            if one.p_value is None
            else "paired bootstrap" + ("" if one.n_clusters == one.n else ", clustered on the anchor"),
            "reason": _why(one.reason, one.n, one.difference),
        }
        for name, one in zip(QUANTILES, found, strict=True)
    }


def _adjust(figures: list[Figures]) -> None:
    """Set ``p_holm`` of the figures whose p is known."""
    for figure, adjusted in zip(figures, holm_known([figure["p"] for figure in figures]), strict=True):
        figure["p_holm"] = _p(adjusted)


def _why(reason: str | None, n: int, difference: float | None) -> str | None:
    """Say in terms of bundles why something is undefined."""
    if not n:
        return "no bundle is in both"
    if reason == NO_VARIATION:
        return "no bundle differs" if difference == 0 else "all bundles differ equally"
    return reason


def _p(value: float | None) -> float | None:
    """Significant digits, not decimals: a small p is not 0."""
    return None if value is None else float(f"{value:.{_SIGNIFICANT}g}")
