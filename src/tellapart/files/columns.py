"""Columns of values of any types."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import polars as pl


def column(name: str, values: Sequence[Any]) -> pl.Series:
    """Make a column of values of any types: numbers if all are, else text; lists and objects as JSON."""
    values = [float(value) if isinstance(value, Decimal) else value for value in values]
    types = {type(value) for value in values if value is not None}
    if types == {int}:
        return pl.Series(name, values, strict=False)
    if types and types <= {int, float, bool}:
        return pl.Series(name, [None if v is None else float(v) for v in values], pl.Float64)
    texts = [v if v is None or isinstance(v, str) else json.dumps(v, default=str) for v in values]
    return pl.Series(name, texts, pl.String)
