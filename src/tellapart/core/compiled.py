"""Loops compiled by numba, kept between processes where there is a place to keep them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from threading import Lock
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


_TURN = Lock()
"""Of parallel loops one runs at a time: not all of numba's thread pools can be called by several threads."""


def _shared_out(function: Callable[P, R]) -> Callable[P, R]:
    on_all_cores = _compile(function, parallel=True)

    @wraps(function)
    def in_turn(*args: P.args, **kwargs: P.kwargs) -> R:
        with _TURN:
            return on_all_cores(*args, **kwargs)

    return in_turn


def _compile(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    options = {"nogil": True, "error_model": "numpy", **options}
    try:
        return cast(Callable[P, R], njit(cache=True, **options)(function))
    except RuntimeError:
        return cast(Callable[P, R], njit(cache=False, **options)(function))
