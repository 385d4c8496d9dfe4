"""A map over processes of this machine, or over a Ray cluster; a worker that is lost is replaced."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import socket
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.util import _run_finalizers  # type: ignore[attr-defined]
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, NamedTuple

from tellapart.core.jobs import Job, Spread
from tellapart.engines import EngineOptions
from tellapart.errors import TellapartError, UsageError

RETRIES = 2
"""How often a task is tried again whose worker was lost; then it is taken for the cause, and named."""

ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")} | {
    "POLARS_MAX_THREADS": "1"
}
"""Environment of workers: with more threads a model would sum in another order."""

_AHEAD = 4
"""Tasks for each worker that may be under way, or done and not yet taken: what bounds the memory."""

_OBJECT_STORE_BYTES = 512 * 2**20
"""Object store of a Ray that is started here; Ray puts what is more on the disk."""

_CONNECT_S = 10.0

_LOST = (
    "If memory ran out, give fewer --workers. Otherwise take this part out of the input, and see whether it "
    "is the cause"
)
_NONE_BEGAN = (
    "No worker came as far as to begin. Each runs the script from the top: put what it calls under "
    "\"if __name__ == '__main__':\", or name no engine, to work in one process"
)


class WorkerLostError(TellapartError):
    """A task took its worker down again and again."""


@contextmanager
def open_spread(options: EngineOptions) -> Iterator[Spread]:
    """Have tasks done by workers, which are started with the first task and end with the block."""
    options.check()
    if options.address is not None:
        _check_address(options.address)
    with ExitStack() as stack:
        pools: list[_Processes | _Cluster] = []

        def spread(job: Job, tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
            if not pools:
                pools.append(_Cluster(options) if options.engine == "ray" else _Processes(options.workers))
                stack.callback(pools[0].close)
            return _results(pools[0], job, tasks)

        yield spread


@contextmanager
def named_spread(options: EngineOptions) -> Iterator[Spread | None]:
    """Have the engine that was named ready for the block; None where none was."""
    if options.engine is not None:
        with open_spread(options) as spread:
            yield spread
        return
    options.check()
    if options.workers is not None:
        raise UsageError(
            "--workers is for an engine", next_step="Add --engine local or --engine ray, or leave it out"
        )
    yield None


def _results(pool: _Processes | _Cluster, job: Job, tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Give the results of tasks in their order; the first task that fails ends it with its error."""
    submit = partial(pool.submit, pickle.dumps(job))
    ahead: deque[tuple[int, Future[_Outcome]]] = deque()
    waiting = deque(range(len(tasks)))
    try:
        while ahead or waiting:
            running = [future for _, future in ahead if not future.done()]
            while waiting and len(running) < pool.workers and len(ahead) < _AHEAD * pool.workers:
                number = waiting.popleft()
                running.append(submit(tasks[number]))
                ahead.append((number, running[-1]))
            number, future = ahead[0]
            if not future.done():
                wait(running, return_when=FIRST_COMPLETED)
                continue
            ahead.popleft()
            for _ in range(RETRIES):
                if isinstance(future.exception(), pool.lost):
                    future = submit(tasks[number])
            if isinstance(error := future.exception(), pool.lost):
                raise WorkerLostError(
                    f"{RETRIES + 1} workers in a row were lost here: {str(error).strip().splitlines()[0]}",
                    where=job.describe(tasks[number]),
                    next_step=_LOST if pool.has_begun.value else _NONE_BEGAN,
                )
            result, failed = future.result()
            if failed is not None:
                raise failed
            yield number, result
    finally:
        for _, future in ahead:
            future.cancel()


class _Outcome(NamedTuple):
    """What came of a task: a result, or the error that it raised, as it would again."""

    result: Any
    error: Exception | None


_held: dict[bytes, tuple[Job, Any]] = {}
"""In a worker: the job that it is at and what ``open`` gave; one at a time."""


def _do(pickled: bytes, task: Any) -> _Outcome:
    """In a worker: do a task of a job, which is opened with the first."""
    try:
        if pickled not in _held:
            # A model makes room before the next one comes.
            _held.clear()
            job = pickle.loads(pickled)
            _held[pickled] = job, job.open()
        job, state = _held[pickled]
        return _Outcome(job.do(state, task), None)
    except TellapartError as error:
        return _Outcome(None, error)
    except Exception as error:
        # Not every library's errors can be received by another process.
        in_words = RuntimeError(f"{type(error).__name__}: {error}")
        in_words.add_note("".join(traceback.format_exception(error)))
        return _Outcome(None, in_words)


class _Processes:
    """Processes of this machine, one thread each; they end with the command, however that ends."""

    lost: tuple[type[Exception], ...] = (BrokenProcessPool,)

    def __init__(self, workers: int | None) -> None:
        usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
        self.workers = workers or len(usable)
        # Without a lock, which a worker that is lost could hold.
        self.has_begun: Any = get_context("spawn").RawValue("b", 0)
        self._start()

    def _start(self) -> None:
        self._under_way: set[Future[_Outcome]] = set()
        # Workers hold one end: they are ended when the other end is closed, by us or by our death.
        theirs, self._ours = get_context("spawn").Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(
            self.workers, get_context("spawn"), initializer=_begin, initargs=(theirs, self.has_begun)
        )

    def submit(self, job: bytes, task: Any) -> Future[_Outcome]:
        before = {name: os.environ.get(name) for name in ONE_THREAD}
        os.environ.update(ONE_THREAD)
        try:
            future = self._submit(job, task)
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value
        self._under_way = {one for one in self._under_way if not one.done()} | {future}
        return future

    def _submit(self, job: bytes, task: Any) -> Future[_Outcome]:
        try:
            return self._executor.submit(_do, job, task)
        except (BrokenProcessPool, OSError, ValueError):
            # An executor that breaks while it starts a worker closes what it hands to it, and would wait
            # for that worker, which has nothing to do and ends only when our end is closed.
            self._ours.close()
            self._executor.shutdown(cancel_futures=True)
            self._start()
            return self._executor.submit(_do, job, task)

    def close(self) -> None:
        # Workers without a task end by themselves; one with a task is not waited for.
        if all(future.done() for future in self._under_way):
            self._executor.shutdown()
        self._ours.close()
        self._executor.shutdown(cancel_futures=True)


def _begin(parent: Connection, has_begun: Any) -> None:
    """In a worker: leave Ctrl-C, which reaches all processes of a terminal, to the command."""
    has_begun.value = 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Connection) -> None:
    with suppress(EOFError, OSError):
        parent.recv()
    # Locks of libraries are names of the system's, which Python else warns of at the end.
    _run_finalizers()
    os._exit(1)


class _Cluster:
    """Tasks of a Ray cluster, or of a Ray that is started on this machine and ends with the command."""

    has_begun = SimpleNamespace(value=1)

    def __init__(self, options: EngineOptions) -> None:
        import ray

        self._ray = ray
        self.lost: tuple[type[Exception], ...] = (
            ray.exceptions.WorkerCrashedError,
            ray.exceptions.NodeDiedError,
            ray.exceptions.ObjectLostError,
            ray.exceptions.OutOfMemoryError,
        )
        own: dict[str, Any] = {
            "object_store_memory": _OBJECT_STORE_BYTES,
            "include_dashboard": False,
            "num_cpus": options.workers,
        }
        try:
            ray.init(
                # Without an address Ray would join whatever cluster it finds on this machine.
                address=options.address or "local",
                log_to_driver=False,
                logging_level=logging.ERROR,
                runtime_env={"env_vars": ONE_THREAD},
                **({} if options.address else own),
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise _no_cluster(options.address, error) from None
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        cpus, gpus = resources.get("CPU", 0), resources.get("GPU", 0)
        room = int(gpus / options.num_gpus) if options.num_gpus else int(cpus)
        if not room:
            self.close()
            raise UsageError(
                f"the cluster has {cpus:g} processors and {gpus:g} GPUs, too few for one worker",
                next_step="See 'ray status'; add machines with 'ray start --address HOST:PORT', or leave "
                "--num-gpus out to run on processors",
            )
        self.workers = min(options.workers or room, room)
        # Without max_calls a worker on a GPU ends with its task, and loads the model again for the next.
        self._task = ray.remote(num_cpus=1, num_gpus=options.num_gpus, max_retries=0, max_calls=0)(_do_in)

    def submit(self, job: bytes, task: Any) -> Future[_Outcome]:
        # Paths are those of the command; where machines share files, they do so under the same names.
        future: Future[_Outcome] = self._task.remote(str(Path.cwd()), job, task).future()
        return future

    def close(self) -> None:
        self._ray.shutdown()


def _do_in(directory: str, job: bytes, task: Any) -> _Outcome:
    with suppress(OSError):
        os.chdir(directory)
    return _do(job, task)


def _check_address(address: str) -> None:
    """See at once that something listens at an address: Ray itself tries for minutes."""
    if address == "auto":
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise UsageError(f"--address is {address!r}, expected auto, HOST:PORT or ray://HOST:PORT")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S).close()
    except (OSError, OverflowError) as error:
        raise _no_cluster(address, error) from None


def _no_cluster(address: str | None, error: Exception) -> UsageError:
    if address is None:
        return UsageError(f"Ray does not start on this machine: {error}")
    return UsageError(
        f"no Ray cluster can be joined at --address {address!r}: {error}",
        next_step="Start one with 'ray start --head'; for one that asks for a token, set RAY_AUTH_MODE=token "
        "and have its ~/.ray/auth_token here; or leave --address out to start Ray on this machine",
    )
