"""Digests of texts, for fingerprints and cache keys."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def text_digest(text: str) -> bytes:
    """SHA-256 of a text in UTF-8; lone surrogates, left by invalid UTF-8, have a digest too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def corpus_digest(texts: Iterable[str]) -> str:
    """SHA-256 of a collection of texts, as hexadecimal.

    Depends on which texts there are and how often, not on their order.
    """
    return hashlib.sha256(b"".join(sorted(map(text_digest, texts)))).hexdigest()
