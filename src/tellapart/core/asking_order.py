"""The order in which items are asked: random, fixed by a seed, and each kind spread evenly over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b


def asking_order(items: Sequence[str], *, seed: int, kinds: Mapping[str, str] | None = None) -> list[str]:
    """Put items into the order in which they are to be asked."""
    by_kind: dict[str, list[tuple[float, str]]] = {}
    for item in sorted(items):
        by_kind.setdefault((kinds or {}).get(item, ""), []).append((_drawn(seed, "item", item), item))
    placed: list[tuple[float, float, str]] = []
    for kind, drawn_items in by_kind.items():
        start = _drawn(seed, "kind", kind)
        placed += [
            ((rank + start) / len(drawn_items), drawn, item)
            for rank, (drawn, item) in enumerate(sorted(drawn_items))
        ]
    return [item for _, _, item in sorted(placed)]


def _drawn(seed: int, *names: str) -> float:
    """A number in [0, 1) that belongs to names under a seed."""
    parts = [part.encode("utf-8", "surrogatepass") for part in (str(seed), *names)]
    whole = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    return int.from_bytes(blake2b(whole, digest_size=8).digest(), "little") / 2**64
