"""Numbers of tokens as people write them."""

from __future__ import annotations


def thousands(tokens: int) -> str:
    """Round a number of tokens: ``11K``, ``1.5K``, ``500``; a decimal below ten thousand or ten million."""
    for unit, letter in ((1_000_000, "M"), (1_000, "K")):
        if tokens >= unit:
            return f"{round(tokens / unit, 1 if tokens < 10 * unit else None):g}{letter}"
    return str(tokens)
