"""Work that is cut into tasks, for whoever does not care where they are done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar, overload

T = TypeVar("T")


class Job(Protocol):
    """What is done with each of many tasks; it, its tasks and its results can be pickled.

    What comes out of a task depends on the job and the task alone: it may be done anywhere, and again.
    """

    @property
    def name(self) -> str:
        """Of the job, for messages."""

    def open(self) -> Any:
        """Load what a worker needs for all its tasks, such as a model; called once in each."""

    def do(self, state: Any, task: Any) -> Any:
        """Do one task with what ``open`` gave."""

    def describe(self, task: Any) -> str:
        """Say which task this is to somebody whose worker it takes down: files and rows."""


class Spread(Protocol):
    """Does tasks at the same time, in other processes, here or on a cluster."""

    def __call__(self, job: Job, tasks: Sequence[Any], /) -> Iterator[tuple[int, Any]]:
        """Do all tasks, each taken when there is a worker for it.

        Yields:
            The number of a task and its result, as they come.

        Raises:
            TellapartError: As the first task raised it; or its workers are lost again and again.
        """


class Made(Sequence[T], Generic[T]):
    """Tasks that are made when they are taken, since all of them at once would take too much memory."""

    def __init__(self, count: int, make: Callable[[int], T]) -> None:
        """Have ``count`` tasks; ``make`` gives the one of a number."""
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        numbers = range(self._count)[index]
        return self._make(numbers) if isinstance(numbers, int) else [self._make(i) for i in numbers]
