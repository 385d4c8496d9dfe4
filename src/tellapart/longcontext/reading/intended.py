"""How long a context was meant to be, as people write it: ``~20K``, ``~20-30K``, ``128K+``."""

from __future__ import annotations

import re

_AMOUNT = r"(?P<low>\d+(?:\.\d+)?)\s*(?P<unit>K?)\s*(?:[-–—]\s*\d+(?:\.\d+)?\s*)?K\b"
_ABOUT = re.compile(rf"~\s*{_AMOUNT}", re.I)
_AT = re.compile(rf"(?:~\s*|\bat\s+){_AMOUNT}", re.I)
_ANY = re.compile(rf"~?\s*{_AMOUNT}\+?", re.I)
_ROW = re.compile(r"^\|\s*([CV][\w-]+)\s*\|(.*)\|\s*$", re.I)
_CASE = re.compile(r"^===.*?\bCASE\s+(\d+)\b.*===$", re.I)
_DIFFICULTY = re.compile(r"^DIFFICULTY\s*:(.*)$", re.I)


def intended_in_tables(text: str) -> dict[str, int]:
    """Tokens by step id, from the tables whose rows begin with one; of a range its lower end."""
    found = {}
    for line in text.split("\n"):
        if (row := _ROW.match(line.strip())) and (tokens := _tokens(_ABOUT, row[2])):
            found[row[1].upper()] = tokens
    return found


def intended_in_test(test: str) -> int | None:
    """Tokens as a ``TEST:`` names them, such as ``Context ~40-50K tokens`` and ``At 128K tokens``.

    Of a range the lower end, as the documented tables have it.
    """
    return _tokens(_AT, test)


def case_intended(text: str) -> dict[str, int]:
    """Tokens that the cases were meant to grow to, by number, from the ``DIFFICULTY:`` at the end of each.

    Of a range the lower end; ``128K+`` is 128,000. A case whose line names no tokens is not in it.
    """
    found = {}
    case: str | None = None
    for line in text.split("\n"):
        if line.startswith("==="):
            header = _CASE.match(line.strip())
            case = header[1] if header else None
        elif case and (words := _DIFFICULTY.match(line.strip())) and (tokens := _tokens(_ANY, words[1])):
            found[case] = tokens
    return found


def _tokens(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    return round(float(match["low"]) * 1000) if match else None
