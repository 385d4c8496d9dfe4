"""Words of code: identifiers and prose cut into the pieces that lexical models count."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable


def text_digest(text: str) -> bytes:
    """SHA-256 of a text in UTF-8; lone surrogates, left by invalid UTF-8, have a digest too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def corpus_digest(texts: Iterable[str]) -> str:
    """SHA-256 of a collection of texts, as hexadecimal.

    Depends on which texts there are and how often, not on their order.
    """
    return hashlib.sha256(b"".join(sorted(map(text_digest, texts)))).hexdigest()


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
    """
    pieces = _PIECE.findall(unicodedata.normalize("NFC", text))
    # One pass over a joined string is about twice as fast as lowering every piece.
    return " ".join(pieces).lower().split()


Cut = Callable[[str], list[str]]
"""Cuts a text into pieces, as ``split_identifiers`` does."""


class CutOnce:
    """``split_identifiers`` that remembers: each text is cut once, and equal pieces are one object.

    For texts that several models count, or one model several times; the lists are shared, so leave them as
    they are.
    """

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._cut: dict[str, list[str]] = {}
        self._pieces: dict[str, str] = {}

    def __call__(self, text: str) -> list[str]:
        """The pieces of a text."""
        pieces = self._cut.get(text)
        if pieces is None:
            once = self._pieces
            pieces = self._cut[text] = [once.setdefault(piece, piece) for piece in split_identifiers(text)]
        return pieces
