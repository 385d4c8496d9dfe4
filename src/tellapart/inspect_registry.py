"""What Inspect finds under the name ``tellapart``: our tasks, one row a suite, and our offline models."""

from importlib import import_module
from pkgutil import iter_modules

from tellapart.contrastive.inspect_task import contrastive
from tellapart.longcontext.inspect_task import longcontext
from tellapart.testing import offline
from tellapart.testing.offline.provider import Offline

__all__ = ["Offline", "contrastive", "longcontext"]

for _module in iter_modules(offline.__path__):
    import_module(f"{offline.__name__}.{_module.name}")
