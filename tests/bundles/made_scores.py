"""Score frames from margins, as ``score_items`` gives them."""

from functools import cache

import polars as pl

from tellapart.bundles.scoring import SCORE_SCHEMA


@cache
def within(k, rank, ties):
    """The chance of a place among the first k, tied ones in any order."""
    return sum(place <= k for place in range(rank, rank + ties + 1)) / (ties + 1)


@cache
def reciprocal(rank, ties):
    """The mean of one by the place, tied ones in any order."""
    return sum(1 / place for place in range(rank, rank + ties + 1)) / (ties + 1)


def scores(margins, tiers=None, *, model="m", clusters=None, items=None, ranks=None, ties=None):
    """One bundle a margin; a rank of 1 or, failing, 2, and as many ties as said."""
    n = len(margins)
    ranks = ranks or [1 if margin >= 0 else 2 for margin in margins]
    ties = ties or [0] * n
    items = items or [f"b{i:03}" for i in range(n)]
    columns = {
        "model": [model] * n,
        "item": items,
        "score": [float(margin > 0) for margin in margins],
        "missing": [None] * n,
        "replicate": [0] * n,
        "cluster": clusters or items,
        "tier": tiers or ["tier3_adversarial"] * n,
        "margin": margins,
        "rank": ranks,
        "ties": ties,
        "expected_rank": [rank + tied / 2 for rank, tied in zip(ranks, ties, strict=True)],
        "reciprocal_rank": [reciprocal(rank, tied) for rank, tied in zip(ranks, ties, strict=True)],
        "top3": [within(3, rank, tied) for rank, tied in zip(ranks, ties, strict=True)],
        "top5": [within(5, rank, tied) for rank, tied in zip(ranks, ties, strict=True)],
        "negatives": [5] * n,
        "hardest_negative": [0] * n,
    }
    return pl.DataFrame(
        [pl.Series(name, columns[name], dtype=kind, strict=False) for name, kind in SCORE_SCHEMA.items()]
    )
