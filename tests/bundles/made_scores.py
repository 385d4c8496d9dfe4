"""Score frames from margins, as ``score_items`` gives them."""

import polars as pl

from tellapart.bundles.scoring import SCORE_SCHEMA


def scores(margins, tiers=None, *, model="m", clusters=None, items=None, ranks=None, ties=None):
    """One bundle a margin; a rank of 1 or, failing, 2, and as many ties as said."""
    n = len(margins)
    ranks = ranks or [1 if margin >= 0 else 2 for margin in margins]
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
        "ties": ties or [0] * n,
        "expected_rank": ranks,
        "reciprocal_rank": [1 / rank for rank in ranks],
        "top3": [float(rank <= 3) for rank in ranks],
        "top5": [float(rank <= 5) for rank in ranks],
        "negatives": [5] * n,
        "hardest_negative": [0] * n,
    }
    return pl.DataFrame(
        [pl.Series(name, columns[name], dtype=kind, strict=False) for name, kind in SCORE_SCHEMA.items()]
    )
