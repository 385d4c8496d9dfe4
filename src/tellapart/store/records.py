"""Records of ours, read back from the files that hold them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from tellapart.core.record import Record, fault_in
from tellapart.errors import InputError

R = TypeVar("R", bound=Record)


def load_record(path: Path, kind: type[R], what: str, *, next_step: str | None = None) -> R:
    """Read a file that holds one record as JSON.

    Args:
        path: Of the file.
        kind: The record.
        what: What it is called in messages.
        next_step: How to make one.

    Raises:
        InputError: It is missing, or no such record; names the field.
    """
    try:
        return kind.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"cannot read this {what}: {error.strerror}", where=path, next_step=next_step
        ) from None
    except ValidationError as error:
        raise InputError(f"not a valid {what}: {fault_in(error)}", where=path, next_step=next_step) from None
