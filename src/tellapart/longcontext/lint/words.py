"""How findings put lists and numbers."""

from __future__ import annotations

from collections.abc import Sequence


def listed(words: Sequence[str], most: int = 6) -> str:
    """``M1, M2 and M3``; of many the first and the last. Empty of none."""
    if len(words) > most:
        words = [*words[: most - 2], "…", words[-1]]
        return ", ".join(words[:-2]) + f" … {words[-1]}"
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def percent(part: float, whole: float) -> str:
    """``36 %``; ``0 %`` only of nothing."""
    share = 100 * part / whole
    return f"{share:.1f} %" if 0 < share < 1 else f"{share:.0f} %"
