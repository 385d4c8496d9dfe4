"""Words of code: identifiers and prose cut into the pieces that lexical models count."""

from __future__ import annotations

import re
import unicodedata

REVISION = 1
"""Part of every lexical fingerprint; raise it whenever a text would be cut differently."""

# The capitals of the scripts in everyday use lie below U+2000; scanning all of Unicode takes 0.1 s.
_UPPER = "".join(letter for letter in map(chr, range(0x2000)) if letter.isupper())
_LOWER = rf"[^\W\d_{_UPPER}]"
_PIECE = re.compile(
    rf"[{_UPPER}]?{_LOWER}+"  # word, Word, naïve
    rf"|[{_UPPER}]{{2,}}s(?!{_LOWER})"  # URLs
    rf"|[{_UPPER}]+(?!{_LOWER})"  # HTTP of HTTPServer, MAX
    r"|\d+"
)


def split_identifiers(text: str) -> list[str]:
    """Cut code or prose into lower-cased word pieces, in the order of the text.

    Identifiers are cut where camelCase, PascalCase, snake_case and kebab-case join words, after an acronym
    (``HTTPServer`` is ``http server``, ``URLs`` is ``urls``) and between letters and digits (``utf8`` is
    ``utf 8``). Letters of every script are kept, a script without capitals as whole words; everything else
    only separates. Composed and decomposed accents are the same letter (NFC).

    Args:
        text: Any text.

    Returns:
        Non-empty lower-case pieces, repetitions included; empty when the text has no letter and no digit.
    """
    pieces = _PIECE.findall(unicodedata.normalize("NFC", text))
    # One pass over a joined string is about twice as fast as lowering every piece.
    return " ".join(pieces).lower().split()
