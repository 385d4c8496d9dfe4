"""One evaluated iteration: its cases, and where its file lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.codesearch.case import Case, Unusable
from tellapart.errors import InputError

SYSTEM = "system"
"""Field of an evaluation with the name of the system under test."""

SEARCHED_BY = "searched_by"
"""Field with what searched in its own words, where that is not its name."""

UNRANKED = "unranked"
"""Field that is true where the order of the system's files means nothing."""

LEXICAL = "lexical"
"""The name of our own search system, and of the explorer that searches in the same way."""

NOT_JUDGED = "Judge failed to evaluate"
"""The documented fallback's reasoning, by which a failed verdict of another pipeline is recognised."""


@dataclass(frozen=True)
class Evaluation:
    """One iteration, evaluated.

    Attributes:
        iteration: From 1.
        timestamp: As it was written; None where there is none.
        cases: In the order of the conversations.
        unusable: Conversations that were left out.
        facts: Further fields of the file, by name, kept as they are.
        notes: What people should know of the file that it was read from, such as lists that contradict one
            another; not written.
    """

    iteration: int
    timestamp: str | None
    cases: tuple[Case, ...]
    unusable: tuple[Unusable, ...] = ()
    facts: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()


IN_A_RUN = "artifacts/evaluation.json"
"""The evaluation of a run."""


def evaluation_file(path: Path) -> Path:
    """Find the file of an evaluation."""
    file = path / IN_A_RUN if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "there is no evaluation here",
            where=path,
            next_step="Name an evaluation.json, or a run directory of 'tellapart codesearch evaluate'",
        )
    return file
