"""Records as programs read them."""

from dataclasses import asdict
from functools import wraps

from tellapart.core.estimate import Estimate
from tellapart.core.record import StoredRecord


def as_json(function):
    """The same function, whose records come as their JSON."""

    @wraps(function)
    def called(*arguments, **options):
        return plain(function(*arguments, **options))

    return called


def plain(value):
    """The JSON of a record or an estimate, and of those in a mapping or in a sequence."""
    if isinstance(value, StoredRecord):
        return value.to_json()
    if isinstance(value, Estimate):
        return asdict(value)
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    return value
