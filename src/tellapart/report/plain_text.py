"""Text of strangers where it is shown: without what moves a cursor, changes colours or turns a direction."""

from __future__ import annotations


def plain(text: str) -> str:
    """Replace line breaks by spaces, and other signs that no letter is by U+FFFD.

    Joiners inside emoji and between letters stay.
    """
    if text.isprintable():
        return text
    return "".join(map(_plain, text))


def _plain(sign: str) -> str:
    if sign.isprintable() or sign in "\u200c\u200d":
        return sign
    return " " if sign.isspace() else "\N{REPLACEMENT CHARACTER}"
