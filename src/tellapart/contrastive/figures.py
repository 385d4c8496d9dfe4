"""The form of a report's figures: JSON-able, groups in an order that does not depend on the rows'."""

from __future__ import annotations

from typing import Any

import polars as pl

from tellapart.contrastive.selection.levels import LEVELS
from tellapart.core.stats import Interval

Figures = dict[str, Any]

LEVEL_NAMES = [level.name for level in LEVELS]
"""In ascending order of difficulty."""


def interval(value: Interval | None) -> list[float] | None:
    """An interval as ``[low, high]``."""
    return None if value is None else [value.low, value.high]


def groups(frame: pl.DataFrame, column: str) -> list[tuple[str, pl.DataFrame]]:
    """Groups by ``column``: levels in their order, anything else ascending."""
    found = {key[0]: group for key, group in frame.group_by(column, maintain_order=True)}
    ordered = sorted(
        found, key=lambda value: (LEVEL_NAMES.index(value) if value in LEVEL_NAMES else -1, value)
    )
    return [(str(value), found[value]) for value in ordered]


def by_name(frame: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The rows of each model, in ascending order of names."""
    return groups(frame, "model")
