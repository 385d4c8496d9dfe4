"""Scores that people gave, as a table: ``case,step,score`` and, if need be, ``model,epoch,rater``.

A score is a category, or of a list how many of its entries are right, such as ``15/25``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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

SOMEBODY = "human"
"""What a rater is called that the table does not name."""


@dataclass(frozen=True)
class HumanScore:
    """One score.

    Attributes:
        rater: Who gave it.
        case: Name of the conversation.
        step: Id of the probe.
        category: None where the cell is empty. Of a count that of a list: CORRECT of all entries, PARTIAL of
            some, and None of no entry, which may be HALLUCINATED or REFUSED.
        model: Whose answer; None where the table does not say.
        epoch: Which attempt; None where the table does not say.
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
    separator = max(",;\t", key=lines[0].count)
    rows = delimited_rows(lines, separator, path)
    places = _columns(next(rows, (1, list[str]()))[1], path)
    scores = [_score(row, places, path, line) for line, row in rows]
    if not scores:
        raise InputError("there is no score in this table", where=path)
    for score, first in _twice(scores):
        raise InputError(
            f"{score.rater!r} scores {score.case}/{score.step} a second time",
            where=score.where,
            next_step=f"The first is at {first}: tell them apart by 'model', 'epoch' or 'rater'",
        )
    return scores


def _columns(header: list[str], path: Path) -> dict[str, int]:
    names = [name.strip().lower() for name in header]
    for name in _NEEDED:
        if name not in names:
            raise InputError(
                f"there is no column {name!r}",
                where=f"{path}:1",
                next_step=near_match(name, [column for column in names if column])
                if any(names)
                else "It is empty",
            )
    for name in _COLUMNS:
        if names.count(name) > 1:
            raise InputError(f"there are two columns {name!r}", where=f"{path}:1", next_step="Rename one")
    return {name: names.index(name) for name in _COLUMNS if name in names}


def _score(row: list[str], places: Mapping[str, int], path: Path, line: int) -> HumanScore:
    where = f"{path}:{line}"
    if len(row) <= max(places[name] for name in _NEEDED):
        raise InputError(f"this row has {len(row)} fields: {row!r}", where=where)
    cells = {name: row[index].strip() if index < len(row) else "" for name, index in places.items()}
    for name in ("case", "step"):
        if not cells[name]:
            raise InputError(f"this row has no {name}", where=where)
    count = _count(cells["score"], where)
    return HumanScore(
        cells.get("rater") or SOMEBODY,
        cells["case"],
        cells["step"],
        _category(cells["score"], where) if count is None else _of_count(*count),
        cells.get("model") or None,
        _epoch(cells.get("epoch", ""), where),
        where,
        count,
    )


def _count(text: str, where: str) -> tuple[int, int] | None:
    match = re.fullmatch(r"(\d+)\s*/\s*(\d+)(?:\s+correct)?", text, re.I)
    if match is None:
        return None
    correct, of = int(match[1]), int(match[2])
    if not 0 < of >= correct:
        raise InputError(
            f"the score {text!r} is not a count of right entries",
            where=where,
            next_step="Write how many are right of how many, such as 15/25",
        )
    return correct, of


def _of_count(correct: int, of: int) -> Category | None:
    if correct == of:
        return "CORRECT"
    return "PARTIAL" if correct else None


def _category(text: str, where: str) -> Category | None:
    name = re.sub(r"[\s-]+", "_", text).upper()
    if name and name not in _CATEGORIES:
        raise InputError(
            f"the score {text!r} is neither a category nor a count such as 15/25",
            where=where,
            next_step=near_match(name, _CATEGORIES),
        )
    return next((category for category in _CATEGORIES if category == name), None)


def _epoch(text: str, where: str) -> int | None:
    if text and not text.isdecimal():
        raise InputError(f"the epoch {text!r} is not a whole number of at least 0", where=where)
    return int(text) if text else None


def _twice(scores: list[HumanScore]) -> Iterator[tuple[HumanScore, str]]:
    seen: dict[tuple[object, ...], str] = {}
    for score in scores:
        first = seen.setdefault((score.rater, score.model, score.case, score.epoch, score.step), score.where)
        if first != score.where:
            yield score, first
