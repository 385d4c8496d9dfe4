"""The key of figures by pair."""

from __future__ import annotations


def pair_key(a: str, b: str) -> str:
    r"""Write a pair of names as one key, different pairs as different keys.

    Args:
        a: A name, such as of a model or of a kind of items.
        b: Another.

    Returns:
        ``a|b``; a bar inside a name is written ``\|`` and a backslash ``\\``.
    """
    return "|".join(name.replace("\\", r"\\").replace("|", r"\|") for name in (a, b))
