"""Score tables whose truth is known: to test an analysis, this package's or your own.

`World` draws items, answers and gradings for models of known ability. `plant` gives tables in each of which
one thing is wrong, and `try_out` audits one and carries out the cheapest fix.
"""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

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


# The statistics take seconds to import.
__getattr__ = lazy_names(__name__, _HOME)
