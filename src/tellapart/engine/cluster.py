"""Workers of a cluster, through Ray: actors, each of which keeps its model as long as it lives."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tellapart.core.jobs import Job
from tellapart.engine.local import ONE_THREAD, use_one_thread
from tellapart.engine.stages import Bench, Died, NeverStarted, Order, Outcome, Worker
from tellapart.errors import UsageError

_CPUS = 0.5
"""Of each actor. With a whole one each, as many actors as processors leave none for Ray's own tasks."""

_LOOK_EVERY_S = 5.0
_START_S = 90.0
"""How long an actor may take to start: it loads Python, and waits for a processor."""

_START_BESIDE_IDLE_S = 10.0
"""The same, where another one without a task could do what it is to do: a machine may be gone."""

_ANSWER_S = 10.0
"""How long a cluster may take to answer."""

_OBJECT_STORE_BYTES = 512 * 2**20
"""Of a Ray of its own: jobs with all they need, and what comes back. Ray puts what is more on the disk."""


class RayWorker:
    """An actor with the task that it is at."""

    def __init__(self, actor: Any, put: Callable[[Job], Any]) -> None:
        """Use an actor that may not have started yet; ``put`` gives a reference to a job."""
        self.actor = actor
        self._put = put
        self._job: Job | None = None
        self.started_s = time.monotonic()
        self.ready = actor.ready.remote()
        self.reference: Any = None

    def begin(self, job: Job, order: Order) -> None:
        """See ``Worker``."""
        news = None if job is self._job else self._put(job)
        self._job = job
        self.reference = self.actor.carry_out.remote(news, order)


class RayEngine:
    """Workers of a Ray cluster, or of a Ray of its own on this machine."""

    name = "ray"

    def __init__(self, address: str | None, workers: int | None, memory_bytes: int, gpus: float) -> None:
        """Join a cluster."""
        import ray

        self._ray, self._directory = ray, str(Path.cwd())
        options: dict[str, Any] = {} if address else {"object_store_memory": _OBJECT_STORE_BYTES}
        if address is None and workers is not None:
            options["num_cpus"] = max(workers, 1)
        try:
            ray.init(
                # Without it Ray would join whatever cluster it finds on this machine.
                address=address or "local",
                include_dashboard=False if address is None else None,
                log_to_driver=False,
                logging_level=logging.ERROR,
                runtime_env={"env_vars": ONE_THREAD},
                **options,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise _no_cluster(address, error) from None
        there: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        room = int(there.get("GPU", 0) / gpus) if gpus else int(there.get("CPU", 0))
        if not room:
            self.close()
            raise _no_room(there.get("GPU", 0), gpus)
        self.workers = min(workers or room, room) if gpus else (workers or room)
        self.memory_bytes = memory_bytes
        self.idle: list[Worker] = []
        self._shared: tuple[Job, Any] | None = None
        # A worker that dies is replaced by us, which know what it was at.
        self._actor = ray.remote(num_cpus=_CPUS, num_gpus=gpus, max_restarts=0, max_task_retries=0)(_Actor)

    def start(self) -> Worker:
        """See ``Engine``."""
        return RayWorker(self._actor.remote(self._directory), self._put)

    def _put(self, job: Job) -> Any:
        """A reference to a job in the cluster's memory, which it is sent to once for all workers."""
        if self._shared is None or self._shared[0] is not job:
            self._shared = job, self._ray.put(job)
        return self._shared[1]

    def wait(self, busy: Sequence[Worker]) -> list[tuple[Worker, Outcome]]:
        """See ``Engine``."""
        by_reference = {worker.reference: worker for worker in busy if isinstance(worker, RayWorker)}
        while True:
            ready, _ = self._ray.wait([*by_reference], timeout=_LOOK_EVERY_S)
            if ready:
                return [
                    (by_reference[reference], self._outcome(by_reference[reference])) for reference in ready
                ]
            waiting = [worker for worker in by_reference.values() if self._is_late(worker)]
            for worker in waiting:
                self._ray.kill(worker.actor)
            if waiting:
                return [(worker, NeverStarted()) for worker in waiting]

    def _is_late(self, worker: RayWorker) -> bool:
        if time.monotonic() - worker.started_s < (_START_BESIDE_IDLE_S if self.idle else _START_S):
            return False
        ready, _ = self._ray.wait([worker.ready], timeout=0)
        return not ready

    def _outcome(self, worker: RayWorker) -> Outcome:
        try:
            received: Outcome = self._ray.get(worker.reference)
        except self._ray.exceptions.RayError as error:
            # Of one that lives and could not read its order, too.
            self._ray.kill(worker.actor)
            return Died(f"as Ray says: {str(error).strip().splitlines()[0]}")
        return received

    def drop_lost(self) -> None:
        """See ``Engine``."""
        ready_calls = {
            worker.actor.ready.remote(): worker for worker in self.idle if isinstance(worker, RayWorker)
        }
        if not ready_calls:
            return
        answered, _ = self._ray.wait([*ready_calls], num_returns=len(ready_calls), timeout=_LOOK_EVERY_S)
        there = {reference for reference in answered if self._is_there(reference)}
        for reference, worker in ready_calls.items():
            if reference not in there:
                self._ray.kill(worker.actor)
        self.idle = [worker for reference, worker in ready_calls.items() if reference in there]

    def _is_there(self, reference: Any) -> bool:
        try:
            return bool(self._ray.get(reference))
        except self._ray.exceptions.RayError:
            return False

    def close(self) -> None:
        """See ``Engine``."""
        self._shared = None
        self._ray.shutdown()


def check_address(address: str) -> None:
    """See that a cluster may be at an address, at once: Ray itself tries for minutes."""
    if address == "auto":
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise UsageError(f"--address is {address!r}, expected auto, HOST:PORT or ray://HOST:PORT")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _ANSWER_S) as connection:
            if not os.environ.get("RAY_USE_TLS"):
                connection.sendall(_PREFACE)
                if connection.recv(4)[3:] != _SETTINGS:
                    raise ConnectionError("what listens there is no server of Ray")
    except (OSError, OverflowError) as error:
        raise _no_cluster(address, error) from None


_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""How a client of HTTP/2, which gRPC is, begins; a server answers with a frame of settings."""

_SETTINGS = b"\x04"


def _no_cluster(address: str | None, error: Exception) -> UsageError:
    if address is None:
        return UsageError(f"Ray does not start on this machine: {error}")
    return UsageError(
        f"no Ray cluster can be joined at --address {address!r}: {error}",
        next_step="Start one with 'ray start --head'; for one that asks for a token, set RAY_AUTH_MODE=token "
        "and have its ~/.ray/auth_token here; or leave --address out for a Ray of its own",
    )


def _no_room(there: float, gpus: float) -> UsageError:
    if gpus:
        return UsageError(
            f"--num-gpus {gpus:g} for each worker, and the cluster has {there:g} GPUs",
            next_step="Leave --num-gpus out to run on processors",
        )
    return UsageError(
        "the cluster has no processors for workers",
        next_step="Add machines to it with 'ray start --address HOST:PORT', or see 'ray status'",
    )


class _Actor:
    """What runs in a process of the cluster."""

    def __init__(self, directory: str) -> None:
        # Paths are those of the command; where machines share files, they do so under the same names.
        with suppress(OSError):
            os.chdir(directory)
        use_one_thread()
        self._bench = Bench()

    def ready(self) -> bool:
        """Answer as soon as the process is there."""
        return True

    def carry_out(self, job: Job | None, order: Order) -> Outcome:
        """Do a task."""
        return self._bench.carry_out(job, order)
