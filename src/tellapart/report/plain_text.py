"""Text of strangers where it is shown: without what moves a cursor, changes colours or turns a direction."""

from __future__ import annotations

import re

from rich.cells import cell_len


def plain(text: str) -> str:
    """Replace line breaks by spaces, and other characters that cannot be printed by U+FFFD.

    Joiners inside emoji and between letters stay.
    """
    if text.isprintable():
        return text
    return "".join(map(_plain, text))


_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)")


def visible(text: str) -> str:
    r"""Show what a terminal would obey, or could not write, as escapes such as ``\u202e``.

    That is control characters, what turns the direction of writing, and halves of surrogate pairs. Line
    breaks and tabs stay, so a reader sees what is in code and in long texts, and in its order; a carriage
    return that ends no line would go back over what is shown.
    """
    return _HIDDEN.sub(lambda sign: f"\\u{ord(sign.group()):04x}", text)


def shortened(text: str, width: int) -> str:
    """Cut the middle of a name, whose end often tells it from others."""
    if cell_len(text) <= width:
        return text
    kept = width - 1
    head, tail = kept - kept // 2, kept // 2
    while cell_len(text[:head]) > kept - kept // 2:
        head -= 1
    while cell_len(text[len(text) - tail :]) > kept // 2:
        tail -= 1
    return f"{text[:head]}…{text[len(text) - tail :]}"


def _plain(sign: str) -> str:
    if sign.isprintable() or sign in "\u200c\u200d":
        return sign
    return " " if sign.isspace() else "\N{REPLACEMENT CHARACTER}"
