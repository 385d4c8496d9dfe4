"""Workers of this machine: processes of their own, one thread each."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread

from tellapart.core.jobs import Job
from tellapart.engine.stages import Bench, Died, Order, Outcome, Worker

_CONTEXT = get_context("spawn")

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"),
    "1",
)
"""Libraries read these when they are imported. With more threads the sums of a model are in another order."""


_LEAVE_S = 5.0


class LocalWorker:
    """A process that does tasks, and ends with its parent."""

    def __init__(self) -> None:
        """Start it."""
        self.connection, theirs = _CONTEXT.Pipe()
        self._job: Job | None = None
        self.process = _CONTEXT.Process(target=_serve, args=(theirs,), daemon=True)
        with _environment(ONE_THREAD | _quiet()), _without_interrupts():
            self.process.start()
        theirs.close()

    def begin(self, job: Job, order: Order) -> None:
        """See ``Worker``."""
        news = None if job is self._job else job
        self._job = job
        # One that died between two tasks is noticed when its outcome is waited for.
        with suppress(ConnectionError):
            self.connection.send((news, order))

    def outcome(self) -> Outcome:
        """What came of the task, once there is something to receive."""
        try:
            received: Outcome = self.connection.recv()
        except (EOFError, OSError):
            # An OSError where it was lost in the middle of what it sent.
            self.process.join()
            return Died(_ending(self.process.exitcode))
        return received


class LocalEngine:
    """Workers of this machine."""

    name = "local"

    def __init__(self, workers: int, memory_bytes: int) -> None:
        """Start none yet; ``memory_bytes`` is what each may use."""
        self.workers, self.memory_bytes = workers, memory_bytes
        self.idle: list[Worker] = []
        self._started: list[LocalWorker] = []

    def start(self) -> Worker:
        """See ``Engine``."""
        worker = LocalWorker()
        self._started.append(worker)
        return worker

    def wait(self, busy: Sequence[Worker]) -> list[tuple[Worker, Outcome]]:
        """See ``Engine``."""
        by_connection = {worker.connection: worker for worker in busy if isinstance(worker, LocalWorker)}
        ready = [
            by_connection[connection]
            for connection in wait([*by_connection])
            if isinstance(connection, Connection)
        ]
        return [(worker, worker.outcome()) for worker in ready]

    def drop_lost(self) -> None:
        """See ``Engine``."""
        self.idle = [
            worker for worker in self.idle if not isinstance(worker, LocalWorker) or worker.process.is_alive()
        ]

    def close(self) -> None:
        """See ``Engine``."""
        for worker in self._started:
            # Idle ones end by themselves, and tidy up.
            worker.connection.close()
            if worker not in self.idle:
                worker.process.kill()
        for worker in self._started:
            worker.process.join(_LEAVE_S)
            worker.process.kill()
            worker.process.join()
        self._started.clear()
        self.idle.clear()


def _serve(connection: Connection) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    use_one_thread()
    bench = Bench()
    # Until the parent has no more to say, or is gone.
    with suppress(EOFError, OSError):
        while True:
            job, order = connection.recv()
            connection.send(bench.carry_out(job, order))


def use_one_thread() -> None:
    """Have torch, where it was imported before ``ONE_THREAD`` was set, work with one thread.

    It takes a second to import, which workers without need of it need not wait for.
    """
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(1)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _ending(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        name = signal.Signals(-exit_code).name
        return f"killed by {name}" + (
            ", as the system does when memory runs out" if name == "SIGKILL" else ""
        )
    return f"with exit code {exit_code}"


def _quiet() -> dict[str, str]:
    """Have Python say nothing of what a model shared with processes that we had to kill."""
    wanted = "ignore:resource_tracker:UserWarning"
    return {"PYTHONWARNINGS": ",".join(filter(None, (os.environ.get("PYTHONWARNINGS"), wanted)))}


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach, as it does all of a terminal: the parent ends them.

    They inherit the mask. What comes meanwhile reaches us after the block.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Set variables of the environment for the processes that the block starts."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
