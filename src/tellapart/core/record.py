"""What all records have in common: what a command prints as JSON, a run stores and a page shows."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """One record: the model is the JSON, field for field and in this order.

    It cannot be changed, and has no field that is not declared.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    def to_json(self) -> dict[str, Any]:
        """Give the record as JSON has it, without the fields that were not set."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class StoredRecord(Record):
    """A record that another program may have written: undeclared fields are ignored."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)
