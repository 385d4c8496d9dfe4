"""All forms of data sets, found by themselves, and which of them a file has."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from tellapart.errors import InputError, UsageError, near_match
from tellapart.files import head, refuse_foreign
from tellapart.longcontext.importing.form import Form


@cache
def all_forms() -> Mapping[str, Form]:
    """Return every form that a module of this package describes, by name; a new module is all it takes."""
    package = import_module(__name__.rpartition(".")[0])
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    modules = (import_module(f"{package.__name__}.{name}") for name in names)
    forms = (module.FORM for module in modules if hasattr(module, "FORM"))
    return {form.name: form for form in forms}


def form_called(name: str) -> Form:
    """Return a form by its name.

    Raises:
        UsageError: There is none of this name.
    """
    forms = all_forms()
    if name not in forms:
        raise UsageError(f"there is no form {name!r}", next_step=near_match(name, forms))
    return forms[name]


def form_of(path: Path) -> Form:
    """Recognise the form of a file.

    Raises:
        InputError: It has none of them.
    """
    found = [form for form in all_forms().values() if form.recognises(path)]
    if len(found) == 1:
        return found[0]
    refuse_foreign(head(path), path, "a data set")
    raise InputError(
        "the form of this data set is not recognised",
        where=path,
        next_step=f"Name it before the file, one of: {', '.join(all_forms())}",
    )
