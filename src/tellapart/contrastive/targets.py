"""Which units are asked about: a sample that is like all of them, or one of another kind."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from tellapart.extraction.unit import Unit

Sampling = Literal["stratified", "random", "files"]


def pick_targets(
    units: Sequence[Unit],
    summarised: Sequence[int],
    count: int,
    seed: int,
    sampling: Sampling = "stratified",
) -> list[int]:
    """Pick targets.

    ``stratified`` targets are like the units they are picked from: one from each slice by language, type and
    length. Long code is near to more summaries than short code is, whatever they say, so a sample that
    happens to have too much of one sort is above or below chance on other units' summaries. Slices leave no
    room for it. ``random`` takes each unit with the same probability. ``files`` takes one unit of each file
    at random before it takes a second of any, so that few targets share a file.
    """
    if count >= len(summarised):
        return sorted(summarised)

    def lot(i: int) -> bytes:
        return hashlib.sha256(f"{seed}\n{units[i].id}".encode()).digest()

    if sampling == "random":
        return sorted(sorted(summarised, key=lot)[:count])
    if sampling == "files":
        turn: Counter[str] = Counter()
        turns: list[tuple[int, bytes, int]] = []
        for i in sorted(summarised, key=lot):
            turns.append((turn[units[i].path], lot(i), i))
            turn[units[i].path] += 1
        return sorted(i for _, _, i in sorted(turns)[:count])

    def order_key(i: int) -> tuple[str, str, int, str]:
        return units[i].language, units[i].type, len(units[i].content), units[i].id

    ordered = sorted(summarised, key=order_key)
    edges = [len(ordered) * k // count for k in range(count + 1)]
    return sorted(min(ordered[low:high], key=lot) for low, high in pairwise(edges))
