"""The bundles that are there already: what mining must not give again, and how dangerous they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from tellapart.bundles.tiers import TIERS
from tellapart.core.bundle import content
from tellapart.embed.protocol import F64

QUANTILE = 0.9
"""Of the existing bundles' danger, by linear interpolation: where a calibrated threshold lies."""


@dataclass(frozen=True)
class Existing:
    """Bundles by content, white space aside.

    Attributes:
        pairs: Anchors and positives.
        lineups: Anchors and sets of negatives.
    """

    pairs: frozenset[tuple[str, str]] = frozenset()
    lineups: frozenset[tuple[str, frozenset[str]]] = frozenset()

    def has(self, anchor: str, positive: str, negatives: Iterable[str]) -> bool:
        """Whether a bundle with the same anchor and positive, or the same anchor and negatives, is there."""
        own = content(anchor)
        if (own, content(positive)) in self.pairs:
            return True
        return (own, frozenset(map(content, negatives))) in self.lineups


def existing_bundles(batches: Iterable[pl.DataFrame]) -> Existing:
    """Remember bundles, given as batches of ``BATCH_SCHEMA``, whatever their tier."""
    pairs: set[tuple[str, str]] = set()
    lineups: set[tuple[str, frozenset[str]]] = set()
    for batch in batches:
        for anchor, positive, negatives in batch.select("anchor", "positive", "negatives").iter_rows():
            pairs.add((content(anchor), content(positive)))
            lineups.add((content(anchor), frozenset(map(content, negatives))))
    return Existing(frozenset(pairs), frozenset(lineups))


def calibrated_threshold(danger: F64, tiers: pl.Series) -> float | None:
    """The danger that a tenth of the existing adversarial bundles exceeds.

    Args:
        danger: Shape (bundles,), under the embedder that mines.
        tiers: Shape (bundles,), one of ``TIERS``, or null throughout, where all bundles count as adversarial.

    Returns:
        Quantile .9 by linear interpolation; None where there is no adversarial bundle.
    """
    adversarial = tiers.fill_null("") == TIERS[2]
    counted = danger if tiers.null_count() == len(tiers) else danger[adversarial.to_numpy()]
    return float(np.quantile(counted, QUANTILE)) if len(counted) else None
