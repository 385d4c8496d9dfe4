"""Lines of journals: one JSON object each, with a checksum of its own, so that damage is noticed.

One rule for every journal that is written. Whoever goes on with one passes over what is damaged, says so with
a `DamageWarning`, and does the work of those lines again: lines of NULs and half a line, as a power cut
leaves them, lines with a flipped bit, and lines that are no entry. Whoever only reads the journal of a
finished run refuses it instead: what is missing in it would change a result.
"""

from __future__ import annotations

import json
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tellapart.errors import FingerprintError, InputError

_SEAL = b',"crc32":"%08x"}'
_SEAL_BYTES = len(_SEAL % 0)

_MOST_NUMBERS = 5


class DamageWarning(UserWarning):
    """Something that was written before is damaged; its work is done again."""


class DamagedLine(ValueError):
    """A line of a journal that cannot be used."""


@dataclass(frozen=True)
class JournalLine:
    """A line that ends, as all but a last one do.

    Attributes:
        start: Byte at which it begins.
        length: Its bytes, with the line end.
        entry: What it says; None where it is damaged.
    """

    start: int
    length: int
    entry: dict[str, Any] | None


@dataclass
class Damage:
    """What of a journal cannot be used.

    Attributes:
        lines: Numbers of damaged lines, from 1.
        is_cut: Whether the last line does not end.
        is_empty: Whether there is a file without a single byte.
    """

    lines: list[int] = field(default_factory=list)
    is_cut: bool = False
    is_empty: bool = False

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.lines) or self.is_cut or self.is_empty

    def __str__(self) -> str:
        """Name it, for the beginning of a sentence."""
        if self.is_empty:
            return "this journal is empty"
        parts = []
        if self.lines:
            numbers = ", ".join(f"{number:,}" for number in self.lines[:_MOST_NUMBERS])
            more = len(self.lines) - _MOST_NUMBERS
            lines = "1 damaged line" if len(self.lines) == 1 else f"{len(self.lines):,} damaged lines"
            parts.append(f"{lines} ({numbers}{f' and {more:,} more' if more > 0 else ''})")
        if self.is_cut:
            parts.append("a last line that was cut off")
        return " and ".join(parts)

    def warn(self, path: Path, lost: str) -> None:
        """Say what of a journal is passed over, if anything is; the same is said once."""
        if self:
            verb = "; if it held lines," if self.is_empty else " passed over:"
            warnings.warn(f"{path}: {self}{verb} {lost}.", DamageWarning, stacklevel=1)


def sealed_line(text: bytes) -> bytes:
    """Make a line of a JSON object that is not empty: with a checksum of its bytes as the last key."""
    if not (text.startswith(b"{") and text.endswith(b"}") and len(text) > 2):
        raise ValueError(f"{text[:60]!r}, expected a JSON object that is not empty")
    return text[:-1] + _SEAL % zlib.crc32(text) + b"\n"


def read_line(line: bytes) -> dict[str, Any]:
    """Read a line back, without its checksum."""
    text = line.removesuffix(b"\n")
    body = text[:-_SEAL_BYTES] + b"}"
    if text[-_SEAL_BYTES:] != _SEAL % zlib.crc32(body):
        raise DamagedLine("its checksum is missing, or another one")
    entry: dict[str, Any] = json.loads(body)
    return entry


def read_lines(path: Path, damage: Damage) -> Iterator[JournalLine]:
    """Read a journal line by line, in memory for one of them."""
    if not path.exists():
        return
    start = 0
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(f"cannot read this journal: {error.strerror}", where=path) from None
    with file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                damage.is_cut = True
                return
            entry = None
            try:
                entry = read_line(line)
            except DamagedLine:
                damage.lines.append(number)
            yield JournalLine(start, len(line), entry)
            start += len(line)
    damage.is_empty = not start


def refuse_damage(path: Path, damage: Damage, lost: str) -> None:
    """Refuse a journal of a finished run in which something cannot be used."""
    # An empty one may never have had a line: what is not recorded in it is missing where it is looked for.
    if not damage.lines and not damage.is_cut:
        return
    raise FingerprintError(
        f"this journal has {damage}",
        where=f"{path}:{damage.lines[0]}" if damage.lines else path,
        next_step=f"Restore it from a copy; without these lines {lost}",
    )
