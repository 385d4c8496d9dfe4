"""Lineups of a candidate: independent draws of negatives from its pool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tellapart.bundles.mining.settings import Settings
from tellapart.core.randomness import generator
from tellapart.embed.protocol import I64

_NEVER = 2.0


def draw_lineups(names: Sequence[tuple[str, str]], sizes: I64, settings: Settings) -> I64:
    """Draw places in pools, without replacement inside a lineup, each candidate from its own generator.

    Args:
        names: Of each candidate the ids of anchor and positive, which its draws depend on and on nothing else
            but the size of its pool.
        sizes: Shape (candidates,), of the pools, each at least ``negatives_per_lineup``.
        settings: How many lineups of how many negatives.

    Returns:
        Shape (candidates, lineups, negatives), places in each candidate's pool. The first lineups are the
        same however many there are.
    """
    widest = int(sizes.max(initial=settings.negatives_per_lineup))
    keys = np.full((len(names), settings.lineups, widest), _NEVER)
    for i, ((anchor, positive), size) in enumerate(zip(names, sizes.tolist(), strict=True)):
        rng = generator(settings.seed, "lineups", anchor, positive)
        keys[i, :, :size] = rng.random((settings.lineups, size))
    return np.argsort(keys, axis=2, kind="stable")[:, :, : settings.negatives_per_lineup].astype(np.int64)
