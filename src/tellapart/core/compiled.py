"""Loops compiled by numba, kept between processes where there is a place to keep them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def compiled(*, parallel: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a loop over arrays at its first call.

    Arithmetic keeps the order in which it is written, so that the same bits come out on any processor.

    Args:
        parallel: Share ``prange`` loops out among the cores; their turns must not depend on one another.

    Returns:
        A decorator. Where the directory of neither the module nor the user can be written, as in a sealed
        container, the loop is compiled anew in each process.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        options: dict[str, Any] = {"parallel": parallel, "nogil": True, "error_model": "numpy"}
        try:
            return cast(Callable[P, R], njit(cache=True, **options)(function))
        except RuntimeError:
            return cast(Callable[P, R], njit(cache=False, **options)(function))

    return decorate
