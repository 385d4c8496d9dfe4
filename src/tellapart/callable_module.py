"""Packages that are also functions: ``tellapart.audit(x)`` beside ``tellapart.audit.reading``."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """A package that calls the function of its name in `tellapart.api`, which is imported then."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = self.__name__.rpartition(".")[2]
        return getattr(import_module("tellapart.api"), name)(*args, **kwargs)


def make_callable(package: str) -> None:
    """Let a package be called.

    Importing ``tellapart.audit.reading`` binds the name ``audit`` of ``tellapart`` to the package, so that a
    function of that name would be gone; with this the package is the function too.
    """
    sys.modules[package].__class__ = _CallableModule
