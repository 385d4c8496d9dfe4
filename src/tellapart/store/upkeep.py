"""What is done with run directories as they are: list, check, export and delete them."""

from __future__ import annotations

import shutil
from contextlib import nullcontext, suppress
from pathlib import Path

from tellapart.errors import FingerprintError, InputError, UsageError
from tellapart.files import storage, write_json, write_text
from tellapart.store.database import RunDatabase, as_line
from tellapart.store.growing import LOCK, PARTIAL, locked
from tellapart.store.runs import DATABASE, FILE, RECORD, RunRecord, check_files, read_record


def check_run(path: Path) -> str:
    """Hold all that a run holds against what was written, and count it."""
    record = read_record(path)
    with RunDatabase(path / DATABASE, read_only=True) as database:
        database.check()
        entries, files = sum(1 for _ in database.rows()), database.count(FILE)
    check_files(path)
    return f"{entries:,} entries, {files:,} files" + (
        "" if record.status == "complete" else "; it is not complete"
    )


def export_run(path: Path, out: Path) -> list[str]:
    """Write the record of a run as JSON, all else as JSON Lines, a file a kind; gives their names."""
    record = read_record(path)
    if out.exists() and any(out.iterdir()):
        raise UsageError("this directory is not empty", where=out, next_step="Choose another one")
    lines: dict[str, list[str]] = {}
    with RunDatabase(path / DATABASE, read_only=True) as database:
        for row in database.rows():
            if row.kind not in (RECORD, FILE):
                entry = {"key": row.key, **row.entry} if row.key else row.entry
                lines.setdefault(row.kind, []).append(as_line(entry))
    write_json(out / "run.json", record.model_dump(mode="json"))
    for kind, texts in lines.items():
        write_text(out / f"{kind}.jsonl", "".join(f"{text}\n" for text in texts))
    return ["run.json", *(f"{kind}.jsonl" for kind in lines)]


def list_runs(root: Path) -> list[tuple[Path, RunRecord | None]]:
    """Every run directory in ``root``, complete or not, by name."""
    runs = sorted(path.parent for path in root.glob(f"*/{DATABASE}")) if root.is_dir() else []
    return [(path, _record_or_none(path)) for path in runs]


def _record_or_none(path: Path) -> RunRecord | None:
    try:
        return read_record(path)
    except InputError:
        return None


def delete_run(path: Path) -> None:
    """Delete a run directory, complete or not; its record last, so that it is one until nothing is left."""
    path = path.resolve()
    check_is_run(path)
    with locked(path, "run") if path.name.endswith(PARTIAL) else nullcontext(), storage(path):
        for file in sorted(path.iterdir(), key=lambda file: (file.name == LOCK, file.name == DATABASE)):
            if file.is_dir() and not file.is_symlink():
                shutil.rmtree(file)
            else:
                file.unlink()
        path.rmdir()


def check_is_run(path: Path) -> None:
    """Refuse what is no run directory; one whose record has changed since is one."""
    with suppress(FingerprintError):
        read_record(path)
