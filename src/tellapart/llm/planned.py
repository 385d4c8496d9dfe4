"""How many calls a run needs that is being written, for whoever watches it grow; gone when it is complete."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from tellapart.files import as_json, write_text
from tellapart.llm.budget import Limits, Price
from tellapart.store.runs import PARTS

PLANNED = f"{PARTS}/planned.json"
"""Where in a run directory the planned calls are."""


class PlannedStep(BaseModel):
    """Calls to one model that belong together.

    Attributes:
        model: Who is asked.
        calls: All of them, those that are answered already included; without repairs, which nobody can plan.
        price: US dollars for a million tokens, as for ``Limits``; None where nobody gave one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    calls: NonNegativeInt
    price: Price | None = None


class PlannedCalls(BaseModel):
    """What a run will ask, as far as it is known.

    Attributes:
        steps: By what each is called; a run that learns of another one on its way adds it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: dict[str, PlannedStep] = {}

    @property
    def calls(self) -> int:
        """Of all steps."""
        return sum(step.calls for step in self.steps.values())

    @property
    def limits(self) -> Limits:
        """The prices, for ``spent``."""
        return Limits(price={step.model: step.price for step in self.steps.values() if step.price})


def write_planned(run: Path, steps: Mapping[str, PlannedStep]) -> None:
    """Add steps to what a run is known to ask; one of the same name is replaced."""
    before = read_planned(run)
    together = {**before.steps, **steps} if before else dict(steps)
    write_text(run / PLANNED, as_json(PlannedCalls(steps=together).model_dump(mode="json")))


def read_planned(run: Path) -> PlannedCalls | None:
    """Read what a run is known to ask; None where nothing is on record, or nothing that can be read."""
    try:
        return PlannedCalls.model_validate_json((run / PLANNED).read_bytes())
    except (OSError, ValidationError):
        return None
