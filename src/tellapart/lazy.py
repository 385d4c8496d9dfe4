"""Names that a package gives from its modules, each imported when it is first used (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package."""

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{home[name]}"), name)

    return find


def names_from(package: str, names: Collection[str], *modules: str) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package that looks for its names in modules, the quick ones first."""

    def find(name: str) -> Any:
        for module in modules if name in names else ():
            value = getattr(import_module(f"{package}.{module}"), name, None)
            if value is not None:
                return value
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find
