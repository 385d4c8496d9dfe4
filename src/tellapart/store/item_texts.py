"""What the items of a run ask and what was answered, as far as the run's own table of items holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.store.frames import read_frame

ITEMS = "items.parquet"
"""The table of items of a run."""

TEXT_COLUMNS = ("question", "expected", "response")
"""What an item asks, its right answer, and what a model said."""


@dataclass(frozen=True)
class ItemText:
    """A part of an item to be read; the text may be hostile.

    Attributes:
        name: What it is, such as ``Question``.
        text: The text, line breaks included.
    """

    name: str
    text: str


def item_of(row: Mapping[str, Any]) -> str:
    """The id, in the scores of a run, of the item that a row of its table of items is about.

    Answers in conversations are told apart by case and step; their ``item`` is the question, which several
    cases may share.
    """
    if row.get("case") is not None and row.get("step_id") is not None:
        return f"{row['case']}/{row['step_id']}"
    return str(row["item"])


def read_item_rows(run: Path) -> list[dict[str, Any]]:
    """Read the table of items that a run keeps beside its scores."""
    path = run / ITEMS
    if not path.is_file():
        return []
    frame = read_frame(path)
    has_texts = "item" in frame.columns and not set(TEXT_COLUMNS).isdisjoint(frame.columns)
    return frame.rows(named=True) if has_texts else []
