"""What all records of the suite have in common."""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

Number: TypeAlias = int | float
"""A figure that is written as it was computed: 1 stays 1, and 1.0 stays 1.0."""

Interval: TypeAlias = tuple[Number, Number] | None
"""Both ends, or None where there is no interval."""

Bounds: TypeAlias = tuple[Number | None, Number | None]
"""What missing verdicts could make of a figure, lowest and highest; None for an end that is not defined."""

Counts: TypeAlias = dict[str, int]
"""How many of each cause, level or name."""


class Record(BaseModel):
    """One record: the model is the JSON, field for field and in this order.

    A field that does not apply is left out of the JSON rather than written as null; the writer leaves it
    unset. Files of other pipelines, and of other versions, hold fields that are not known here: rescoring
    keeps them, and reading passes over them. Fields that earlier versions did not write have defaults.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    def to_json(self) -> dict[str, Any]:
        """The record as JSON has it."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)
