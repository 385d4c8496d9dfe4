"""The forms of data sets: a module of this package with ``FORM`` is one, and is found by itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from tellapart.core.discovery import described_in
from tellapart.errors import InputError, TellapartError, UsageError, near_match
from tellapart.files import as_objects, head, read_json, refuse_foreign
from tellapart.longcontext.case import Case

ACKNOWLEDGED = "OK."
"""The given reply to material that has none of its own, so that the model under test is not asked for one."""


class LeftOut(TellapartError):
    """A record of which no case can be made; the message is the cause, by which such records are counted."""


@dataclass(frozen=True)
class ImportSettings:
    """How a data set is imported; haystack, lengths and depths are for forms that leave the context open.

    A seed draws the cases where there is a limit, and names and the order of options. ``wrong_keys`` are ids,
    CASE or CASE/STEP, whose answer key is known to be wrong.
    """

    limit: int | None = None
    seed: int | None = None
    haystack: tuple[Path, ...] = ()
    lengths: tuple[int, ...] = ()
    depths: tuple[float, ...] = ()
    wrong_keys: frozenset[str] = frozenset()


@dataclass
class Tally:
    """What was changed or left out inside records whose cases are made, counted by cause."""

    changes: dict[str, int] = field(default_factory=dict)

    def add(self, change: str, count: int = 1) -> None:
        """Count a change; a count of 0 is none."""
        if count:
            self.changes[change] = self.changes.get(change, 0) + count


class Form(ABC):
    """The form in which a data set was published.

    Attributes:
        licence: Under which it was published.
        marks: What the beginning of a JSON file of this form has.
        takes: Which fields of `ImportSettings` it can use beside ``limit``, ``seed`` and ``wrong_keys``.
    """

    name: ClassVar[str]
    data_set: ClassVar[str]
    licence: ClassVar[str]
    marks: ClassVar[tuple[bytes, ...]] = ()
    takes: ClassVar[tuple[str, ...]] = ()

    def recognises(self, path: Path) -> bool:
        """Whether a file that can be read looks like one of this form."""
        beginning = head(path)
        return beginning.startswith((b"[", b"{")) and all(mark in beginning for mark in self.marks)

    def records(self, path: Path, settings: ImportSettings) -> Sequence[Any]:
        """Read a file."""
        return as_objects(read_json(path), path)

    @abstractmethod
    def label(self, record: Any, number: int) -> str:
        """What a record is called, for people."""

    @abstractmethod
    def case(self, record: Any, number: int, settings: ImportSettings, tally: Tally) -> Case:
        """Make the case of a record; one that raises ``InputError`` is left out, for that cause."""


@cache
def all_forms() -> Mapping[str, Form]:
    """Return every form that a module of this package describes, by name; a new module is all it takes."""
    forms: list[Form] = described_in(__name__.rpartition(".")[0], "FORM")
    return {form.name: form for form in forms}


def form_called(name: str) -> Form:
    """Return a form by its name."""
    forms = all_forms()
    if name not in forms:
        raise UsageError(f"there is no form {name!r}", next_step=near_match(name, forms))
    return forms[name]


def form_of(path: Path) -> Form:
    """Recognise the form of a file."""
    matching = [form for form in all_forms().values() if form.recognises(path)]
    if len(matching) == 1:
        return matching[0]
    refuse_foreign(head(path), path, "a data set")
    raise InputError(
        "the form of this data set is not recognised",
        where=path,
        next_step=f"Name it before the file, one of: {', '.join(all_forms())}",
    )
