"""How far work is, told to whoever watches: an interface for code that knows nothing of terminals.

Nothing here reads a clock or writes a line; ``tellapart.cli.progress`` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    """Go through items as a step that ends with the last of them.

    Args:
        items: Each is one thing to do.
        progress: Receives how many are done.
        what: As for ``Progress.step``.
        unit: As for ``Progress.step``.
    """
    with progress.step(what, len(items), unit=unit) as step:
        for done, item in enumerate(items, 1):
            yield item
            step.update(done)
