"""Models that answer from the journal of an earlier run: no key, no network, no cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tellapart.errors import InputError, UsageError, near_match
from tellapart.llm.journal import CallJournal, has_calls
from tellapart.llm.models import REPLAY, LanguageModel, Respondent
from tellapart.llm.systems import recorded_system
from tellapart.store.runs import DATABASE

CALLS = "calls.db"
"""Database with the calls by which a benchmark was made; a run has them in its own."""


def replayed(name: str) -> list[Respondent]:
    """The models and systems of a journal, each to be asked as it was then."""
    location, _, chosen = name.removeprefix(REPLAY).partition("#")
    path = calls_file(Path(location))
    with CallJournal(path, read_only=True) as journal:
        parameters = {name: use.requested for name, use in journal.models.items()}
    if chosen and chosen not in parameters:
        raise UsageError(
            f"this journal holds no calls to {chosen!r}", where=path, next_step=near_match(chosen, parameters)
        )
    return [
        _as_asked(requested, path)
        for name, sets in parameters.items()
        if chosen in ("", name)
        for requested in sets
    ]


def calls_file(path: Path) -> Path:
    """The database with the calls of a run or a benchmark, complete or not; ``path`` itself if it is that."""
    for file in (path, path / DATABASE, path / CALLS, path / "llm" / CALLS):
        if has_calls(file):
            return file
    raise InputError(
        "there are no calls here: expected the directory of a run or a benchmark",
        where=path,
        next_step="Only those have some in which language models were asked",
    )


def journals_of(runs: Path | Sequence[Path] | None) -> list[Path]:
    """The journals of calls of one or several runs; see `calls_file`."""
    if runs is None:
        return []
    return [calls_file(path) for path in ([runs] if isinstance(runs, Path) else runs)]


def _as_asked(requested: dict[str, Any], path: Path) -> Respondent:
    if "system" in requested:
        return recorded_system(requested, path)
    parameters = {"name" if name == "model" else name: value for name, value in requested.items()}
    return LanguageModel(**parameters, recording=path)
