"""Which form a file has, and several files as one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tellapart.core.scores import ScoreTable
from tellapart.store import RunDirectory, read_frame


@dataclass(frozen=True)
class Reading:
    """Scores as they were read.

    Attributes:
        table: The scores.
        forms: The form of each file, by its path as it was given.
        notes: What the forms made necessary, such as which metric was taken; sentences.
    """

    table: ScoreTable
    forms: dict[str, str]
    notes: tuple[str, ...] = ()


def read_scores(paths: Sequence[Path]) -> Reading:
    """Read files as one table.

    Raises:
        InputError: A file cannot be read as scores.
    """
    (path,) = paths
    if path.is_dir():
        return Reading(RunDirectory.open(path).scores(), {str(path): "run"})
    return Reading(ScoreTable.from_frame(read_frame(path)), {str(path): "score table"})
