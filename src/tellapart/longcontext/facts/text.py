"""Texts as they are compared: without case, accents and punctuation."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


@lru_cache(maxsize=8192)
def folded(text: str) -> str:
    """Lower case without accents; hyphens and dashes are spaces, apostrophes fall away.

    ``Bergström`` is ``bergstrom``, ``O’Sullivan`` is ``osullivan``, ``Fernandez-Ruiz`` is ``fernandez ruiz``.
    """
    if text.isascii():
        return re.sub(r"[\s\-_]+", " ", re.sub(r"['`]", "", text)).lower()
    plain = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("Ø", "O").replace("ł", "l"))
    plain = "".join(c for c in plain if not unicodedata.combining(c)).casefold()
    return re.sub(r"[\s\-‐‑–—_]+", " ", re.sub(r"['’‘`´]", "", plain))


def words_of(text: str) -> str:
    """The words of a text, folded, with one space between them."""
    return re.sub(r"[^a-z0-9]+", " ", folded(text)).strip()


@lru_cache(maxsize=8192)
def unread_in(text: str) -> tuple[str, ...]:
    """What ``words_of`` drops though it says something: runs of letters of other scripts, and pictures."""
    return () if text.isascii() else tuple(_UNREAD.findall(folded(text)))


_UNREAD = re.compile(r"[^\W\d_a-z]+|[\u2600-\u27bf\U0001f000-\U0001faff]+")


def itself(text: str) -> tuple[str, ...]:
    """The words of a text in any script, without case, blanks and punctuation.

    ``-5``, ``3.5``, ``5 %``, ``5 €`` and ``C#`` stay what they are, and so does a text of punctuation alone.
    """
    plain = unicodedata.normalize("NFKC", text.strip()).casefold()
    words = (folded(word) for word in _ITSELF.findall(plain))
    return tuple(word for word in words if word.strip()) or (plain,)


_ITSELF = re.compile(
    r"(?<!\w)[-−]?\d+(?:[.,]\d+)*|[^\W_]+(?:['’][^\W_]+)*|[#%@&+$€£¥<>=/\u2190-\u27bf\U0001f000-\U0001faff]"
)


@lru_cache(maxsize=8192)
def worded(text: str) -> str:
    """The same with a space before and after too, so that a whole word is found as `` word ``."""
    return f" {words_of(text)} "


@lru_cache(maxsize=4096)
def flat(text: str) -> str:
    """Lower case without accents, character for character, so that places in it are places in the text."""
    if text.isascii():
        return text.lower()
    return "".join((unicodedata.normalize("NFKD", c)[:1] or c).lower()[:1] or c for c in text).replace(
        "’", "'"
    )
