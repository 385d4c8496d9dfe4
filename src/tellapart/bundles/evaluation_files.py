"""The files that evaluations during a training leave behind."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tellapart.store import storage


class EvaluationFiles:
    """Names for the files of one evaluator, and the table with a line for each evaluation.

    Names depend on the evaluator's name, the epoch and the step, so a training that is begun again in the
    same directory replaces what the former one left, as it does with checkpoints.
    """

    def __init__(self, name: str, columns: Sequence[str]) -> None:
        """Prepare for an evaluator.

        Args:
            name: Its own, or "".
            columns: The metrics of the table, which need not all be there in each evaluation.
        """
        self._name = re.sub(r"[^\w.+-]+", "_", name)
        self._columns = columns
        self._used: dict[str, int] = {}

    def scoreboard(self, epoch: float | None, steps: int) -> str:
        """Name the next scoreboard; one more of the same step is another file.

        Args:
            epoch: Of the training; -1 or None outside of one.
            steps: The same.
        """
        at_epoch = "" if epoch is None or epoch == -1 else f"epoch{epoch:.4g}"
        stem = _joined("bundles", self._name, at_epoch, "" if steps == -1 else f"step{steps}")
        self._used[stem] = count = self._used.get(stem, 0) + 1
        return f"{stem}.json" if count == 1 else f"{stem}-{count}.json"

    def append_line(
        self, directory: Path, metrics: Mapping[str, float], epoch: float | None, steps: int
    ) -> None:
        """Add an evaluation to the table; an undefined metric is an empty cell.

        Raises:
            StorageError: The disk is full or closed to us.
        """
        path = directory / _joined("bundles_evaluation", self._name, "results.csv")
        with storage(path):
            is_new = not path.exists()
            with path.open("a", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                if is_new:
                    writer.writerow(["epoch", "steps", *self._columns])
                writer.writerow([epoch, steps, *(metrics.get(column, "") for column in self._columns)])


def _joined(*parts: str) -> str:
    return "_".join(part for part in parts if part)
