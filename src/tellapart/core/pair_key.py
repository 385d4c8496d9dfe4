"""The key of figures by pair."""

from __future__ import annotations


def pair_key(a: str, b: str) -> str:
    r"""Write a pair of names as one key, different pairs as different keys."""
    return "|".join(name.replace("\\", r"\\").replace("|", r"\|") for name in (a, b))
