"""What Inspect finds under the name ``tellapart``: our tasks, and our offline models."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from tellapart import offline
from tellapart.errors import MissingExtra, missing_extra
from tellapart.llm.tasks import Task, task
from tellapart.offline.provider import Offline

__all__ = ["Offline", "contrastive"]


def _refusing(name: str, error: MissingExtra) -> Callable[..., Task]:
    """A task that says what is missing; were it not there, Inspect would know none of ours."""

    def refuse(**_: Any) -> Task:
        raise error

    refuse.__name__ = refuse.__qualname__ = name
    return task(refuse)


try:
    from tellapart.contrastive.inspect_task import contrastive
except ModuleNotFoundError as error:
    if (missing := missing_extra(error)) is None:
        raise
    contrastive = _refusing("contrastive", missing)

for _module in iter_modules(offline.__path__):
    import_module(f"{offline.__name__}.{_module.name}")
