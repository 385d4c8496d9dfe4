"""Texts that are the same but for their form, or nearly the same: found by MinHash, confirmed by shingles."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64, I64
from tellapart.core.compiled import compiled

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

NEAR = 0.8
"""Share of the shingles of two texts that both have, from which they count as nearly the same."""

_SHINGLE = 5
_BANDS, _ROWS = 20, 5
_EACH = 8
_BLOCK = 8_192
_SLACK = 0.2
_SLIP_AGREEMENT = 0.25
_SHORT = 24
_SLIP_LETTERS = 5

_SAME_SIGN = str.maketrans(
    {**dict.fromkeys("“”„«»", '"'), **dict.fromkeys("‘’‚´`", "'"), **dict.fromkeys("–—−‐‑", "-")}
)
_BLOCK_COMMENT = re.compile(
    r"/\*.*?\*/|<!--.*?-->|^[ \t]*[rRuU]?(\"\"\"|''')(?:.*?)\1[ \t]*$", re.DOTALL | re.MULTILINE
)
_LINE_COMMENT = re.compile(r"(?:(?<=\s)|^)(?:#|//)(?:\s.*)?$|^[ \t]*--\s.*$", re.MULTILINE)
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SENTENCE_SIGN = re.compile(r"(?<=[\w\"')\]}])[.,;:!?…]+(?=\s|$)|\s*[.,;:!?…]+$")
_OPERATORS = frozenset("<>=+*%&|^~")
_NEGATIONS = frozenset({"not", "no", "never", "none", "nor", "without", "cannot", "n't"})


def equal_form(text: str) -> str:
    """Give what texts share that are equal but for case, white space and spelling in Unicode.

    Compatibility forms are folded (NFKC), and signs that nobody sees, such as a zero-width space, left out.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    if not folded.isascii():
        folded = "".join(sign for sign in folded if unicodedata.category(sign) != "Cf" or sign.isspace())
        folded = unicodedata.normalize("NFKC", folded)
    return " ".join(folded.split())


def words_form(text: str) -> str:
    """Give the words and signs of a text, a blank between any two, so that phrases can be looked for.

    Left out are the signs that end clauses and sentences, and what ``equal_form`` leaves out. Quotes and
    dashes have one spelling. A text of nothing else keeps all of it.
    """
    folded = equal_form(text).translate(_SAME_SIGN)
    tokens = _TOKEN.findall(_SENTENCE_SIGN.sub("", folded))
    return " ".join(tokens) if tokens else folded


def near_form(text: str) -> str:
    """Give the ``words_form`` of a text without comments and docstrings of code.

    A text of nothing else keeps them.
    """
    kept = text
    if "/*" in text or "\n" in text:
        kept = _BLOCK_COMMENT.sub(" ", text)
        if "\n" in text:
            kept = _LINE_COMMENT.sub("", kept)
    return words_form(kept) or words_form(text)


@dataclass(frozen=True)
class NearTexts:
    """Texts that can be compared with one another without comparing all.

    Attributes:
        texts: Distinct, as ``near_form`` gives them.
    """

    texts: Sequence[str]

    @cached_property
    def pairs(self) -> I64:
        """All pairs that are nearly the same, each once, as positions in ``texts``.

        Two texts whose shingles agree by exactly ``NEAR`` are found with a probability of .9996, more similar
        ones hardly ever missed. Of many texts that are all alike, each is compared with a few of the others
        only; these connect them, but not every pair of them is listed.

        Returns:
            Shape (pairs, 2), ascending, the smaller position first.
        """
        signatures = self._signatures
        packed = [
            _bucket_pairs(_band_keys(signatures[:, band * _ROWS : (band + 1) * _ROWS]))
            for band in range(_BANDS)
        ]
        every = np.unique(np.concatenate([*packed, _but_for_a_word(self.texts)]))
        first, second = every >> 32, every & 0xFFFFFFFF
        near = self.similarity(first, second) >= NEAR
        return np.stack([first[near], second[near]], axis=1)

    def similarity(self, first: I64, second: I64) -> F64:
        """Compare pairs of texts.

        Args:
            first: Positions in ``texts``, shape (n,).
            second: Likewise.

        Returns:
            Shape (n,), in [0, 1]: the Jaccard index of their sets of five successive signs; 1 for a text and
            itself. ``NEAR`` at least for short texts of which one has a letter more, or two letters swapped,
            in one of the longer words: slips of the pen. 0 where they differ in a number, a negation or an
            operator, since such a difference may be all that matters, and 0 instead of a value that is far
            below ``NEAR``.
        """
        result = np.zeros(len(first))
        signatures = self._signatures
        for start in range(0, len(first), _BLOCK):
            a, b = first[start : start + _BLOCK], second[start : start + _BLOCK]
            agreement = (signatures[a] == signatures[b]).mean(axis=1)
            for place in np.flatnonzero(agreement >= _SLIP_AGREEMENT).tolist():
                i, j = int(a[place]), int(b[place])
                if i == j:
                    result[start + place] = 1.0
                elif agreement[place] >= NEAR - _SLACK and self._details(i) == self._details(j):
                    result[start + place] = _jaccard(_codes(self.texts[i]), _codes(self.texts[j]))
                if result[start + place] < NEAR and _is_slip(self.texts[i], self.texts[j]):
                    result[start + place] = NEAR
        return result

    @cached_property
    def _signatures(self) -> U32:
        size = _BANDS * _ROWS
        rng = np.random.Generator(np.random.PCG64(20_000_003))
        factors = rng.integers(1, 2**32, size=size, dtype=np.uint64) | np.uint64(1)
        shifts = rng.integers(0, 2**32, size=size, dtype=np.uint64)
        result = np.empty((len(self.texts), size), dtype=np.uint32)
        for start in range(0, len(self.texts), _BLOCK):
            block = self.texts[start : start + _BLOCK]
            ends = np.cumsum([0, *map(len, block)])
            _sign(_codes("".join(block)), ends, factors, shifts, result[start : start + len(block)])
        return result

    def _details(self, position: int) -> tuple[Counter[str], ...]:
        known = self._known_details.get(position)
        if known is None:
            known = self._known_details[position] = _details_of(self.texts[position])
        return known

    @cached_property
    def _known_details(self) -> dict[int, tuple[Counter[str], ...]]:
        return {}


def _but_for_a_word(texts: Sequence[str]) -> I64:
    """Pairs of short texts that are the same without one word each, packed as by ``_bucket_pairs``."""
    keys, owners = list[int](), list[int]()
    for number, text in enumerate(texts):
        words = text.split(" ")
        if not 2 < len(words) <= _SHORT:
            continue
        for i, word in enumerate(words):
            if len(word) >= _SLIP_LETTERS - 1:
                words[i] = ""
                keys.append(crc32(" ".join(words).encode("utf-8", "surrogatepass")))
                owners.append(number)
                words[i] = word
    packed = _bucket_pairs(np.array(keys, dtype=np.uint64))
    of = np.array(owners, dtype=np.int64)
    first, second = of[packed >> 32], of[packed & 0xFFFFFFFF]
    pairs: I64 = ((np.minimum(first, second) << 32) | np.maximum(first, second))[first != second]
    return pairs


def _is_slip(first: str, second: str) -> bool:
    """Whether one of two texts has a letter more, or two swapped, in one word with the same initial.

    A letter that is another one makes too many words that mean something else, such as close and chose.
    """
    if abs(len(first) - len(second)) > 1:
        return False
    a, b = first.split(" "), second.split(" ")
    if len(a) != len(b) or not 2 < len(a) <= _SHORT:
        return False
    differing = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    if len(differing) != 1:
        return False
    shorter, longer = sorted(differing[0], key=len)
    if len(longer) < _SLIP_LETTERS or shorter[0] != longer[0] or not (shorter + longer).isalpha():
        return False
    if len(shorter) < len(longer):
        return any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))
    i = next(i for i in range(len(shorter)) if shorter[i] != longer[i])
    return shorter == longer[:i] + longer[i : i + 2][::-1] + longer[i + 2 :]


def groups(size: int, pairs: I64) -> I64:
    """Put what pairs connect, directly or through others, into groups.

    Args:
        size: How many things there are.
        pairs: Positions, shape (pairs, 2).

    Returns:
        Shape (size,): of each the lowest position in its group.
    """
    lowest = np.arange(size)
    _connect(lowest, np.ascontiguousarray(pairs, dtype=np.int64).reshape(-1, 2))
    return lowest


def _details_of(text: str) -> tuple[Counter[str], ...]:
    tokens = text.replace(" ' t ", " n't ").replace("! =", "!=").split(" ")
    return (
        Counter(token for token in tokens if any(sign.isdigit() for sign in token)),
        Counter(token for token in tokens if token in _NEGATIONS),
        Counter(token for token in tokens if token in _OPERATORS or token == "!="),
    )


def _codes(text: str) -> U32:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _band_keys(rows: U32) -> U64:
    keys = np.zeros(len(rows), dtype=np.uint64)
    for column in range(rows.shape[1]):
        keys = (keys ^ rows[:, column].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys


def _bucket_pairs(keys: U64) -> I64:
    """Pairs of rows with equal keys, packed: each with the ``_EACH`` before it in its bucket."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    found = []
    for gap in range(1, _EACH + 1):
        same = np.flatnonzero(ordered[gap:] == ordered[:-gap])
        a, b = order[same], order[same + gap]
        found.append((np.minimum(a, b) << 32) | np.maximum(a, b))
    return np.unique(np.concatenate(found)).astype(np.int64)


@compiled()
def _hash(codes: U32, start: int, end: int) -> np.uint64:
    value = np.uint64(0x811C9DC5)
    for place in range(start, end):
        value = ((value ^ np.uint64(codes[place])) * np.uint64(0x01000193)) & np.uint64(0xFFFFFFFF)
    value ^= value >> np.uint64(16)
    value = (value * np.uint64(0x85EBCA6B)) & np.uint64(0xFFFFFFFF)
    value ^= value >> np.uint64(13)
    value = (value * np.uint64(0xC2B2AE35)) & np.uint64(0xFFFFFFFF)
    return value ^ (value >> np.uint64(16))


@compiled()
def _sign(codes: U32, ends: I64, factors: U64, shifts: U64, result: U32) -> None:
    size = len(factors)
    least = np.empty(size, dtype=np.uint64)
    for text in range(len(ends) - 1):
        start, end = ends[text], ends[text + 1]
        least[:] = np.uint64(0xFFFFFFFF)
        for place in range(start, max(start + 1, end - _SHINGLE + 1)):
            shingle = _hash(codes, place, min(place + _SHINGLE, end))
            for i in range(size):
                value = (factors[i] * shingle + shifts[i]) & np.uint64(0xFFFFFFFF)
                least[i] = min(least[i], value)
        for i in range(size):
            result[text, i] = np.uint32(least[i])


@compiled()
def _shingles(codes: U32) -> U64:
    count = max(1, len(codes) - _SHINGLE + 1)
    result = np.empty(count, dtype=np.uint64)
    for place in range(count):
        result[place] = _hash(codes, place, min(place + _SHINGLE, len(codes)))
    result.sort()
    return result


@compiled()
def _jaccard(first: U32, second: U32) -> float:
    a, b = _shingles(first), _shingles(second)
    i = j = shared = union = 0
    while i < len(a) or j < len(b):
        union += 1
        if j == len(b) or (i < len(a) and a[i] < b[j]):
            value = a[i]
        elif i == len(a) or b[j] < a[i]:
            value = b[j]
        else:
            value = a[i]
            shared += 1
        while i < len(a) and a[i] == value:
            i += 1
        while j < len(b) and b[j] == value:
            j += 1
    return shared / union


@compiled()
def _connect(lowest: I64, pairs: I64) -> None:
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        while lowest[a] != a:
            lowest[a] = lowest[lowest[a]]
            a = lowest[a]
        while lowest[b] != b:
            lowest[b] = lowest[lowest[b]]
            b = lowest[b]
        if a < b:
            lowest[b] = a
        else:
            lowest[a] = b
    for i in range(len(lowest)):
        lowest[i] = lowest[lowest[i]]
