"""Text files as people write them: their kind, ids and entries."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from tellapart.errors import InputError
from tellapart.longcontext.case import Entry, StepType

FileKind = Literal["a case", "answers", "results"]

_CASE = re.compile(r"^[ \t]*=== *(?:SYSTEM PROMPT|MESSAGE\b.*?) *===", re.M | re.I)
_YAML_CASE = re.compile(r"^steps:", re.M)
_ANSWERS = re.compile(r"^[ \t]*[CV]\d+-\d+\s*(?:\(.*\))?\s*:\s*$", re.M | re.I)
_HINTS: dict[FileKind, str] = {
    "a case": "A case is played by 'tellapart longcontext run CASE', and given to the others with --cases",
    "answers": "Answers are given with --answers",
    "results": "Results are given to 'tellapart longcontext grade RESULTS' and 'lint … --results RESULTS'",
}


def check_file_kind(expected: FileKind, text: str, path: Path) -> None:
    """See that it is the right file."""
    if not text.strip():
        raise InputError(f"this file is empty, expected {expected}", where=path)
    kind = file_kind(text)
    if kind is not None and kind != expected:
        this = "this is" if kind == "a case" else "these are"
        raise InputError(f"{this} {kind}, expected {expected}", where=path, next_step=_HINTS[kind])


def file_kind(text: str) -> FileKind | None:
    """Which file of an experiment it looks like; None where it looks like none."""
    if text.lstrip()[:1] in ("{", "["):
        return "results"
    if _CASE.search(text) or _YAML_CASE.search(text):
        return "a case"
    return "answers" if _ANSWERS.search(text) else None


def documented_id(written: str) -> str:
    """An id of the form ``V2-1`` in capitals, as the documented experiment has it; others as they are."""
    return written.upper() if re.fullmatch(r"[CV]\d+-\w+", written, re.I) else written


def is_of_other_kind(id_: str, kind: StepType) -> bool:
    """Whether an id that begins as a documented one, such as ``C1`` or ``V2-1``, is of another kind."""
    return re.match(r"[CV]\d", id_, re.I) is not None and id_[0].lower() != kind[0]


_ENTRY = re.compile(
    r"^\s*(?P<label>[^\W\d][\w .'-]*?\s\d+)\s*:\s*(?P<author>[^\s,][^,]*?)\s*"
    r"(?:,\s*(?P<year>\d{4})\s*)?,\s*N\s*=\s*(?P<size>\d{1,3}(?:,\d{3})+|\d+)(?!,?\d)\s*(?P<note>.*?)\s*$"
)


def entry_of(line: str) -> Entry | None:
    """Read a line such as ``Study 5:  Al-Hassan, 2019, N=423 (completers=312)``.

    The year may be absent; commas may part the thousands of N; one pair of brackets around what follows goes.
    """
    parts = _ENTRY.match(line)
    if parts is None:
        return None
    note = parts["note"]
    if note.startswith("(") and note.endswith(")"):
        note = note[1:-1]
    year = int(parts["year"]) if parts["year"] else None
    return Entry(parts["label"], parts["author"], year, int(parts["size"].replace(",", "")), note)
