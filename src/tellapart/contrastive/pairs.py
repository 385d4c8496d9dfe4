"""Every two models on the items that both have a score for."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl

from tellapart.contrastive.figures import Figures, interval
from tellapart.contrastive.replicates import once
from tellapart.core.stats import holm_known, items_needed, items_needed_interval, paired_difference


def pairs(items: pl.DataFrame) -> list[Figures]:
    """Compare every two models on the items that both have a score for.

    Args:
        items: Rows of ``ITEM_SCHEMA``; several rows of an item count once, by their mean.

    Returns:
        For each pair in ascending order of names: the difference in accuracy (first minus second) with its
        interval, both clustered on the file, its p (by t; exact McNemar beside it where all scores are 0 or
        1), p after Holm over the pairs, and the items needed to separate the two at 80 % power and 5 %, with
        their range over the interval; None stands for "no number of items".
    """
    wide = once(items).pivot("model", index=["item", "path"], values="correct")
    names = sorted(set(items["model"]))
    found = [_pair(wide, a, b) for a, b in combinations(names, 2)]
    for pair, adjusted in zip(found, holm_known([pair["p"] for pair in found]), strict=True):
        pair["p_holm"] = adjusted
    return found


def _pair(wide: pl.DataFrame, a: str, b: str) -> Figures:
    first, second = (wide[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in (a, b))
    difference = paired_difference(first, second, wide["path"].to_numpy())
    known = difference.difference is not None and difference.sd is not None
    needed = items_needed(difference.difference, difference.sd) if known else None  # type: ignore[arg-type]
    span = (
        items_needed_interval(difference.interval, difference.sd)
        if difference.interval is not None and difference.sd is not None
        else (None, None)
    )
    return {
        "a": a,
        "b": b,
        "n": difference.n,
        "difference": difference.difference,
        "ci": interval(difference.interval),
        "p": difference.p_clustered,
        "p_mcnemar": difference.p_mcnemar,
        "p_holm": None,
        "items_needed": needed,
        "items_needed_range": list(span),
    }
