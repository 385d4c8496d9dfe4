"""What items ask and what was answered: read from logs when somebody looks at an item, not by an audit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

from tellapart.core.fingerprint import sha256
from tellapart.files import as_object, cannot_read, parse_json
from tellapart.store import ItemText, item_of, read_item_rows
from tellapart.store.tables import TEXT_COLUMNS

T = TypeVar("T")

Fact = str | int | float | bool

ASKS = "_asks"
"""Of rows that are read, the column of what each item asks, see `asked`."""


@dataclass(frozen=True)
class Answered:
    """One answer to an item, with what was asked; texts may be hostile, and empty where a log has none.

    Attributes:
        model: As the form's reader names it.
        facts: What else is known of the answer, by name, such as why a grader gave its score.
        messages: What was sent, if more than the question, the oldest first, with ``role`` and ``content``.
        call: What the messages were sent for, where the log names it.
    """

    model: str
    question: str = ""
    expected: str = ""
    answer: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    messages: tuple[Mapping[str, str], ...] = ()
    call: str = ""

    @classmethod
    def of(cls, model: str, texts: Mapping[str, Any], facts: Mapping[str, Any]) -> Answered:
        """Take values that may be no texts."""
        question, expected, answer = (as_text(texts.get(name)) for name in TEXT_COLUMNS)
        return cls(model, question, expected, answer, as_facts(facts))

    @property
    def item_texts(self) -> Iterator[ItemText]:
        """What of it is the item's and no answer."""
        for name, text in (("Question", self.question), ("Expected answer", self.expected)):
            if text.strip():
                yield ItemText(name, text)


class RowTexts(Generic[T]):
    """The texts of a file by item, each made by ``answered`` from a row when it is looked at."""

    def __init__(self, rows: Iterable[tuple[str, T]], answered: Callable[[T], Answered]) -> None:
        self._rows: dict[str, list[T]] = {}
        self._answered = answered
        for item, row in rows:
            self._rows.setdefault(item, []).append(row)

    @property
    def items(self) -> Iterable[str]:
        """Ids of the items that may have texts."""
        return self._rows.keys()

    def of(self, item: str) -> Sequence[Answered]:
        """Every answer to an item, in the order of the file; empty where there is none.

        Raises:
            InputError: The file has changed since.
        """
        return [self._answered(row) for row in self._rows.get(item, ())]


class Lines:
    """JSON objects of a file of one a line, read again where they are; only places are held in memory."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._open() as file:
            self._starts = [0, *accumulate(map(len, file))]

    def _open(self) -> BinaryIO:
        try:
            return self._path.open("rb")
        except OSError as error:
            raise cannot_read(self._path, error) from None

    def object_at(self, number: int) -> dict[str, Any]:
        """The object of a line, by its number from 1."""
        start, end = self._starts[number - 1 : number + 1]
        with self._open() as file:
            file.seek(start)
            line = file.read(end - start)
        where = f"{self._path}:{number}"
        return as_object(parse_json(line, where), where)


def run_texts(run: Path) -> RowTexts[Mapping[str, Any]]:
    """The texts that a run of our own keeps beside its scores."""
    rows = ((item_of(row), row) for row in read_item_rows(run))
    return RowTexts(rows, lambda row: Answered.of(str(row.get("model") or ""), row, {}))


def as_text(value: Any) -> str:
    """A text as it is; a list of messages or parts by their texts; nothing for null; all else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value):
        return "\n\n".join(as_text(entry.get("content", entry.get("text", entry))) for entry in value)
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return "\n".join(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def named_values(values: Mapping[str, Any]) -> str:
    """The text of the only value; of several each with its name, a line or more for each."""
    present = {name: as_text(value) for name, value in values.items() if value is not None}
    if len(present) == 1:
        return next(iter(present.values()))
    return "\n".join(f"{name}: {text}" for name, text in present.items())


def asked(question: Any) -> str | None:
    """Give a question a short name, the same for texts that differ in white space alone; None without one."""
    is_mapping = isinstance(question, Mapping)
    text = (
        named_values({name: question[name] for name in sorted(question)}) if is_mapping else as_text(question)
    )
    folded = " ".join(text.split())
    return f"{shortened(folded)} #{sha256(folded.encode())[:8]}" if folded else None


def shortened(text: str) -> str:
    """Give a text as one line of at most 40 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"


def as_facts(values: Mapping[str, Any]) -> dict[str, Fact]:
    """What of values can be shown beside an answer; empty ones are left out."""
    return {
        name: value if isinstance(value, int | float) else as_text(value)
        for name, value in values.items()
        if value is not None and value not in ("", [], {})
    }
