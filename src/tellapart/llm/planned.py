"""How many calls a run needs that is being written, for whoever watches it grow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from tellapart.llm.budget import Limits, Price
from tellapart.store.database import RunDatabase

_PLANNED = "planned"
"""Kind of entries in a run's database."""


@dataclass(frozen=True)
class PlannedStep:
    """Calls to one model that belong together, without repairs, which nobody can plan."""

    model: str
    calls: int
    price: Price | None = None


@dataclass(frozen=True)
class PlannedCalls:
    """What a run will ask, as far as it is known, by step."""

    steps: Mapping[str, PlannedStep]

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
        database.add_all([(_PLANNED, name, asdict(step)) for name, step in steps.items()])


def read_planned(database: RunDatabase) -> PlannedCalls:
    """Read what a run is known to ask."""
    step = TypeAdapter(PlannedStep)
    return PlannedCalls({row.key: step.validate_python(row.entry) for row in database.rows(_PLANNED)})
