"""Scores that people gave, as a table: ``case,step,score`` and, if need be, ``model,epoch,rater``.

A score is a category, or of a list how many of its entries are right, such as ``15/25``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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

SOMEBODY = "human"
"""What a rater is called that the table does not name."""


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
    _check_columns(columns, f"{path}:1")
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


def _check_columns(columns: Sequence[str], where: str) -> None:
    for name in _NEEDED:
        if name not in columns:
            named = [column for column in columns if column]
            hint = near_match(name, named) if named else "It is empty"
            raise InputError(f"there is no column {name!r}", where=where, next_step=hint)
    for name in _COLUMNS:
        if columns.count(name) > 1:
            raise InputError(f"there are two columns {name!r}", where=where, next_step="Rename one")


def _score(row: Mapping[str, str], where: str) -> HumanScore:
    cells = {name: row.get(name, "").strip() for name in _COLUMNS}
    for name in _NEEDED:
        if name not in row or (name != "score" and not cells[name]):
            raise InputError(f"this row has no {name}", where=where)
    if cells["epoch"] and not cells["epoch"].isdecimal():
        raise InputError(f"the epoch {cells['epoch']!r} is not a whole number of at least 0", where=where)
    category, count = _graded(cells["score"], where)
    return HumanScore(
        cells["rater"] or SOMEBODY,
        cells["case"],
        cells["step"],
        category,
        cells["model"] or None,
        int(cells["epoch"]) if cells["epoch"] else None,
        where,
        count,
    )


def _graded(text: str, where: str) -> tuple[Category | None, tuple[int, int] | None]:
    """The category of a score, and of a list how many entries are right of how many."""
    if match := _COUNT.fullmatch(text):
        correct, of = int(match[1]), int(match[2])
        if not 0 < of >= correct:
            raise InputError(
                f"the score {text!r} is not a count of right entries",
                where=where,
                next_step="Write how many are right of how many, such as 15/25",
            )
        return "CORRECT" if correct == of else "PARTIAL" if correct else None, (correct, of)
    name = re.sub(r"[\s-]+", "_", text).upper()
    if name and name not in _CATEGORIES:
        raise InputError(
            f"the score {text!r} is neither a category nor a count such as 15/25",
            where=where,
            next_step=near_match(name, _CATEGORIES),
        )
    return next((category for category in _CATEGORIES if category == name), None), None
