"""All forms of scores: those of this package, those that other packages add, and which of them a file has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from pkgutil import iter_modules

from tellapart.audit import reading
from tellapart.audit.reading import plain_table
from tellapart.audit.reading.reader import Choices, LogScores, Reader
from tellapart.audit.reading.texts import TextReader, Texts
from tellapart.errors import InputError, TellapartError
from tellapart.files import read_json, read_object, refuse_foreign

GROUP = "tellapart.readers"
"""The entry points by which other packages add readers: a module or an object that is a `Reader`."""

_LOOKED_AT = 1 << 16
_SUMMARIES = ("capsules", "eval_header")
"""Keys of sweeps and scoreboards."""
_LIKE_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\{\s*"|\[\s*[\[{"])')
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True)
class Forms:
    """What reads each form.

    Attributes:
        readers: In the order in which they are tried: those of this package, those of other packages by their
            names, and that of anybody's tables, which takes what is left.
        broken: A sentence for each reader of another package that cannot be loaded.
    """

    readers: tuple[Reader, ...]
    broken: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with readers of other packages, so far, a sentence each."""
        failed = [form.fault for form in self.readers if isinstance(form, _Guarded) and form.fault]
        return (*self.broken, *failed)

    def of(self, path: Path, choices: Choices) -> Reader:
        """Give the reader of a file or directory."""
        if (choices.columns is not None or choices.wide is not None) and path.is_file():
            return plain_table
        recognised = self.recognised(path)
        if recognised is None or recognised is plain_table:
            _refuse_summaries(path)
        if recognised is None:
            _refuse_foreign(path)
            _refuse_broken_json(path)
            expected = f"Expected one of: {names_of(self.readers)}."
            raise InputError(
                "the form of these scores is not recognised",
                where=path,
                next_step=" ".join([expected, *self.faults]),
            )
        return recognised

    def recognised(self, path: Path) -> Reader | None:
        """Give the reader of a file or directory; None where no form fits."""
        return next((form for form in self.readers if form.recognises(path)), None)


def all_forms() -> Forms:
    """Find the forms; a reader of another package that cannot be loaded is left out and named."""
    readers: list[Reader] = []
    broken: list[str] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            reader = point.load()
        except Exception as error:
            broken.append(f"The reader {_named(point)} cannot be loaded: {error!r}.")
            continue
        if isinstance(reader, Reader):
            guarded = _GuardedTexts if isinstance(reader, TextReader) else _Guarded
            readers.append(guarded(reader, _named(point)))
        else:
            broken.append(f"The reader {_named(point)} lacks one of NAME, TAKES, recognises and read.")
    return Forms((*_own_readers(), *readers, plain_table), tuple(broken))


@cache
def _own_readers() -> tuple[Reader, ...]:
    names = sorted(module.name for module in iter_modules(reading.__path__))
    modules = [import_module(f"{reading.__name__}.{name}") for name in names]
    return tuple(module for module in modules if isinstance(module, Reader) and module is not plain_table)


def _named(point: EntryPoint) -> str:
    package = point.dist.name if point.dist is not None else point.value
    return f"{point.name!r} of the package {package!r}"


class _Guarded:
    """A reader of another package, whose faults are told as its own."""

    def __init__(self, reader: Reader, name: str) -> None:
        self._reader, self._name = reader, name
        self.NAME, self.TAKES = reader.NAME, tuple(reader.TAKES)
        self.fault = ""

    def recognises(self, path: Path) -> bool:
        try:
            return bool(self._reader.recognises(path))
        except Exception as error:
            self.fault = f"The reader {self._name} failed to look at {path}: {error!r}."
            return False

    def read(self, path: Path, choices: Choices) -> LogScores:
        with self._guarding(path):
            return self._reader.read(path, choices)

    @contextmanager
    def _guarding(self, path: Path) -> Iterator[None]:
        try:
            yield
        except TellapartError:
            raise
        except Exception as error:
            raise InputError(
                f"the reader {self._name} failed: {error!r}",
                where=path,
                next_step="Report it to that package, or uninstall it",
            ) from error


class _GuardedTexts(_Guarded):
    """One that gives texts, too."""

    def texts(self, path: Path, choices: Choices) -> Texts:
        if not isinstance(self._reader, TextReader):
            raise TypeError(f"the reader {self._name} gives no texts")
        with self._guarding(path):
            return self._reader.texts(path, choices)


def _refuse_summaries(path: Path) -> None:
    """Refuse scoreboards and sweeps, which hold figures of whole runs, with the command that takes them."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        head = file.read(_LOOKED_AT)
    if not head.lstrip().startswith(b"{") or not any(b'"%s"' % key.encode() in head for key in _SUMMARIES):
        return
    try:
        value = read_object(path)
    except InputError:
        return
    if value.keys().isdisjoint(_SUMMARIES):
        return
    scores = path.with_name(f"{path.stem}.scores.parquet")
    raise InputError(
        "this holds figures of whole runs, and an audit compares item by item",
        where=path,
        next_step=f"Give the scores beside it: tellapart audit {scores}"
        if scores.exists()
        else f"Compare the runs in it: tellapart bundles seeds {path}",
    )


def _refuse_foreign(path: Path) -> None:
    """Refuse what no reader takes and what is well known to be something else, with what to do about it."""
    with path.open("rb") as file:
        head = file.read(_LOOKED_AT)
    refuse_foreign(head, path, "scores")
    before, nul, _ = head.partition(b"\0")
    if nul and b"\n" in before and not _CONTROLS.search(before):
        line = 1 + before.count(b"\n")
        raise InputError(
            "this looks like text, but this line holds a NUL byte",
            where=f"{path}:{line}",
            next_step="Export the file again",
        )


def _refuse_broken_json(path: Path) -> None:
    """Refuse what is named or begins like JSON and is none, with the place of the fault."""
    with path.open("rb") as file:
        head = file.read(_LOOKED_AT)
    if path.suffix.casefold() == ".json" or _LIKE_JSON.match(head):
        read_json(path)


def names_of(forms: Sequence[Reader]) -> str:
    """List the forms for a message."""
    return ", ".join(dict.fromkeys(form.NAME for form in forms))
