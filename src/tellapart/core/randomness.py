"""Random generators that depend on names, not on the order in which they are asked for."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, *names: str) -> np.random.Generator:
    """Give the generator that belongs to ``names`` under ``seed``.

    The same seed and names give the same draws on any machine, whatever else was drawn before, so that
    the order of the work and the number of workers cannot change a result.
    """
    parts = [part.encode() for part in (str(seed), *names)]
    whole = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    digest = hashlib.blake2b(whole, digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))
