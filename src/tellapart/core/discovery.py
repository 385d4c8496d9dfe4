"""Modules that are found by themselves: a new one in a package is all it takes."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any


def described_in(package: str, name: str) -> list[Any]:
    """List what the modules of a package define under a name, in the order of the modules."""
    paths = import_module(package).__path__
    names = sorted(module.name for module in pkgutil.iter_modules(paths))
    modules = [import_module(f"{package}.{module}") for module in names]
    return [getattr(module, name) for module in modules if hasattr(module, name)]
