"""What people say of items and answers, a line each in a file beside the run: that an item is broken, say."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from tellapart.errors import InputError, UsageError, near_match
from tellapart.files import read_bytes, write_bytes
from tellapart.files.records import check_record
from tellapart.view.folder import NOTES, Entry

LABELS = ("broken", "ambiguous", "second right answer", "note")
"""What an item may be called; all but the last leave it out where labelled items are left out."""

MOST_CHARACTERS = 4_000
MOST_OF_A_MODE = 60

_WRITING = Lock()


@dataclass(frozen=True)
class Note:
    """What somebody says of an item, or of a model's answer to it.

    Attributes:
        label: One of ``LABELS``; of an answer a failure mode of the reader's own.
        model: Whose answer it is; empty for the item.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    item: str
    label: str
    text: Annotated[str, Field(max_length=MOST_CHARACTERS)] = ""
    model: str = ""

    @property
    def leaves_out(self) -> bool:
        """Whether the item is left out where labelled items are."""
        return not self.model and self.label in LABELS[:-1]


@cache
def _reader() -> TypeAdapter[Note]:
    return TypeAdapter(Note)


def read_notes(entry: Entry) -> list[Note]:
    """Read the notes on a run, or on a file of scores, in the order in which they were made."""
    return _lines(_file(entry))[0]


def unreadable_notes(entry: Entry) -> str | None:
    """Say how many lines of a run's notes are no notes; None where all are."""
    file = _file(entry)
    _, others = _lines(file)
    return f"{file.name}: lines that hold no note are left out: {len(others):,}" if others else None


def _lines(file: Path) -> tuple[list[Note], list[bytes]]:
    """The notes in a file, and its lines that are none."""
    try:
        mode = file.lstat().st_mode
    except FileNotFoundError:
        return [], []
    if not stat.S_ISREG(mode):
        raise InputError("this is no regular file, and links are not followed", where=file)
    notes, others = list[Note](), list[bytes]()
    for line in filter(bytes.strip, read_bytes(file).splitlines()):
        try:
            notes.append(_reader().validate_json(line))
        except ValidationError:
            others.append(line)
    return notes, others


def _file(entry: Entry) -> Path:
    return entry.location.with_name(f"{entry.location.name}{NOTES}")


def write_note(entry: Entry, note: Note) -> list[Note]:
    """Keep a note in place of an earlier one on the same; one without label and text takes that away."""
    if not note.model and note.label and note.label not in LABELS:
        raise UsageError(f"there is no label {note.label!r}", next_step=near_match(note.label, LABELS))
    if len(note.label) > MOST_OF_A_MODE:
        raise UsageError(f"a failure mode has at most {MOST_OF_A_MODE} characters")
    with _WRITING:
        kept, others = _lines(_file(entry))
        notes = {(one.item, one.model): one for one in kept}
        notes[note.item, note.model] = note
        if not (note.label or note.text):
            del notes[note.item, note.model]
        lines = [*others, *(json.dumps(asdict(one), ensure_ascii=False).encode() for one in notes.values())]
        write_bytes(_file(entry), b"".join(line + b"\n" for line in lines))
    return list(notes.values())


def note_of(body: object) -> tuple[list[str], Note]:
    """Read a note that the page sends, after the ids of the runs that it looks at."""
    fields: dict[str, Any] = dict(body) if isinstance(body, dict) else {}
    runs = fields.pop("runs", None)
    if not isinstance(runs, list) or not all(isinstance(run, str) for run in runs):
        raise UsageError("a note is an object with runs, a list of ids, and the texts item, label and text")
    note = check_record(fields, Note, "a note", strict=True)
    is_text_alone = bool(note.text) and not note.label and not note.model
    return runs, replace(note, label=LABELS[-1]) if is_text_alone else note


def of_items(notes: Iterable[Note]) -> dict[str, Note]:
    """Notes by item; a label that leaves an item out stays, whatever the note of another run says."""
    by_item: dict[str, Note] = {}
    for note in notes:
        if not note.model and not (note.item in by_item and by_item[note.item].leaves_out):
            by_item[note.item] = note
    return by_item
