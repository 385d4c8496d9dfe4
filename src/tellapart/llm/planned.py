"""How many calls a run needs that is being written, for whoever watches it grow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from tellapart.llm.budget import Limits, Price
from tellapart.store.database import RunDatabase

_PLANNED = "planned"
"""Kind of entries in a run's database."""


class PlannedStep(BaseModel):
    """Calls to one model that belong together, without repairs, which nobody can plan."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    calls: NonNegativeInt
    price: Price | None = None


class PlannedCalls(BaseModel):
    """What a run will ask, as far as it is known, by step."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: dict[str, PlannedStep] = {}

    @property
    def calls(self) -> int:
        """Of all steps, those that are answered already included."""
        return sum(step.calls for step in self.steps.values())

    @property
    def limits(self) -> Limits:
        """The prices, for ``spent``."""
        return Limits(price={step.model: step.price for step in self.steps.values() if step.price})


def write_planned(file: Path, steps: Mapping[str, PlannedStep]) -> None:
    """Add steps to what a run is known to ask; one of the same name is replaced."""
    with RunDatabase(file) as database:
        database.add_all([(_PLANNED, name, step.model_dump(mode="json")) for name, step in steps.items()])


def read_planned(database: RunDatabase) -> PlannedCalls:
    """Read what a run is known to ask."""
    rows = database.rows(_PLANNED)
    return PlannedCalls(steps={row.key: PlannedStep.model_validate(row.entry) for row in rows})
