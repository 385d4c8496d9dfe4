"""Packages that are also functions: ``tellapart.audit(x)`` beside ``tellapart.readers``."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from types import ModuleType
from typing import Any


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
