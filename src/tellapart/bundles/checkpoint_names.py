"""What evaluations of a training are called: the model, with the step behind it, and their files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


def checkpoint_label(model: Any, output_path: str | None, steps: int, name: str | None = None) -> str:
    """Name a model as it is at a step, ``NAME step STEPS``; without a step outside of a training."""
    name = name or _name_of(model, output_path, steps)
    return f"{name} step {steps}" if steps >= 0 else name


def _name_of(model: Any, output_path: str | None, steps: int) -> str:
    card = getattr(model, "model_card_data", None)
    name = getattr(card, "model_name", None)
    # The first save of a training sets "SentenceTransformer based on …", as that of any other training.
    is_default = str(name).partition(" based on ")[0] == type(model).__name__
    if name and not is_default:
        return str(name)
    if output_path and steps >= 0 and (directory := Path(output_path).resolve().parent.name):
        return directory
    return str(name or getattr(card, "base_model", None) or "model")


class CheckpointFiles:
    """Names for the files of one evaluator.

    They depend on the evaluator's name, the epoch and the step, so a training that is begun again in the same
    directory replaces what the former one left, as it does with checkpoints.
    """

    def __init__(self, kind: str, name: str) -> None:
        """Prepare for an evaluator."""
        self._kind, self._name = kind, name_in_files(name)
        self._used: dict[str, int] = {}

    def stem(self, epoch: float | None, steps: int) -> str:
        """Name the next file, without a suffix; one more of the same step is another file."""
        at_epoch = "" if epoch is None or epoch == -1 else f"epoch{epoch:.4g}"
        stem = joined(self._kind, self._name, at_epoch, "" if steps == -1 else f"step{steps}")
        self._used[stem] = count = self._used.get(stem, 0) + 1
        return stem if count == 1 else f"{stem}-{count}"


def name_in_files(name: str) -> str:
    """Write an evaluator's name as the name of a file can hold it."""
    return re.sub(r"[^\w.+-]+", "_", name)


def joined(*parts: str) -> str:
    """Join the parts that are not empty with underscores."""
    return "_".join(filter(None, parts))
