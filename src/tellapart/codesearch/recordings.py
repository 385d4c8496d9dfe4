"""Where an evaluation lies that is named by its file, or by its run directory."""

from __future__ import annotations

from pathlib import Path

from tellapart.errors import InputError

IN_A_RUN = "artifacts/evaluation.json"
"""The evaluation of a run."""


def evaluation_file(path: Path) -> Path:
    """Find the file of an evaluation.

    Raises:
        InputError: There is none.
    """
    file = path / IN_A_RUN if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "there is no evaluation here",
            where=path,
            next_step="Name an evaluation.json, or a run directory of 'tellapart codesearch evaluate'",
        )
    return file
