"""Scores of extraordinary size, such as probabilities of whole texts, brought to an ordinary one and back.

Tests square differences, and squares of 1e-200 are 0. Scaled by a power of two, scores keep every bit, so
that the verdict, p and the number of items are just those of the same scores in another unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from math import ldexp
from typing import Any, TypeVar, cast

import numpy as np
import polars as pl
from pydantic import BaseModel

from tellapart.core.binary_units import moved, unit_exponent
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError

T = TypeVar("T")

_MOST = 1000
"""Scores beyond 2^-1000 or 2^1000 have differences that are no numbers of a computer."""

_FURTHEST = 60
"""A threshold is kept within 2^-60 and 2^60 of the scores: beyond, it decides in the same way."""

_IN_UNITS = frozenset(
    ("a", "b", "baseline", "bounds", "candidate", "change", "ci", "ci_bootstrap", "detectable", "diff")
    + ("difference", "drop", "interval", "interval_95", "mean", "means", "sd")
)
"""Fields of results that are in units of the scores where they hold numbers."""


@dataclass(frozen=True)
class ScoreScale:
    """A unit for scores.

    Attributes:
        exponent: Of two: so many units are 1 in the scores' own.
    """

    exponent: int

    @classmethod
    def of(cls, table: ScoreTable) -> ScoreScale | None:
        """Find the unit in which the greatest score is from 1 to 2; None where scores are of ordinary size."""
        greatest = cast(float | None, table.frame["score"].abs().max()) or 0.0
        exponent = -unit_exponent(greatest)
        if not exponent:
            return None
        if abs(exponent) > _MOST:
            size, step = ("small", "Multiply") if exponent > 0 else ("great", "Divide")
            raise InputError(
                f"the greatest score, without its sign, is {greatest:g}, and differences of scores so {size} "
                f"cannot be held; expected scores from {2.0**-_MOST:.0g} to {2.0**_MOST:.0g}",
                next_step=f"{step} all of them by the same number, or take logarithms",
            )
        return cls(exponent)

    @property
    def note(self) -> str:
        """What a reader must know who meets numbers in sentences."""
        return (
            f"The scores are far from 1, so they are compared in a unit of 2^{-self.exponent} (about "
            f"{2.0**-self.exponent:.2g}); sentences about causes, fixes and gates give scores in this unit."
        )

    def table(self, table: ScoreTable) -> ScoreTable:
        """Give the scores in this unit; ends of the scale that are too far away to be numbers are none."""
        in_unit = np.ldexp(table.frame["score"].to_numpy(), self.exponent)
        scores = pl.Series("score", in_unit, nan_to_null=True)
        low, high = (moved(end, self.exponent) for end in table.limits)
        return replace(table, frame=table.frame.with_columns(scores), limits=(low, high))

    def threshold(self, value: float) -> float:
        """Give a difference that is 0 or more, such as the smallest that matters, in this unit."""
        return min(max(moved(value, self.exponent), 2.0**-_FURTHEST), 2.0**_FURTHEST) if value else 0.0

    def restored(self, results: T, **as_given: Any) -> T:
        """Give results in the scores' own unit."""
        return cast(T, self._restored(results, as_given, None))

    def squared(self, value: float | None) -> float | None:
        """Give a square of scores, such as a variance, in their own unit; None where it cannot be held."""
        return None if value is None or abs(self.exponent) > _MOST // 2 else ldexp(value, -2 * self.exponent)

    def of_array(self, scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Give scores in their own unit."""
        return cast("np.ndarray[Any, Any]", np.ldexp(scores, -self.exponent))

    def _restored(self, value: Any, as_given: Mapping[str, Any], name: str | None) -> Any:
        if isinstance(value, float):
            return moved(value, -self.exponent) if name in _IN_UNITS else value
        if isinstance(value, BaseModel):
            changed = self._fields({key: getattr(value, key) for key in value.model_fields_set}, as_given)
            return value.model_copy(update=changed)
        if is_dataclass(value) and not isinstance(value, type):
            own = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
            # An interval has ends of its own names, in the unit of what it is of.
            inside = {key: name for key in own} if name in _IN_UNITS else {}
            return replace(value, **self._fields(own, as_given, inside))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self._restored(one, as_given, name) for one in value))
        if isinstance(value, tuple | list):
            return type(value)(self._restored(one, as_given, name) for one in value)
        if isinstance(value, dict):
            return {key: self._restored(one, as_given, name) for key, one in value.items()}
        return value

    def _fields(
        self, values: Mapping[str, Any], as_given: Mapping[str, Any], inside: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        return {
            key: as_given[key]
            if key in as_given and value is not None
            else self._restored(value, as_given, (inside or {}).get(key, key))
            for key, value in values.items()
        }
