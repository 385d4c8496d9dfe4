"""Numbers of tokens as people write them, and lengths that were meant, which may be ranges."""

from __future__ import annotations

import re

_RANGE = re.compile(r"(\d+)\s*[-–]\s*(\d+)")


class TokenRange(int):
    """A length that was meant as a range: the number is its lower end.

    It counts as that number wherever one is needed, as in the name of a length.

    Attributes:
        most: The upper end.
    """

    most: int

    def __new__(cls, least: int, most: int) -> TokenRange:
        """Make one."""
        if not 0 < least <= most:
            raise ValueError(f"{least} to {most} is no range of tokens")
        made = super().__new__(cls, least)
        made.most = most
        return made

    def __getnewargs__(self) -> tuple[int, int]:  # type: ignore[override]
        """What a copy is made of."""
        return int(self), self.most

    def __str__(self) -> str:
        """``20000-30000``, as ``range_of`` reads it."""
        return f"{int(self)}-{self.most}"


def range_of(text: str) -> TokenRange | None:
    """Read ``20000-30000``; None where it is something else, or its ends are the wrong way round."""
    match = _RANGE.fullmatch(text.strip())
    if match is None or not 0 < int(match[1]) <= int(match[2]):
        return None
    return TokenRange(int(match[1]), int(match[2]))


def most_of(intended: int) -> int:
    """The upper end of a length that was meant; a single number is both ends."""
    return intended.most if isinstance(intended, TokenRange) else int(intended)


def share_of(tokens: int, intended: int) -> float:
    """How much of a length that was meant was reached: 1 inside a range, else by its nearer end."""
    return tokens / min(max(tokens, int(intended)), most_of(intended))


def about(least: int, most: int | None = None) -> str:
    """Round as people write lengths: ``~4K``, or ``~20-30K`` of a range."""
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
