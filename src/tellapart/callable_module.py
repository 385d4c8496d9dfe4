"""Packages that are also functions: ``tellapart.audit(x)`` beside ``tellapart.audit.reading``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """A module that calls a function of the same purpose, which is imported when it is first called."""

    _call: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)


def make_callable(module: str, home: str, function: str) -> None:
    """Let a module be called.

    Importing ``tellapart.audit.reading`` binds the name ``audit`` of ``tellapart`` to the package, so that a
    function of that name would be gone; with this the package is the function too.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(import_module(home), function)(*args, **kwargs)

    this = sys.modules[module]
    this.__class__ = _CallableModule
    vars(this)["_call"] = call
