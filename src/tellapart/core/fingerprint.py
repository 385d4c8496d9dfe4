"""Names for data: the same bytes under the same seed have the same fingerprint, anything else another."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

_DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28,}\b")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What must be equal before two results on an evaluation may be compared.

    Attributes:
        source_hash: First 16 hexadecimal digits of the SHA-256 of the data.
        seed: The seed that the data was drawn with.
        item_count: How many questions it holds.

    Source:
        "Crucible Metrics Reference", section Eval Fingerprinting.
    """

    source_hash: str
    seed: int
    item_count: int

    def __str__(self) -> str:
        """Give ``hash|seed|count``."""
        return f"{self.source_hash}|{self.seed}|{self.item_count}"


def sha256(data: bytes) -> str:
    """SHA-256 of ``data``, 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_of_json(value: Any) -> str:
    """SHA-256 of a value that JSON can say, 64 hexadecimal digits; keys are sorted.

    All beyond ASCII is escaped, so that half a surrogate pair, which UTF-8 cannot say, has a digest too.
    """
    return sha256(json.dumps(value, sort_keys=True).encode())


def short_digests(text: str) -> str:
    """Cut every digest of 40 digits or more in a text to 12, for people."""
    return _DIGEST.sub(r"\1…", text)


def fingerprint(data: bytes, *, seed: int, item_count: int) -> Fingerprint:
    """Fingerprint of ``data``, drawn with ``seed``, holding ``item_count`` questions."""
    return Fingerprint(sha256(data)[:16], seed, item_count)


def canonical_json(value: Any) -> bytes:
    """JSON with one spelling: keys sorted, no spaces, UTF-8, so that equal values are equal bytes."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()
