"""Loops compiled by numba, kept between processes where there is a place to keep them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial, wraps
from threading import Lock
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def compiled(
    *, parallel: bool = False, any_order: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a loop over arrays at its first call.

    Arithmetic keeps the order in which it is written, so that the same bits come out on any processor, unless
    sums may be added up in any order: then processors that add several numbers at once do, and the last bits
    are not to be relied on.
    """
    if parallel:
        return _shared_out
    return partial(_compile, fastmath={"reassoc", "contract"}) if any_order else _compile


class _Cores:
    """Who may use all cores: one thread at a time, and none in a forked process."""

    def __init__(self) -> None:
        self.turn = Lock()
        self.forked = False

    def fork(self) -> None:
        """Start anew in a child, whose copy of the lock may be held by a thread that it does not have."""
        self.turn = Lock()
        self.forked = True


_CORES = _Cores()
os.register_at_fork(after_in_child=_CORES.fork)


def _shared_out(function: Callable[P, R]) -> Callable[P, R]:
    on_all_cores = _compile(function, parallel=True)

    @cache
    def on_one_core() -> Callable[P, R]:
        return _compile(_renamed(function, f"{function.__name__}_on_one_core"))

    @wraps(function)
    def in_turn(*args: P.args, **kwargs: P.kwargs) -> R:
        with _CORES.turn:
            loop = on_one_core() if _CORES.forked else on_all_cores
            return loop(*args, **kwargs)

    return in_turn


def _renamed(function: Callable[P, R], name: str) -> Callable[P, R]:
    # numba keeps loops by name and not by options: under one name, the parallel loop would stand for both.
    if not isinstance(function, FunctionType):
        raise TypeError(f"{function!r} is not a function that is written in Python")
    renamed = FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    renamed.__qualname__ = name
    return cast(Callable[P, R], renamed)


def _compile(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    options = {"nogil": True, "error_model": "numpy", **options}
    try:
        return cast(Callable[P, R], njit(cache=True, **options)(function))
    except RuntimeError:
        return cast(Callable[P, R], njit(cache=False, **options)(function))
