"""The forms of data sets: a module of this package with ``FORM`` is one, and is found by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Literal

from tellapart.errors import InputError, UsageError, near_match
from tellapart.files import as_objects, head, read_json, refuse_foreign
from tellapart.longcontext.case import Case
from tellapart.longcontext.design import ImportSettings

ACKNOWLEDGED = "OK."
"""The given reply to material that has none of its own, so that the model under test is not asked for one."""

Role = Literal["user", "assistant"]

Records = Sequence[Mapping[str, Any]]

Tally = Counter[str]
"""What was changed or left out inside a record whose case is made, counted by cause."""


def _objects(path: Path, _: ImportSettings) -> Records:
    return as_objects(read_json(path), path)


@dataclass(frozen=True)
class Form:
    """The form in which a data set was published.

    Attributes:
        marks: What the beginning of a file of this form has: all marks of one of these groups.
        case: Makes the case of a record; one that raises ``InputError`` is left out, for that cause.
        id_key: Key of a record's name.
        takes: Which fields of `ImportSettings` it can use beside ``limit``, ``seed`` and ``wrong_keys``.
    """

    name: str
    data_set: str
    licence: str
    marks: tuple[tuple[bytes, ...], ...]
    case: Callable[[Any, int, ImportSettings, Tally], Case]
    id_key: str
    records: Callable[[Path, ImportSettings], Records] = _objects
    takes: tuple[str, ...] = ()


@cache
def all_forms() -> Mapping[str, Form]:
    """Return every form that a module of this package describes, by name; a new module is all it takes."""
    package = import_module(__name__.rpartition(".")[0])
    names = sorted(module.name for module in iter_modules(package.__path__))
    modules = [import_module(f"{package.__name__}.{name}") for name in names]
    forms: list[Form] = [module.FORM for module in modules if hasattr(module, "FORM")]
    return {form.name: form for form in forms}


def form_called(name: str) -> Form:
    """Return a form by its name."""
    forms = all_forms()
    if name not in forms:
        raise UsageError(f"there is no form {name!r}", next_step=near_match(name, forms))
    return forms[name]


def form_of(path: Path) -> Form:
    """Recognise the form of a file."""
    start = head(path)
    forms = all_forms().values()
    matching = [form for form in forms if any(all(mark in start for mark in group) for group in form.marks)]
    if len(matching) == 1:
        return matching[0]
    refuse_foreign(start, path, "a data set")
    raise InputError(
        "the form of this data set is not recognised",
        where=path,
        next_step=f"Name it before the file, one of: {', '.join(all_forms())}",
    )


def exchanges(turns: Iterable[tuple[Role, str]], opening: str, tally: Tally) -> list[tuple[str, str]]:
    """Pair the recorded turns of one session: what a user said, and the reply.

    Turns of one role in a row are joined with a blank line. Where the assistant begins, the user's part is
    the opening alone; where the user has the last word, the reply is ``ACKNOWLEDGED``. Turns without text are
    left out. All of that is counted, and so are the spaces around texts, which are not kept.
    """
    stripped = [(role, text.strip()) for role, text in turns]
    tally["turns without text, left out"] += sum(not text for _, text in stripped)
    joined: list[tuple[Role, str]] = []
    for role, group in groupby((turn for turn in stripped if turn[1]), key=lambda turn: turn[0]):
        texts = [text for _, text in group]
        tally["turns joined with the one before, which has the same role"] += len(texts) - 1
        joined.append((role, "\n\n".join(texts)))
    if not joined:
        return []
    if joined[0][0] == "assistant":
        part = "the date" if opening else "'…'"
        tally[f"sessions that an assistant begins: the user's part is {part}"] += 1
        joined.insert(0, ("user", "" if opening else "…"))
    if joined[-1][0] == "user":
        tally[f"sessions that a user ends: the reply is {ACKNOWLEDGED!r}"] += 1
        joined.append(("assistant", ACKNOWLEDGED))
    if opening:
        joined[0] = ("user", f"{opening}\n\n{joined[0][1]}".strip())
    return [(user, reply) for (_, user), (_, reply) in zip(joined[::2], joined[1::2], strict=True)]
