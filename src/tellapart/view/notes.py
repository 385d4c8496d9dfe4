"""What people say of items, in a file beside the run: that one is broken, say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from tellapart.errors import InputError, UsageError, near_match
from tellapart.files import as_json, read_object, write_text
from tellapart.view.folder import NOTES, Entry

LABELS = ("broken", "ambiguous", "second right answer", "note")
"""What an item may be called; all but the last leave it out where labelled items are left out."""

MOST_CHARACTERS = 4_000

_WRITING = Lock()


def notes_file(entry: Entry) -> Path:
    """Where the notes on a run, or on a file of scores, are."""
    return entry.location.with_name(f"{entry.location.name}{NOTES}")


def read_notes(entry: Entry) -> dict[str, dict[str, str]]:
    """Notes by item, each with ``label`` and ``text``."""
    file = notes_file(entry)
    if file.is_symlink():
        raise InputError("this is a link, and links are not followed", where=file)
    if not file.exists():
        return {}
    notes = read_object(file).get("notes")
    if not isinstance(notes, dict) or not all(_is_note(note) for note in notes.values()):
        raise InputError("these are no notes on items", where=file, next_step="Move the file away")
    return {item: {"label": note["label"], "text": note["text"]} for item, note in notes.items()}


def write_note(entry: Entry, item: str, label: str, text: str) -> dict[str, dict[str, str]]:
    """Keep a note on an item in place of an earlier one; one without label and text takes it away."""
    if label and label not in LABELS:
        raise UsageError(f"there is no label {label!r}", next_step=near_match(label, LABELS))
    if len(text) > MOST_CHARACTERS:
        raise UsageError(f"a note has at most {MOST_CHARACTERS:,} characters, and this has {len(text):,}")
    with _WRITING:
        notes = read_notes(entry)
        notes.pop(item, None)
        if label or text:
            notes[item] = {"label": label or LABELS[-1], "text": text}
        write_text(notes_file(entry), as_json({"notes": dict(sorted(notes.items()))}))
    return notes


def excluded(notes: Mapping[str, Mapping[str, str]]) -> frozenset[str]:
    """Items that a label leaves out."""
    return frozenset(item for item, note in notes.items() if note["label"] in LABELS[:-1])


def _is_note(note: Any) -> bool:
    return isinstance(note, dict) and note.get("label") in LABELS and isinstance(note.get("text"), str)
