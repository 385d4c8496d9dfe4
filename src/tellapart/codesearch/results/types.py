"""Types of fields that the records of the suite share."""

from __future__ import annotations

from typing import TypeAlias

Number: TypeAlias = int | float
"""A figure that is written as it was computed: 1 stays 1, and 1.0 stays 1.0."""

Interval: TypeAlias = tuple[Number, Number] | None
"""Both ends, or None where there is no interval."""

Bounds: TypeAlias = tuple[Number | None, Number | None]
"""What missing verdicts could make of a figure, lowest and highest; None for an end that is not defined."""

Counts: TypeAlias = dict[str, int]
"""How many of each cause, level or name."""
