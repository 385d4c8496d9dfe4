"""Journals of a run: what it has done so far, one JSON object a line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tellapart.core.fingerprint import canonical_json
from tellapart.files import replacing, storage, sync_directory
from tellapart.files.journal_lines import Damage, read_lines, refuse_damage, sealed_line

Entry = dict[str, Any]


class Journal:
    """An append-only JSON Lines file; lines that are damaged are passed over, and gone with the next one.

    Attributes:
        entries: What it holds, from the first.
        damage: What of the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        """Read what is there; a file that does not exist is an empty journal."""
        self._path = path
        self.damage = Damage()
        lines = list(read_lines(path, self.damage))
        self.entries: list[Entry] = [line.entry for line in lines if line.entry is not None]
        self._spans = [(line.start, line.length) for line in lines if line.entry is not None]

    @classmethod
    def resumed(cls, path: Path, *, lost: str) -> Journal:
        """Open a journal to go on with it: says what is damaged, and takes it out of the file."""
        journal = cls(path)
        journal.damage.warn(path, lost)
        journal._mend()
        return journal

    @classmethod
    def finished(cls, path: Path, *, lost: str) -> Journal:
        """Open a journal of a run that nobody goes on with."""
        journal = cls(path)
        refuse_damage(path, journal.damage, lost)
        return journal

    def append(self, entry: Entry) -> None:
        """Add an entry; it is on the disk when this returns."""
        self._mend()
        line = sealed_line(canonical_json(entry))
        end = self._end
        with storage(self._path):
            is_new = not self._path.exists()
            with self._path.open("wb" if is_new else "r+b") as file:
                file.seek(end)
                file.truncate()
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            if is_new:
                sync_directory(self._path.parent)
        self._spans.append((end, len(line)))
        self.entries.append(entry)

    @property
    def _end(self) -> int:
        return sum(self._spans[-1]) if self._spans else 0

    def keep(self, entries: list[Entry]) -> None:
        """Take all other entries out of the file, whole or not at all."""
        kept = [span for entry, span in zip(self.entries, self._spans, strict=True) if entry in entries]
        self._rewrite(kept)
        self.entries = [entry for entry in self.entries if entry in entries]

    def _mend(self) -> None:
        if self.damage.lines:
            self._rewrite(self._spans)
        elif self.damage.is_cut:
            with storage(self._path):
                os.truncate(self._path, self._end)
        self.damage = Damage()

    def _rewrite(self, spans: list[tuple[int, int]]) -> None:
        data = self._path.read_bytes()
        lines = [data[start : start + length] for start, length in spans]
        with replacing(self._path) as temporary:
            temporary.write_bytes(b"".join(lines))
        ends = [sum(map(len, lines[:number])) for number in range(len(lines))]
        self._spans = [(start, len(line)) for start, line in zip(ends, lines, strict=True)]
