"""Records of ours, read back from the files that hold them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from tellapart.core.record import Record, fault_in
from tellapart.errors import InputError
from tellapart.files import parse_json, read_bytes

R = TypeVar("R", bound=Record)


def load_record(path: Path, kind: type[R], what: str, *, next_step: str | None = None) -> R:
    """Read a file that holds one record as JSON.

    Args:
        path: Of the file.
        kind: The record.
        what: What it is called in messages.
        next_step: How to make one.

    Raises:
        InputError: It is missing, or no such record; names the field, or what is not JSON.
    """
    data = read_bytes(path, f"this {what}", next_step=next_step)
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        parse_json(data, path)  # Says what is not JSON, and where.
        raise InputError(f"not a valid {what}: {fault_in(error)}", where=path, next_step=next_step) from None
