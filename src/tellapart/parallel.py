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
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple, Protocol

from tellapart.core.jobs import Job, Spread
from tellapart.engines import EngineOptions
from tellapart.errors import TellapartError, UsageError

RETRIES = 2
"""How often a task is tried again whose worker was lost; then it is taken for the cause, and named."""

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"),
    "1",
)
"""Environment of workers: with more threads a model would sum in another order."""

_AHEAD = 4
"""Tasks for each worker that may be under way, or done and not yet taken: what bounds the memory."""

_LEAST_BYTES = 512 * 2**20
"""Memory that a worker needs for Python, its libraries and a small model."""

_SHARE_OF_MEMORY = 0.7
"""Share of this machine's memory that all workers together may take."""

_OBJECT_STORE_BYTES = 512 * 2**20
"""Object store of a Ray that is started here; Ray puts what is more on the disk."""

_CONNECT_S = 10.0


class WorkerLostError(TellapartError):
    """A task took its worker down again and again."""


@contextmanager
def open_spread(options: EngineOptions) -> Iterator[Spread]:
    """Have tasks done by workers, which are started with the first task and end with the block."""
    options.check()
    if options.address is not None:
        _check_address(options.address)
    with ExitStack() as stack:
        pools: list[_Pool] = []

        def spread(job: Job, tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
            if not pools:
                pools.append(_Cluster(options) if options.engine == "ray" else _Processes(options.workers))
                stack.callback(pools[0].close)
            return _results(pools[0], job, tasks)

        yield spread


@contextmanager
def named_spread(options: EngineOptions) -> Iterator[Spread | None]:
    """Have the engine that was named ready, and end it with the block; None where none was."""
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


def cores() -> int:
    """Count the cores that this process may use."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return len(usable)


class Outcome(NamedTuple):
    """What came of a task: a result, or the error that it raised, as it would again."""

    result: Any
    error: Exception | None


class _Pool(Protocol):
    """Workers: where they run, and how a lost one shows.

    Attributes:
        workers: Tasks that are done at a time.
        lost: Errors of a task whose worker is gone.
    """

    workers: int
    lost: tuple[type[Exception], ...]

    def submit(self, job: bytes, task: Any) -> Future[Outcome]:
        """Have a worker do a task of a pickled job; if one was lost, others are started."""

    def close(self) -> None:
        """End all workers, whatever they do."""


def _results(pool: _Pool, job: Job, tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Give the results of tasks in their order; the first task that fails ends it with its error."""
    submit = partial(pool.submit, pickle.dumps(job))
    ahead: deque[tuple[int, Future[Outcome]]] = deque()
    waiting = deque(range(len(tasks)))
    try:
        while ahead or waiting:
            running = [future for _, future in ahead if not future.done()]
            # Tasks whose worker was lost are done again before others, each alone: one of them is the cause.
            while waiting and not any(_is_lost(future, pool) for _, future in ahead):
                if len(running) >= pool.workers or len(ahead) >= _AHEAD * pool.workers:
                    break
                number = waiting.popleft()
                running.append(submit(tasks[number]))
                ahead.append((number, running[-1]))
            number, future = ahead[0]
            if not future.done():
                wait(running, return_when=FIRST_COMPLETED)
                continue
            ahead.popleft()
            for _ in range(RETRIES):
                if _is_lost(future, pool):
                    future = submit(tasks[number])
                    wait([future])
            if _is_lost(future, pool):
                raise _lost(job, tasks[number], future.exception())
            outcome = future.result()
            if outcome.error is not None:
                raise outcome.error
            yield number, outcome.result
    finally:
        for _, future in ahead:
            future.cancel()


def _is_lost(future: Future[Outcome], pool: _Pool) -> bool:
    return future.done() and isinstance(future.exception(), pool.lost)


def _lost(job: Job, task: Any, error: BaseException | None) -> WorkerLostError:
    return WorkerLostError(
        f"{RETRIES + 1} workers in a row were lost here: {str(error).strip().splitlines()[0]}",
        where=job.describe(task),
        next_step="If memory ran out, give fewer --workers. Otherwise take this part out of the input, and "
        "see whether it is the cause",
    )


_held: dict[bytes, tuple[Job, Any]] = {}
"""In a worker: the job that it is at and what ``open`` gave; one at a time."""


def _do(pickled: bytes, task: Any) -> Outcome:
    """In a worker: do a task of a job, which is opened with the first."""
    try:
        if pickled not in _held:
            # A model makes room before the next one comes.
            _held.clear()
            job = pickle.loads(pickled)
            _held[pickled] = job, job.open()
        job, state = _held[pickled]
        return Outcome(job.do(state, task), None)
    except Exception as error:
        if not isinstance(error, TellapartError):
            error.add_note("".join(traceback.format_exception(error)))
        return Outcome(None, _sendable(error))


def _sendable(error: Exception) -> Exception:
    """Give an error as another process can receive it; one that cannot be pickled becomes its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        replacement = RuntimeError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            replacement.add_note(note)
        return replacement
    return error


class _Processes:
    """Processes of this machine, one thread each; they end with the command, however that ends."""

    lost: tuple[type[Exception], ...] = (BrokenProcessPool,)

    def __init__(self, workers: int | None) -> None:
        self.workers = workers or max(1, min(cores(), int(_memory() * _SHARE_OF_MEMORY) // _LEAST_BYTES))
        self._start()

    def _start(self) -> None:
        self._under_way: set[Future[Outcome]] = set()
        # Workers hold one end: they are ended when the other end is closed, by us or by our death.
        theirs, self._ours = get_context("spawn").Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(
            self.workers, get_context("spawn"), initializer=_begin, initargs=(theirs,)
        )

    def submit(self, job: bytes, task: Any) -> Future[Outcome]:
        with _environment(ONE_THREAD):
            try:
                future = self._executor.submit(_do, job, task)
            except (BrokenProcessPool, OSError):
                # An executor that breaks while it starts a worker closes what it hands to it, and would wait
                # for that worker, which has nothing to do and ends only when our end is closed.
                self._ours.close()
                self._executor.shutdown(cancel_futures=True)
                self._start()
                future = self._executor.submit(_do, job, task)
        self._under_way = {one for one in self._under_way if not one.done()} | {future}
        return future

    def close(self) -> None:
        # Workers without a task end by themselves; one with a task is not waited for.
        if all(future.done() for future in self._under_way):
            self._executor.shutdown()
        self._ours.close()
        self._executor.shutdown(cancel_futures=True)


def _begin(parent: Connection) -> None:
    """In a worker: leave Ctrl-C, which reaches all processes of a terminal, to the command."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Connection) -> None:
    with suppress(EOFError, OSError):
        parent.recv()
    os._exit(1)


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


def _memory() -> int:
    """Bytes of memory that this process may use: the machine's, or the limit of its container."""
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError):
            text = Path(limit).read_text(encoding="ascii").strip()
            available = min(available, int(text)) if text.isdigit() else available
    return available


class _Cluster:
    """Tasks of a Ray cluster, or of a Ray that is started on this machine and ends with the command."""

    def __init__(self, options: EngineOptions) -> None:
        import ray

        self._ray = ray
        self.lost: tuple[type[Exception], ...] = (
            ray.exceptions.WorkerCrashedError,
            ray.exceptions.NodeDiedError,
            ray.exceptions.ObjectLostError,
            ray.exceptions.OutOfMemoryError,
        )
        own: dict[str, Any] = {"object_store_memory": _OBJECT_STORE_BYTES, "include_dashboard": False}
        if options.workers is not None:
            own["num_cpus"] = options.workers
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
            raise _no_room(gpus, options.num_gpus)
        self.workers = min(options.workers or room, room)
        # Without max_calls a worker on a GPU ends with its task, and loads the model again for the next.
        self._task = ray.remote(num_cpus=1, num_gpus=options.num_gpus, max_retries=0, max_calls=0)(_do_in)

    def submit(self, job: bytes, task: Any) -> Future[Outcome]:
        # Paths are those of the command; where machines share files, they do so under the same names.
        future: Future[Outcome] = self._task.remote(str(Path.cwd()), job, task).future()
        return future

    def close(self) -> None:
        self._ray.shutdown()


def _do_in(directory: str, job: bytes, task: Any) -> Outcome:
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


def _no_room(gpus: float, wanted: float) -> UsageError:
    if wanted:
        return UsageError(
            f"--num-gpus {wanted:g} for each worker, and the cluster has {gpus:g} GPUs",
            next_step="Leave --num-gpus out to run on processors",
        )
    return UsageError(
        "the cluster has no processors for workers",
        next_step="Add machines to it with 'ray start --address HOST:PORT', or see 'ray status'",
    )
