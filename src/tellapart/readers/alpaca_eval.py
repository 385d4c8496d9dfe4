"""AlpacaEval's annotations: how often a judge prefers a model's answers to those of the reference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tellapart.errors import InputError
from tellapart.files import as_objects, read_json
from tellapart.files.tables import head_text
from tellapart.readers.answers import Answer, answers_frame, finite_score, item_of, numbered
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Answered, RowTexts

NAME = "AlpacaEval annotations"

TAKES = ("model",)

_MARKS = ('"instruction"', '"generator_2"', '"output_2"')


def recognises(path: Path) -> bool:
    """Check whether a file is a list of instructions with two outputs."""
    text = (head_text(path) or "").lstrip() if path.is_file() else ""
    return text.startswith("[") and all(mark in text for mark in _MARKS)


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the preference for the second output, of the model; 1 is the reference and 2 the model."""
    rows = as_objects(read_json(path), str(path))
    answers = []
    for number, row in enumerate(rows, start=1):
        where = f"{path}, row {number}"
        preference = finite_score(row.get("preference"), "preference", where)
        if preference is not None and not 1 <= preference <= 2:
            raise InputError(f"the preference is {preference:g}, expected 1 to 2, or null", where=where)
        score = None if preference is None else preference - 1
        answers.append(Answer(_model(row, settings), _item(row), score, "judge" if score is None else None))
    answers, repeated = numbered(answers, path)
    note = f"{path.name}: the score is the preference over {rows[0].get('generator_1')}, from 0 to 1."
    return LogScores(answers_frame(answers), (note, *repeated), limits=(0.0, 1.0))


def texts(path: Path, settings: ReadingSettings) -> RowTexts[Mapping[str, Any]]:
    """The instruction and the model's output."""
    rows = as_objects(read_json(path), str(path))
    return RowTexts(
        ((_item(row), row) for row in rows),
        lambda row: Answered(
            _model(row, settings), str(row.get("instruction")), "", str(row.get("output_2") or ""), {}
        ),
    )


def _item(row: Mapping[str, Any]) -> str:
    instruction = str(row.get("instruction"))
    return item_of(instruction, [instruction, row.get("dataset")])


def _model(row: Mapping[str, Any], settings: ReadingSettings) -> str:
    return settings.name or str(row.get("generator_2"))
