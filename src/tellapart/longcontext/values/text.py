"""Texts as they are compared: without case, accents and punctuation."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=8192)
def folded(text: str) -> str:
    """Lower case without accents; hyphens and dashes are spaces, apostrophes fall away."""
    if text.isascii():
        return re.sub(r"[\s\-_]+", " ", re.sub(r"['`]", "", text)).lower()
    plain = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("Ø", "O").replace("ł", "l"))
    plain = "".join(c for c in plain if not unicodedata.combining(c)).casefold()
    return re.sub(r"[\s\-‐‑–—_]+", " ", re.sub(r"['’‘`´]", "", plain))


def words_of(text: str) -> str:
    """The words of a text, folded, with one space between them."""
    return re.sub(r"[^a-z0-9]+", " ", folded(text)).strip()


def itself(text: str) -> tuple[str, ...]:
    """The words and signs of a text in any script, without case, blanks and the punctuation of prose."""
    return tuple(_SIGNS.findall(unicodedata.normalize("NFC", text.strip().replace("−", "-")).casefold()))


def nearly(text: str) -> tuple[str, ...]:
    """The same without accents and most signs."""
    plain = unicodedata.normalize("NFKC", text.strip()).casefold()
    words = (folded(word) for word in _ITSELF.findall(plain))
    return tuple(word for word in words if word.strip()) or (plain,)


_SIGNS = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+(?:['’][^\W_]+)*|(?<!\w)-+(?=\w)|[^\w\s.,;:?'\"“”‘’«»*`\-–—…]")
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


def words_called(name: str) -> frozenset[str]:
    """A list of ``words.toml``."""
    lists = tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
    return frozenset(lists[name].split())


_PLAIN = words_called("plain")
"""Words that carry no meaning of their own beside a value."""

NEGATIONS = words_called("negations")
NEGATION = re.compile(rf"\b(?:{'|'.join(sorted(NEGATIONS))})\b|n['’]t\b", re.I)


def _stem(word: str) -> str:
    """A folded word without the ending of a plural or a past: ``tickets`` is ``ticket``."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 5 and word.endswith(("ing", "ers")):
        word = word[:-3]
    elif len(word) > 4 and word.endswith(("ed", "es")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


@lru_cache(maxsize=8192)
def stems_of(text: str) -> tuple[str, ...]:
    """The stems of the words of a text that carry its meaning, each once, in order."""
    words = re.findall(r"[^\W_]+", folded(text))
    return tuple(dict.fromkeys(_stem(word) for word in words if word not in _PLAIN))


@lru_cache(maxsize=8192)
def content_stems(text: str) -> frozenset[str]:
    """The same as a set."""
    return frozenset(stems_of(text))
