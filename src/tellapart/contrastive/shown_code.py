"""How much of a unit's code a language model is shown."""

from __future__ import annotations

LONGEST = 1500
"""Characters of an option that are shown; from the source document."""

CUT = "… (cut)"
"""Stands in for what is not shown."""

LONGEST_CODE = 12_000
"""Characters of a unit that are shown, 3,000 tokens; 1 % of the units in CPython's library are longer."""


def cut(code: str, longest: int = LONGEST) -> str:
    """Cut code on a line boundary to at most ``longest`` characters, ``CUT`` on its own line included.

    A first line too long alone is cut within.

    Source:
        ``truncateCode(content, 1500)`` of the source document, which cuts within lines.
    """
    if len(code) <= longest:
        return code
    room = longest - len(CUT) - 1
    end = code.rfind("\n", 0, room + 1)
    return f"{code[: end if end > 0 else room]}\n{CUT}"
