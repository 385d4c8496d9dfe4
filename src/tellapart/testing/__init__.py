"""Score tables whose truth is known: to test an analysis, this package's or your own.

`World` draws items, answers and gradings for models of known ability. `plant` gives tables in each of which
one thing is wrong, and `try_out` audits one and carries out the cheapest fix.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tellapart.testing.planted_tables import Planted, Trial, plant, try_out
    from tellapart.testing.simulation import World

__all__ = ["plant", "try_out", "Planted", "Trial", "World"]

_HOME = {
    "plant": "planted_tables",
    "try_out": "planted_tables",
    "Planted": "planted_tables",
    "Trial": "planted_tables",
    "World": "simulation",
}


def __getattr__(name: str) -> Any:
    """Import a name's module when it is first used: the statistics take seconds to import."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
