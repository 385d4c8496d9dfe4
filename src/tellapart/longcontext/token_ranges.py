"""Numbers of tokens as people write them, and lengths that were meant, which may be ranges."""

from __future__ import annotations

import re
from typing import TypeAlias

_RANGE = re.compile(r"(\d+)\s*[-–]\s*(\d+)")


Length: TypeAlias = int | tuple[int, int]
"""A length that was meant: a number of tokens, or the lower and upper end of a range."""


def range_of(text: str) -> tuple[int, int] | None:
    """Read ``20000-30000``; None where it is something else, or its ends are the wrong way round."""
    match = _RANGE.fullmatch(text.strip())
    if match is None or not 0 < int(match[1]) <= int(match[2]):
        return None
    return int(match[1]), int(match[2])


def written(intended: Length) -> int | str:
    """Write a length so that it is read back."""
    return f"{intended[0]}-{intended[1]}" if isinstance(intended, tuple) else intended


def least_of(intended: Length) -> int:
    """The lower end of a length; a single number is both ends."""
    return intended[0] if isinstance(intended, tuple) else intended


def most_of(intended: Length) -> int:
    """The upper end of a length; a single number is both ends."""
    return intended[1] if isinstance(intended, tuple) else intended


def share_of(tokens: int, intended: Length) -> float:
    """How much of a length was reached: 1 inside a range, else by its nearer end."""
    return tokens / min(max(tokens, least_of(intended)), most_of(intended))


def about(least: int | None, most: int | None = None) -> str:
    """Round as people write lengths: ``~4K``, or ``~20-30K`` of a range; a dash where it is not known."""
    if least is None:
        return "–"
    first, last = thousands(least), thousands(least if most is None else most)
    if first == last:
        return f"~{first}"
    return f"~{first.removesuffix(last[-1]) if last[-1].isalpha() else first}-{last}"


def thousands(tokens: int) -> str:
    """Round a number of tokens: ``11K``, ``1.5K``, ``500``; a decimal below ten thousand or ten million."""
    for unit, letter in ((1_000_000, "M"), (1_000, "K")):
        if tokens >= unit:
            return f"{round(tokens / unit, 1 if tokens < 10 * unit else None):g}{letter}"
    return str(tokens)
