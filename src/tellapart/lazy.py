"""Packages whose names are imported when they are first used (PEP 562), and that are functions themselves."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from types import ModuleType
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


class _CallableModule(ModuleType):
    """A package that is called, and described in ``help``, as the function of its name in `tellapart.api`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _function(self)(*args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(_function(self))

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        function = _function(self)
        return f"{function.__name__}{inspect.signature(function)}\n\n{inspect.getdoc(function)}"


def _function(module: ModuleType) -> Any:
    """The function of the front door, which is imported once somebody needs it."""
    return getattr(import_module("tellapart.api"), module.__name__.rpartition(".")[2])


def make_callable(package: str) -> None:
    """Let a package be called.

    Importing ``tellapart.readers`` binds the name ``audit`` of ``tellapart`` to the package, so that a
    function of that name would be gone; with this the package is the function too.
    """
    sys.modules[package].__class__ = _CallableModule
