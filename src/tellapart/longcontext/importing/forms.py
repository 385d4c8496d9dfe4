"""All forms of data sets, found by themselves, and which of them a file has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tellapart.core.discovery import described_in
from tellapart.errors import InputError, UsageError, near_match
from tellapart.files import head, refuse_foreign
from tellapart.longcontext.importing.form import Form


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
