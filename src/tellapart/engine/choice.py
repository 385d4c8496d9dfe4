"""Which engine, with how many workers and how much memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tellapart.core.jobs import Job, Spread
from tellapart.engine.stages import Engine, do_tasks
from tellapart.errors import MissingExtra, UsageError

ENGINES = ("local", "ray")

_SHARE = 0.7
"""Of the memory that is there, what workers together may use."""

LEAST_BYTES = 512 * 2**20
"""What a worker needs for Python, its libraries and a small model."""


def cores() -> int:
    """Give the number of cores that this process may use, 1 or more; results must not depend on it."""
    may = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return len(may)


@dataclass(frozen=True)
class EngineOptions:
    """Where and how wide work is done; changes nothing but the time.

    Attributes:
        engine: One of ``ENGINES``.
        workers: How many tasks are done at a time; None for one for each processor, or as memory allows.
        memory_bytes: What all workers of a machine together may use; None for 70 % of what is there.
        address: Of a Ray cluster, or ``auto``; None for a Ray of its own.
        num_gpus: Of each worker of Ray.
    """

    engine: str = "local"
    workers: int | None = None
    memory_bytes: int | None = None
    address: str | None = None
    num_gpus: float = 0.0

    def check(self) -> None:
        """Refuse what cannot be."""
        if self.engine not in ENGINES:
            raise UsageError(f"--engine is {self.engine!r}, expected one of {', '.join(ENGINES)}")
        if self.engine == "local" and (self.address is not None or self.num_gpus):
            raise UsageError(
                "--address and --num-gpus are for clusters", next_step="Add --engine ray, or leave them out"
            )
        if self.engine == "ray" and find_spec("ray") is None:
            raise MissingExtra("--engine ray", "ray")
        if self.address is not None:
            from tellapart.engine.cluster import check_address

            check_address(self.address)

    @property
    def most_workers(self) -> int:
        """How many workers this machine has; what a cluster has is known once one has joined it."""
        if self.workers is not None:
            return self.workers
        return max(1, min(cores(), self.memory // LEAST_BYTES))

    @property
    def memory(self) -> int:
        """What all workers of a machine together may use, in bytes."""
        return int(memory_of_machine() * _SHARE) if self.memory_bytes is None else self.memory_bytes

    @property
    def memory_of_worker(self) -> int:
        """What one worker may use, in bytes."""
        return self.memory // self.most_workers


@contextmanager
def open_engine(options: EngineOptions) -> Iterator[Engine]:
    """Start an engine, and end it with the block."""
    options.check()
    engine: Engine
    if options.engine == "ray":
        from tellapart.engine.cluster import RayEngine

        engine = RayEngine(options.address, options.workers, options.memory_of_worker, options.num_gpus)
    elif options.engine == "local":
        from tellapart.engine.local import LocalEngine

        engine = LocalEngine(options.most_workers, options.memory_of_worker)
    else:
        raise ValueError(f"nothing here starts the engine {options.engine!r}")
    try:
        yield engine
    finally:
        engine.close()


@contextmanager
def open_spread(options: EngineOptions) -> Iterator[Spread]:
    """Have an engine do tasks whose results come back to the caller; it is started when there are some."""
    options.check()
    with ExitStack() as stack:
        engines: list[Engine] = []

        def spread(job: Job, tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
            if not engines:
                engines.append(stack.enter_context(open_engine(options)))
            return do_tasks(engines[0], job, tasks)

        yield spread


def memory_of_machine() -> int:
    """Bytes of memory that this process may use: the machine's, or the limit of its container."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(limit).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdigit():
            there = min(there, int(text))
    return there
