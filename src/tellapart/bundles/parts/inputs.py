"""The files of an eval, wherever they lie, and the parts in which they are read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tellapart.bundles.parts.folders import FileEntry, Folder, is_remote
from tellapart.bundles.reading.parquet import count_rows
from tellapart.core.fingerprint import sha256_of_json
from tellapart.errors import InputError
from tellapart.files.tables import is_parquet

ENDINGS = (".jsonl", ".ndjson", ".json", ".parquet", ".csv", ".tsv")
"""What the files of an eval are called; others in a folder, such as ``_SUCCESS``, are none of it."""

ROWS_A_PART = 65_536
"""Rows of a Parquet file that are read together; other files are read whole, piece by piece."""

_NO_EVAL = (".version.json", "manifest.json")


class ReadTask(NamedTuple):
    """What one worker reads at a time.

    Attributes:
        number: Of the task; tasks are in the order of the eval.
        file: Position of the file among the eval's.
        start: First row of it, from 0.
        rows: How many; None for all that follow.
    """

    number: int
    file: int
    start: int
    rows: int | None


@dataclass(frozen=True)
class EvalFiles:
    """An eval in one file or in many.

    Attributes:
        address: As the user gave it.
        is_folder: Whether the user gave a folder, which may have one file.
    """

    address: str
    folder: Folder
    files: tuple[FileEntry, ...]
    is_folder: bool = True

    def label(self, file: int) -> str:
        """What messages call a file."""
        return self.folder.address_of(self.files[file].name)

    def tasks(self) -> list[ReadTask]:
        """Cut the eval into parts, none of which is much larger than the others where the files allow it."""
        parts: list[ReadTask] = []
        for number in range(len(self.files)):
            rows = self._rows(number)
            starts = range(0, rows, ROWS_A_PART) if rows else [0]
            for start in starts:
                parts.append(ReadTask(len(parts), number, start, ROWS_A_PART if rows else None))
        return parts

    def _rows(self, file: int) -> int | None:
        """How many rows a file has that can be read from any row on; None for one that is read whole."""
        path = Path(self.folder.address, self.files[file].name)
        # Of an object store a part would cost a copy of the whole file.
        if self.folder.is_remote or not is_parquet(path):
            return None
        return count_rows(path)


def eval_files(address: str) -> EvalFiles:
    """Find the files of an eval."""
    parent, _, name = address.rstrip("/").rpartition("/") if is_remote(address) else ("", "", "")
    if is_remote(address):
        single = Folder(parent)
        is_file = name.endswith(ENDINGS) and single.exists(name)
        folder = single if is_file else Folder(address)
    else:
        path = Path(address)
        is_file = path.is_file()
        folder, name = Folder(str(path.parent if is_file else path)), path.name
    listed = [entry for entry in folder.files() if not is_file or entry.name == name]
    if not is_file:
        # Other programs write empty parts; there is nothing in them to be wrong.
        listed = [entry for entry in listed if _is_part(entry.name) and entry.size_bytes]
    if not listed:
        raise InputError(
            "there are no files of bundles here",
            where=address,
            next_step=f"Give a folder with files that end in {', '.join(ENDINGS)}",
        )
    return EvalFiles(address, folder, tuple(listed), not is_file)


def _is_part(name: str) -> bool:
    return (
        name.endswith(ENDINGS)
        and not name.endswith(_NO_EVAL)
        and not any(part.startswith((".", "_")) for part in name.split("/"))
    )


def source_hash_of(digests: list[tuple[str, str]]) -> str:
    """Identify an eval in many files by the name and the SHA-256 of each, in the order of the names."""
    return sha256_of_json([[name, digest] for name, digest in digests])[:16]
