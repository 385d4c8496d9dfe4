"""What the items of a run ask and what was answered, as far as the run's own table of items holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.files.sums import check_sum
from tellapart.store.frames import read_frame

_OF_ITEM = {"question": "Question", "expected": "Expected answer"}
_ANSWER = "response"


@dataclass(frozen=True)
class ItemText:
    """A part of an item to be read; the text may be hostile.

    Attributes:
        name: What it is, such as ``Question``.
        text: The text, line breaks included.
    """

    name: str
    text: str


def read_item_texts(scores: Sequence[Path]) -> dict[str, tuple[ItemText, ...]]:
    """Read the texts that runs keep beside their scores.

    Args:
        scores: Directories of runs, or the tables of scores in them; other files have no texts.

    Returns:
        By item the question, the expected answer and each model's first answer; an item without a text is
        left out. Of an item in several runs each part is there once.

    Raises:
        InputError: A run's table of items is damaged.
    """
    texts: dict[str, dict[str, str]] = {}
    for path in scores:
        for row in _items(path):
            parts = texts.setdefault(item_of(row), {})
            named = {name: row.get(column) for column, name in _OF_ITEM.items()}
            named[f"Answer of {row.get('model')}"] = row.get(_ANSWER)
            for name, text in named.items():
                if text:
                    parts.setdefault(name, str(text))
    return {
        item: tuple(ItemText(name, text) for name, text in parts.items())
        for item, parts in texts.items()
        if parts
    }


def item_of(row: Mapping[str, Any]) -> str:
    """The id, in the scores of a run, of the item that a row of its table of items is about.

    Answers in conversations are told apart by case and step; their ``item`` is the question, which several
    cases may share.
    """
    if row.get("case") is not None and row.get("step_id") is not None:
        return f"{row['case']}/{row['step_id']}"
    return str(row["item"])


def _items(scores: Path) -> Iterator[dict[str, Any]]:
    """Rows of the table of items of a run; none where it has no texts."""
    folder = scores if scores.is_dir() else scores.parent if scores.name == "scores.parquet" else None
    path = folder / "items.parquet" if folder else None
    if path is None or not path.is_file():
        return iter(())
    check_sum(path)
    frame = read_frame(path)
    has_texts = "item" in frame.columns and {*_OF_ITEM, _ANSWER} & {*frame.columns}
    return frame.iter_rows(named=True) if has_texts else iter(())
