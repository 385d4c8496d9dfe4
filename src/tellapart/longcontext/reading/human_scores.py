"""Scores that people gave, as a table: the sheet of ``grade --to-label``, or ``case,step,score``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from tellapart.errors import InputError, near_match
from tellapart.files import read_text
from tellapart.files.tables import delimited_rows
from tellapart.longcontext.grades import Category

_NEEDED = ("case", "step", "score")
_COLUMNS = (*_NEEDED, "model", "epoch", "rater")
_CATEGORIES: tuple[Category, ...] = get_args(Category)
_COUNT = re.compile(r"(\d+)\s*/\s*(\d+)(?:\s+correct)?", re.I)


@dataclass(frozen=True)
class HumanScore:
    """One score; model and epoch are None where the table does not say.

    Attributes:
        category: None where the cell is empty. Of a count that of a list: CORRECT of all entries, PARTIAL of
            some, and None of no entry, which may be HALLUCINATED or REFUSED.
        where: File and line, for messages.
        count: Entries of a list that are right, and entries that there are; None where it is not a count.
    """

    rater: str
    case: str
    step: str
    category: Category | None
    model: str | None
    epoch: int | None
    where: str
    count: tuple[int, int] | None = None


def read_human_scores(path: Path) -> list[HumanScore]:
    """Read the scores, parted by commas, semicolons or tabs; columns in any order, others are not read."""
    lines = read_text(path).split("\n")
    rows = delimited_rows(lines, max(",;\t", key=lines[0].count), path)
    columns = [name.strip().lower() for name in next(rows, (1, list[str]()))[1]]
    # The sheet of grade --to-label.
    columns = ["score" if name == "human" and "score" not in columns else name for name in columns]
    for name in _COLUMNS:
        if columns.count(name) > 1:
            raise InputError(f"there are two columns {name!r}", where=f"{path}:1", next_step="Rename one")
        if name in _NEEDED and name not in columns:
            hint = near_match(name, filter(None, columns)) if any(columns) else "It is empty"
            raise InputError(f"there is no column {name!r}", where=f"{path}:1", next_step=hint)
    scores = [_score(dict(zip(columns, row, strict=False)), f"{path}:{line}") for line, row in rows]
    if not scores:
        raise InputError("there is no score in this table", where=path)
    seen: dict[tuple[object, ...], str] = {}
    for score in scores:
        first = seen.setdefault((score.rater, score.model, score.case, score.epoch, score.step), score.where)
        if first != score.where:
            raise InputError(
                f"{score.rater!r} scores {score.case}/{score.step} a second time",
                where=score.where,
                next_step=f"The first is at {first}: tell them apart by 'model', 'epoch' or 'rater'",
            )
    return scores


def _score(row: Mapping[str, str], where: str) -> HumanScore:
    cells = {name: row.get(name, "").strip() for name in _COLUMNS}
    for name in _NEEDED:
        if name not in row or (name != "score" and not cells[name]):
            raise InputError(f"this row has no {name}", where=where)
    epoch, text = cells["epoch"], cells["score"]
    if epoch and not epoch.isdecimal():
        raise InputError(f"the epoch {epoch!r} is not a whole number of at least 0", where=where)
    name, count = re.sub(r"[\s-]+", "_", text).upper(), None
    if match := _COUNT.fullmatch(text):
        count = (int(match[1]), int(match[2]))
        name = "" if not count[0] else "CORRECT" if count[0] == count[1] else "PARTIAL"
    if (name and name not in _CATEGORIES) or (count and not 0 < count[1] >= count[0]):
        raise InputError(
            f"the score {text!r} is neither a category nor a count of right entries such as 15/25",
            where=where,
            next_step="Write how many are right of how many" if count else near_match(name, _CATEGORIES),
        )
    return HumanScore(
        cells["rater"] or "human",
        cells["case"],
        cells["step"],
        next((category for category in _CATEGORIES if category == name), None),
        cells["model"] or None,
        int(epoch) if epoch else None,
        where,
        count,
    )
