"""Numbers and names as sentences have them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def plain(value: float) -> str:
    """Write a number with three significant digits and without an exponent."""
    return np.format_float_positional(value, precision=3, fractional=False, trim="-")


def percent(share: float) -> str:
    """Write a share in [0, 1] in percent."""
    return f"{100 * share:.0f} %"


def counted(n: int, noun: str) -> str:
    """Write a number with its noun, such as ``1 item`` and ``1,200 items``; a noun takes an s."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Write the first few names, and how many more there are."""
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most:,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
