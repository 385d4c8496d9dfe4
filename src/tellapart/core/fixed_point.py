"""Numbers as whole multiples of one unit, so that adding them up in any order gives the same bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

F64: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class FixedPoint:
    """Rounded numbers.

    Attributes:
        units: Whole numbers; any sum of as many as were promised is exact, so a matrix product is too.
        unit: What one stands for, a power of two.
    """

    units: F64
    unit: float


def fixed_point(values: F64, addends: int) -> FixedPoint:
    """Round numbers to the finest unit in which sums are exact.

    Args:
        values: Any shape, finite.
        addends: How many of them may be added up.

    Returns:
        The numbers within 2^-52 x ``addends`` of the greatest of them; 0 and 1 stay as they are.
    """
    greatest = float(np.abs(values).max(initial=0.0))
    if greatest == 0:
        return FixedPoint(np.zeros(values.shape), 1.0)
    spare = 52 - int(np.ceil(np.log2(max(addends, 1))))
    unit = float(2.0 ** (np.ceil(np.log2(greatest)) - spare))
    return FixedPoint(np.rint(values / unit), unit)
