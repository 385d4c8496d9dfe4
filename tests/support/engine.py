"""An engine without processes of its own: for tests, and for debuggers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tellapart.core.jobs import Job
from tellapart.engine.stages import Bench, Order, Outcome, Worker


class _Here:
    def __init__(self) -> None:
        self.bench = Bench()
        self.job: Job | None = None
        self.order: Order | None = None

    def begin(self, job: Job, order: Order) -> None:
        self.job, self.order = None if job is self.bench.job else job, order


class InProcessEngine:
    """Does one task after the other in this process."""

    name = "in-process"
    workers = 1

    def __init__(self, memory_bytes: int = 2**30) -> None:
        """Work with so much memory."""
        self.memory_bytes = memory_bytes
        self.idle: list[Worker] = []

    def start(self) -> Worker:
        """See ``Engine``."""
        return _Here()

    def wait(self, busy: Sequence[Worker]) -> list[tuple[Worker, Outcome]]:
        """See ``Engine``."""
        return [
            (worker, worker.bench.carry_out(worker.job, worker.order))
            for worker in busy
            if isinstance(worker, _Here) and worker.order is not None
        ]

    def drop_lost(self) -> None:
        """None is."""

    def close(self) -> None:
        """See ``Engine``."""
        self.idle.clear()


@contextmanager
def in_process(memory_bytes: int) -> Iterator[InProcessEngine]:
    """Open such an engine, as ``open_engine`` opens others."""
    yield InProcessEngine(memory_bytes)
