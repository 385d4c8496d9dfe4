"""The order in which items are asked: random, fixed by a seed, and each kind spread evenly over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b


def asking_order(
    items: Sequence[str],
    *,
    seed: int,
    kinds: Mapping[str, str] | None = None,
    clusters: Mapping[str, str] | None = None,
) -> list[str]:
    """Put items into the order in which they are to be asked."""
    of_kind, of_cluster = kinds or {}, clusters or {}
    members: dict[tuple[bool, str], list[str]] = {}
    for item in sorted(items):
        cluster = of_cluster.get(item)
        members.setdefault((cluster is None, item if cluster is None else cluster), []).append(item)
    by_kind: dict[str, list[tuple[float, list[str]]]] = {}
    for (alone, name), together in members.items():
        kind = of_kind.get(together[0], "")
        drawn = _drawn(seed, "item" if alone else "cluster", name)
        by_kind.setdefault(kind, []).append(
            (drawn, sorted(together, key=lambda one: _drawn(seed, "in", one)))
        )
    placed: list[tuple[float, float, list[str]]] = []
    for kind, units in by_kind.items():
        start = _drawn(seed, "kind", kind)
        ranked = sorted(units)
        placed += [((rank + start) / len(units), drawn, unit) for rank, (drawn, unit) in enumerate(ranked)]
    return [item for _, _, unit in sorted(placed) for item in unit]


def _drawn(seed: int, *names: str) -> float:
    """A number in [0, 1) that belongs to names under a seed."""
    parts = [part.encode("utf-8", "surrogatepass") for part in (str(seed), *names)]
    whole = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    return int.from_bytes(blake2b(whole, digest_size=8).digest(), "little") / 2**64
