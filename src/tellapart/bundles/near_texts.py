"""Texts that are the same but for their form, or nearly the same: found by MinHash, confirmed by shingles."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tellapart.core.arrays import F64, I64, U64

NEAR = 0.8
"""Share of the shingles of two texts that both have, from which they are nearly the same."""

_SHINGLE = 5
_BANDS, _ROWS = 20, 5
_EACH = 8
"""Texts of a bucket that each text is compared with."""

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SENTENCE_SIGN = re.compile(r"(?<=[\w\"')\]}])[.,;:!?…]+(?=\s|$)")
# Another number, negation or operator may be all that matters.
_DETAIL = re.compile(
    r"\d+|\b(?:not|no|never|none|nor|neither|cannot|without|nothing|nobody)\b|n ' t\b|- (?=\d)|[+*/%=<>&|^~!]"
)


def equal_form(text: str) -> str:
    """Give what texts share that are equal but for case, white space and spelling in Unicode."""
    folded = unicodedata.normalize("NFC", text.casefold())
    if not folded.isascii():
        folded = "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")
    return " ".join(folded.split())


def words_form(text: str) -> str:
    """Give the words and signs of a text with a blank between any two, without the ends of sentences."""
    folded = equal_form(text)
    tokens = _TOKEN.findall(_SENTENCE_SIGN.sub("", folded))
    return " ".join(tokens) if tokens else folded


@dataclass(frozen=True)
class NearTexts:
    """Distinct texts in ``words_form``, comparable with one another without comparing all."""

    texts: Sequence[str]

    @cached_property
    def pairs(self) -> I64:
        """Pairs that are nearly the same, each once, as positions in ``texts``, shape (pairs, 2).

        Those that agree by exactly ``NEAR`` are found with a probability of .9996.
        """
        first, second = self._candidates
        near = self.similarity(first, second) >= NEAR
        return np.stack([first[near], second[near]], axis=1)

    def similarity(self, first: I64, second: I64) -> F64:
        """Compare by the Jaccard index of shingles; 0 where a number, negation or operator differs."""
        result = np.zeros(len(first))
        for at, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            if i == j:
                result[at] = 1.0
            elif self._details[i] == self._details[j]:
                a, b = self._shingles[i], self._shingles[j]
                shared = len(np.intersect1d(a, b, assume_unique=True))
                result[at] = shared / (len(a) + len(b) - shared)
        return result

    @cached_property
    def _details(self) -> list[list[str]]:
        return [_DETAIL.findall(text) for text in self.texts]

    @cached_property
    def _shingles(self) -> list[U64]:
        return [_shingles(text) for text in self.texts]

    @cached_property
    def _candidates(self) -> tuple[I64, I64]:
        """Positions of pairs that may be alike: equal in all rows of some band of their signatures."""
        size = _BANDS * _ROWS
        rng = np.random.Generator(np.random.PCG64(20_000_003))
        factors = rng.integers(1, 2**63, size=size, dtype=np.uint64) | np.uint64(1)
        shifts = rng.integers(0, 2**63, size=size, dtype=np.uint64)
        signatures = np.array(
            [
                [(shingles * factor + shift).min() for factor, shift in zip(factors, shifts, strict=True)]
                for shingles in self._shingles
            ],
            dtype=np.uint64,
        ).reshape(-1, size)
        packed = [
            _bucket_pairs(_mixed(signatures[:, band * _ROWS : (band + 1) * _ROWS])) for band in range(_BANDS)
        ]
        pairs = np.unique(np.concatenate(packed))
        return pairs >> 32, pairs & 0xFFFFFFFF


def groups(size: int, pairs: I64) -> I64:
    """Number the groups of what pairs connect, directly or through others; shape (size,)."""
    edges = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    labels: I64 = connected_components(edges, directed=False)[1].astype(np.int64)
    return labels


def _shingles(text: str) -> U64:
    """Hashes of the distinct runs of five successive characters, ascending."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    if len(codes) < _SHINGLE:
        codes = np.append(codes, np.zeros(_SHINGLE - len(codes), dtype=np.uint64))
    return np.unique(_mixed(np.lib.stride_tricks.sliding_window_view(codes, _SHINGLE)))


def _mixed(rows: U64) -> U64:
    """Hash each row of an array."""
    keys = np.zeros(len(rows), dtype=np.uint64)
    for column in range(rows.shape[1]):
        keys = (keys ^ rows[:, column]) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys


def _bucket_pairs(keys: U64) -> I64:
    """Pairs of rows with equal keys, packed into one number: each with the ``_EACH`` before it."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    packed = []
    for gap in range(1, _EACH + 1):
        same = np.flatnonzero(ordered[gap:] == ordered[:-gap])
        a, b = order[same], order[same + gap]
        packed.append((np.minimum(a, b) << 32) | np.maximum(a, b))
    return np.unique(np.concatenate(packed)).astype(np.int64)


def lowest_hashes(texts: Iterable[str], group: I64) -> dict[int, bytes]:
    """Name each group by the lowest hash of its texts, which the order of the rows does not decide."""
    lowest: dict[int, bytes] = {}
    digests: dict[str, bytes] = {}
    for text, number in zip(texts, group.tolist(), strict=True):
        if text not in digests:
            digests[text] = digest(text.encode("utf-8", "surrogatepass"))
        lowest[number] = min(lowest.get(number, digests[text]), digests[text])
    return lowest


def digest(content: bytes) -> bytes:
    """Hash in 8 bytes."""
    return hashlib.blake2b(content, digest_size=8).digest()
