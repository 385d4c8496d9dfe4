"""Lines of an enumeration."""

from __future__ import annotations

import re

from tellapart.longcontext.case import Entry

_ENTRY = re.compile(
    r"^\s*(?P<label>[^\W\d][\w .'-]*?\s\d+)\s*:\s*(?P<author>[^\s,][^,]*?)\s*"
    r"(?:,\s*(?P<year>\d{4})\s*)?,\s*N\s*=\s*(?P<size>\d{1,3}(?:,\d{3})+|\d+)(?!,?\d)\s*(?P<note>.*?)\s*$"
)


def entry_of(line: str) -> Entry | None:
    """Read a line such as ``Study 5:  Al-Hassan, 2019, N=423 (completers=312)``.

    The year may be absent; commas may part the thousands of N; one pair of brackets around what follows goes.

    Returns:
        None where it is no such line.
    """
    found = _ENTRY.match(line)
    if found is None:
        return None
    note = found["note"]
    if note.startswith("(") and note.endswith(")"):
        note = note[1:-1]
    year = int(found["year"]) if found["year"] else None
    return Entry(found["label"], found["author"], year, int(found["size"].replace(",", "")), note)
