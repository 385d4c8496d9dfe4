"""Settings as a run records them: the fields of a frozen dataclass, unless their types say otherwise.

A field is recorded under its name, as it is::

    @dataclass(frozen=True)
    class Sampling:
        draws: int = 1000
        server: Annotated[str | None, Recorded(_address)] = None
        concurrency: Annotated[int, Unrecorded(NO_EFFECT)] = 4

So a new field is in the record, and in the name of the run, without another line; one that is not says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

NO_EFFECT = "it changes time, cost or patience, not what is done"
AMONG_INPUTS = "the run's inputs have its fingerprint"
SEED_OF_RUN = "it is the run's seed"
"""Why a field is not recorded; `Unrecorded` takes any other reason too."""


@dataclass(frozen=True)
class Recorded:
    """In the type of a field: how it is recorded, where not under its name and as it is.

    Attributes:
        entries: From the settings as a whole to entries of the record; none where the field has no effect.
            Fields that are recorded together have the same function.
    """

    entries: Callable[[Any], Mapping[str, Any]]


@dataclass(frozen=True)
class Unrecorded:
    """In the type of a field: it is not recorded.

    Attributes:
        why: Why a run with another value has the same record.
    """

    why: str


def settings_record(settings: Any) -> dict[str, Any]:
    """What may change results, JSON-able, in the order of the fields; so are settings in settings."""
    record: dict[str, Any] = {}
    model: Any = type(settings)
    for name, (_, *notes) in field_types(model).items():
        note = next((note for note in notes if isinstance(note, Recorded | Unrecorded)), None)
        if note is None:
            record[name] = _plain(getattr(settings, name), f"{model.__name__}.{name}")
        elif isinstance(note, Recorded):
            record |= note.entries(settings)
    return record


@cache
def field_types(model: Any) -> dict[str, Sequence[Any]]:
    """Of each field of a dataclass its type, and what is noted with it."""
    hints = get_type_hints(model, include_extras=True)
    return {field.name: annotated(hints[field.name]) for field in fields(model)}


def annotated(kind: Any) -> Sequence[Any]:
    """A type, and what is noted with it."""
    return get_args(kind) if get_origin(kind) is Annotated else (kind,)


def _plain(value: Any, where: str) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {name: _plain(entry, where) for name, entry in value.items()}
    if isinstance(value, Sequence):
        return [_plain(entry, where) for entry in value]
    if is_dataclass(value):
        return settings_record(value)
    raise TypeError(f"{where} is {value!r}, which is not JSON-able: its type needs Recorded or Unrecorded")
