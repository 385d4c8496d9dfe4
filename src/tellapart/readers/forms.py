"""All forms of scores, and which of them a file has."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from tellapart import readers as package
from tellapart.errors import InputError
from tellapart.files import head, read_json, read_object, refuse_foreign
from tellapart.readers import table
from tellapart.readers.reader import Reader
from tellapart.readers.settings import ReadingSettings

_SUMMARIES = ("capsules", "eval_header")
"""Keys of sweeps and scoreboards."""
_LIKE_JSON = re.compile(rb'\{\s*"|\[\s*[\[{"]')
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")


@cache
def readers() -> tuple[Reader, ...]:
    """Give the reader of each form, in the order in which they are tried; tables take what is left."""
    names = sorted(module.name for module in iter_modules(package.__path__))
    # Marks of simple harnesses are keys, which whole logs of others may have, too.
    names.sort(key=lambda name: name == "harnesses")
    modules = [import_module(f"{package.__name__}.{name}") for name in names]
    forms = [form for module in modules for form in getattr(module, "FORMS", (module,))]
    return (*(form for form in forms if isinstance(form, Reader) and form is not table), table)


def reader_of(path: Path, settings: ReadingSettings) -> Reader:
    """Give the reader of a file or directory."""
    if settings.are_of_a_table and path.is_file():
        return table
    recognised = recognised_by(path)
    if recognised in (None, table):
        _refuse_summaries(path)
    if recognised is not None:
        return recognised
    start = head(path)
    refuse_foreign(start, path, "scores")
    before, nul, _ = start.partition(b"\0")
    if nul and b"\n" in before and not _CONTROLS.search(before):
        raise InputError(
            "this looks like text, but this line holds a NUL byte",
            where=f"{path}:{1 + before.count(10)}",
            next_step="Export the file again",
        )
    if path.suffix.casefold() == ".json" or _LIKE_JSON.match(start):
        # Says where what looks like JSON is none.
        read_json(path)
    raise InputError(
        "the form of these scores is not recognised",
        where=path,
        next_step=f"Expected one of: {form_names()}",
    )


def recognised_by(path: Path) -> Reader | None:
    """Give the reader that recognises a file or directory; None where no form fits."""
    return next((reader for reader in readers() if reader.recognises(path)), None)


def form_names() -> str:
    """List the forms for a message."""
    return ", ".join(dict.fromkeys(reader.NAME for reader in readers()))


def _refuse_summaries(path: Path) -> None:
    """Refuse scoreboards and sweeps, which hold figures of whole runs, with the command that takes them."""
    start = head(path)
    if not start.startswith(b"{") or not any(b'"%s"' % key.encode() in start for key in _SUMMARIES):
        return
    try:
        is_summary = not read_object(path).keys().isdisjoint(_SUMMARIES)
    except InputError:
        return
    if is_summary:
        scores = path.with_name(f"{path.stem}.scores.parquet")
        raise InputError(
            "this holds figures of whole runs, and an audit compares item by item",
            where=path,
            next_step=f"Give the scores beside it: tellapart audit {scores}"
            if scores.exists()
            else f"Compare the runs in it: tellapart bundles seeds {path}",
        )
