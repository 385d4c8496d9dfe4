"""Random draws that depend on a seed and names, not on the order in which they are asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np


def generator(seed: int, *names: str) -> np.random.Generator:
    """Give the generator that belongs to ``names`` under ``seed``.

    The same seed and names give the same draws on any machine, whatever else was drawn before, so that
    the order of the work and the number of workers cannot change a result.
    """
    return np.random.Generator(np.random.PCG64(_digest(16, seed, *names)))


def asking_order(items: Sequence[str], *, seed: int, kinds: Mapping[str, str] | None = None) -> list[str]:
    """Put items into the order in which they are to be asked: random, and each kind spread evenly over it."""
    by_kind: dict[str, list[tuple[float, str]]] = {}
    for item in sorted(items):
        by_kind.setdefault((kinds or {}).get(item, ""), []).append((_share(seed, "item", item), item))
    placed: list[tuple[float, float, str]] = []
    for kind, of_kind in by_kind.items():
        start = _share(seed, "kind", kind)
        ranked = enumerate(sorted(of_kind))
        placed += [((rank + start) / len(of_kind), drawn, item) for rank, (drawn, item) in ranked]
    return [item for _, _, item in sorted(placed)]


def _share(seed: int, *names: str) -> float:
    """A number in [0, 1) that belongs to names under a seed."""
    return _digest(8, seed, *names) / 2**64


def _digest(size: int, seed: int, *names: str) -> int:
    parts = [part.encode("utf-8", "surrogatepass") for part in (str(seed), *names)]
    whole = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    return int.from_bytes(hashlib.blake2b(whole, digest_size=size).digest(), "little")
