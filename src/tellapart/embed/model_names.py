"""The names of models, known without importing one."""

from __future__ import annotations

from pkgutil import iter_modules

from tellapart.embed import models
from tellapart.errors import UsageError, near_match


def names() -> list[str]:
    """Every model's name up to the colon, sorted."""
    return sorted(module.name for module in iter_modules(models.__path__))


def require_known(name: str) -> str:
    """Give a model's name up to the colon."""
    stem = name.partition(":")[0]
    if stem not in names():
        step = near_match(stem, names())
        if "/" in name:
            step = f"A model of sentence-transformers is written st:{name}. {step}"
        raise UsageError(f"unknown model {name!r}", next_step=step)
    return stem
