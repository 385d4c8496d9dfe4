"""A table as one JSON object: a list for each column, or names of columns beside rows, as of W&B."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from tellapart.audit.reading import plain_table
from tellapart.audit.reading.reader import Choices, LogScores
from tellapart.errors import InputError
from tellapart.files import read_object
from tellapart.files.tables import column, head_text

NAME = "JSON table"

TAKES = plain_table.TAKES


def recognises(path: Path) -> bool:
    """Check whether a file is one object with ``columns`` and ``data``, or with lists of one length."""
    text = (head_text(path) or "").lstrip() if path.is_file() else ""
    if not text.startswith("{") or "[" not in text:
        return False
    try:
        return _columns(read_object(path)) is not None
    except InputError:
        return False


def read(path: Path, choices: Choices) -> LogScores:
    """Read it as the table that it is."""
    columns = _columns(read_object(path)) or {}
    frame = pl.DataFrame([column(name, values) for name, values in columns.items()])
    return plain_table.scores_of_frame(frame, choices, str(path), file_name=path.name.partition(".")[0])


def _columns(whole: dict[str, Any]) -> dict[str, list[Any]] | None:
    names, rows = whole.get("columns"), whole.get("data")
    if isinstance(names, list) and isinstance(rows, list):
        fits = all(isinstance(row, list) and len(row) == len(names) for row in rows)
        return {str(name): [row[i] for row in rows] for i, name in enumerate(names)} if fits else None
    lengths = {len(values) if isinstance(values, list) else -1 for values in whole.values()}
    is_columns = len(whole) > 1 and len(lengths) == 1 and lengths.pop() > 1
    return whole if is_columns else None
