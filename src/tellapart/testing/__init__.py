"""What stands in for the real thing in tests, this package's or your own; no command imports any of it.

- `offline`: models that need no network, each a function of yours.
- `loopback`: a server on this machine that speaks the APIs of providers, with their failures on request.
- `World` draws items, answers and gradings for models of known ability; `plant` gives tables of scores in
  each of which one thing is wrong, and `try_out` audits one and carries out the cheapest fix.
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
