"""Which units are asked about: a sample that is like all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import pairwise

from tellapart.extraction.unit import Unit


def pick_targets(
    units: Sequence[Unit],
    summarised: Sequence[int],
    count: int,
    seed: int,
) -> list[int]:
    """Pick targets that are like the units they are picked from.

    There is one from each slice by language, type and
    length. Long code is near to more summaries than short code is, whatever they say, so a sample that
    happens to have too much of one sort is above or below chance on other units' summaries. Slices leave no
    room for it.
    """
    if count >= len(summarised):
        return sorted(summarised)

    def lot(i: int) -> bytes:
        return hashlib.sha256(f"{seed}\n{units[i].id}".encode()).digest()

    def order_key(i: int) -> tuple[str, str, int, str]:
        return units[i].language, units[i].type, len(units[i].content), units[i].id

    ordered = sorted(summarised, key=order_key)
    edges = [len(ordered) * k // count for k in range(count + 1)]
    return sorted(min(ordered[low:high], key=lot) for low, high in pairwise(edges))
