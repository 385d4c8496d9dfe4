"""How far work is, told to whoever watches: an interface for code that knows nothing of terminals.

Nothing here writes a line; ``tellapart.cli.progress`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeVar

T = TypeVar("T")


class Step(Protocol):
    """A piece of work with things that can be counted."""

    def update(self, done: int, *, note: str = "", total: int | None = None) -> None:
        """Say how much is done.

        Args:
            done: Of all, not since the last time.
            note: What else is worth knowing at the moment, such as ``, 2 failed``; put behind the count.
            total: How much there is, where that has changed.
        """


class Progress(Protocol):
    """Receives what is being done."""

    def __call__(self, message: str, /) -> None:
        """Take a line about what begins, or what has happened."""

    def step(
        self, what: str, total: int | None, *, unit: str = "", done: int = 0, summary: bool = False
    ) -> AbstractContextManager[Step]:
        """Begin work that can be counted; it ends with the block.

        Args:
            what: Being done, such as a model's name.
            total: How much there is; None where nobody knows.
            unit: Of the things counted, such as ``texts``.
            done: How much of it was done before.
            summary: Whether the end deserves a line, however short the work was.
        """


class _Silent:
    def __call__(self, message: str, /) -> None:
        pass

    def update(self, done: int, *, note: str = "", total: int | None = None) -> None:
        pass

    def step(
        self, what: str, total: int | None, *, unit: str = "", done: int = 0, summary: bool = False
    ) -> AbstractContextManager[Step]:
        return nullcontext(self)


SILENT: Progress = _Silent()
"""Reports nothing."""


def counted(items: Sequence[T], progress: Progress, what: str, *, unit: str) -> Iterator[T]:
    """Go through items as a step that ends with the last of them."""
    with progress.step(what, len(items), unit=unit) as step:
        for done, item in enumerate(items, 1):
            yield item
            step.update(done)


class Rate:
    """How fast something is done, for the note of a step."""

    def __init__(self, unit: str, clock: Callable[[], float]) -> None:
        """Begin now; ``unit`` is what is counted, in the plural, empty where the step says so itself."""
        self._unit, self._clock = f"{unit} " * bool(unit), clock
        self._start_s, self._done = clock(), 0

    def after(self, more: int) -> str:
        """The note when ``more`` are done since the last time: ``, 1,234 texts a second``."""
        self._done += more
        rate = self._done / max(self._clock() - self._start_s, 1e-9)
        return f", {rate:,.0f} {self._unit}a second" if rate >= 10 else f", {rate:.2g} {self._unit}a second"
