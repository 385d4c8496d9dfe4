"""Records of ours, read back from the files that hold them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from tellapart.files import check_numbers, check_record, read_json

R = TypeVar("R", bound=BaseModel)


def load_record(path: Path, kind: type[R], what: str, *, next_step: str | None = None) -> R:
    """Read a file that holds one record as JSON."""
    value = read_json(path, f"this {what}", next_step=next_step)
    check_numbers(value, path, f"a valid {what}")
    return check_record(value, kind, path, what, next_step=next_step)
