"""What a run's database holds, for tests."""

from pathlib import Path
from typing import Any

from tellapart.store.database import RunDatabase
from tellapart.store.runs import DATABASE


def entries_of(run: Path, kind: str) -> list[dict[str, Any]]:
    """The entries of a kind in a run, or in the database itself; none where it is not there."""
    file = run / DATABASE if run.is_dir() else run
    if not file.is_file():
        return []
    with RunDatabase(file, read_only=True) as database:
        return database.entries(kind)


def calls_of(run: Path) -> list[dict[str, Any]]:
    """The calls of a run in their order."""
    return entries_of(run, "calls")


def record_of(run: Path) -> dict[str, Any]:
    """The record of a run."""
    return entries_of(run, "record")[-1]


def change_record(run: Path, **changes: Any) -> None:
    """Change fields of the record of a run."""
    with RunDatabase(run / DATABASE) as database:
        database.add("record", record_of(run) | changes)
        database.settle()
