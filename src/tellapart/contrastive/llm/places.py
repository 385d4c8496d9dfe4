"""Preferences for a place in a list, as numbers that a test can look for."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

F64: TypeAlias = NDArray[np.float64]
I64: TypeAlias = NDArray[np.int64]

CONTRASTS = ("first", "last", "trend", "ends")
"""The first slot, the last one, the later the better, both ends against the middle."""


def contrasts(slot: I64, options: I64) -> F64:
    """Shape (n, 4): what ``CONTRASTS`` are at slots, from 1, of lists with so many options, at least 2."""
    place = (slot - 1) / (options - 1)
    columns = np.column_stack([slot == 1, slot == options, place, np.square(2 * place - 1)])
    return columns.astype(np.float64)
