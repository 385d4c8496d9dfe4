"""Stages: what is done with each of many tasks, by workers that may die, once each."""

from __future__ import annotations

import json
import pickle
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, ClassVar, Protocol

from tellapart.core.jobs import Job
from tellapart.core.progress import SILENT, Progress, Rate
from tellapart.engine.folders import Folder
from tellapart.errors import InputError, TellapartError
from tellapart.files import JsonError, parse_json

Receipt = dict[str, Any]
"""What a task leaves besides its files: JSON, kept with the work, so that nothing is done twice."""

ATTEMPTS = 3
"""How often a task may take its worker down before it is taken for the cause."""


class Stage(Job, Protocol):
    """A job that writes files, and leaves a receipt for each task; frozen.

    Everything that a task writes has a name that follows from its number, and is there whole or not at all:
    two workers that do the same task, one of them taken for dead, write the same bytes.

    Attributes:
        counts: What rates are of, such as ``texts``; a receipt says under this name how many there were.
    """

    counts: ClassVar[str]

    def do(self, state: Any, task: Any) -> Receipt:
        """Do one task with what ``open`` gave."""


@dataclass(frozen=True)
class Order:
    """A task for a worker that knows the job.

    Attributes:
        work: The folder in which the result is kept, which is a receipt then; None where none is.
    """

    task: Any
    work: Folder | None = None
    receipt: str = ""


@dataclass(frozen=True)
class Done:
    """A task that is done; a receipt is kept already."""

    result: Any


@dataclass(frozen=True)
class Failed:
    """A task that raised an error, as it would again."""

    error: BaseException


@dataclass(frozen=True)
class Died:
    """A worker that is gone in the middle of a task, and how, in words."""

    how: str


@dataclass(frozen=True)
class NeverStarted:
    """A worker for which there is no room at the moment."""


Outcome = Done | Failed | Died | NeverStarted


class Worker(Protocol):
    """A process that does one task after the other."""

    def begin(self, job: Job, order: Order) -> None:
        """Have it do a task, while others do theirs; a job that it was told before is not sent again."""


class Engine(Protocol):
    """Where workers run.

    Attributes:
        name: As users type it.
        workers: How many tasks are done at a time, at most.
        memory_bytes: What each worker may use.
        idle: Workers without a task.
    """

    name: str
    workers: int
    memory_bytes: int
    idle: list[Worker]

    def start(self) -> Worker:
        """Start a worker."""

    def wait(self, busy: Sequence[Worker]) -> list[tuple[Worker, Outcome]]:
        """Wait until one of the workers, or several, are done with their task, or gone."""

    def drop_lost(self) -> None:
        """Take idle workers that are gone out of ``idle``, so that no task is given to them."""

    def close(self) -> None:
        """End all workers, whatever they do."""


class Bench:
    """What a worker keeps between two tasks.

    Attributes:
        job: The one that it is at, whose state it keeps.
    """

    def __init__(self) -> None:
        """Keep nothing yet."""
        self.job: Job | None = None
        self._state: Any = None
        self._is_open = False

    def carry_out(self, job: Job | None, order: Order) -> Done | Failed:
        """Do a task of a job, or of the last one where that is None, and keep its receipt."""
        try:
            if job is not None:
                # One state at a time: a model makes room before the next one comes.
                self._state, self._is_open = None, False
                self.job = job
            if self.job is None:
                raise ValueError("there is no job")
            if not self._is_open:
                self._state, self._is_open = self.job.open(), True
            result = self.job.do(self._state, order.task)
            if order.work is not None:
                order.work.write(order.receipt, json.dumps(result).encode())
        except Exception as error:
            if not isinstance(error, TellapartError):
                error.add_note("".join(traceback.format_exception(error)))
            return Failed(_sendable(error))
        return Done(result)


def _sendable(error: Exception) -> Exception:
    """An error as other processes can receive it: of one that does not survive the way, its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        replacement = RuntimeError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            replacement.add_note(note)
        return replacement
    return error


class WorkerLostError(TellapartError):
    """A task took its workers down again and again, or none could be started."""


def run_stage(
    engine: Engine,
    work: Folder,
    stage: Stage,
    tasks: Sequence[Any],
    *,
    progress: Progress = SILENT,
    clock: Callable[[], float] = time.monotonic,
) -> list[Receipt]:
    """Do all tasks of a stage that no earlier run has done.

    A task whose worker dies is done again by another one, ``ATTEMPTS`` times in all. One that raises an error
    ends the stage, once those before it are done: the error of the first task that has one is raised,
    whatever the number of workers.
    """
    receipts = _earlier(work, stage, len(tasks))
    missing = [number for number in range(len(tasks)) if number not in receipts]

    def order(number: int) -> Order:
        return Order(tasks[number], work, _receipt_name(stage, number))

    with progress.step(stage.name, len(tasks), unit="parts", done=len(receipts)) as step:
        rate = Rate(stage.counts, clock)
        for number, receipt in _Run(engine, stage, missing, order).results():
            receipts[number] = receipt
            step.update(len(receipts), note=rate.after(receipt.get(stage.counts, 0)))
    return [receipts[number] for number in range(len(tasks))]


def do_tasks(engine: Engine, job: Job, tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Do tasks whose results come back to the caller, and are kept by nobody else; see ``Spread``."""
    return _Run(engine, job, range(len(tasks)), lambda number: Order(tasks[number])).results()


class _Run:
    """Tasks of a job under way."""

    def __init__(
        self, engine: Engine, job: Job, numbers: Iterable[int], order: Callable[[int], Order]
    ) -> None:
        self._engine, self._job, self._order = engine, job, order
        self._waiting, self._most = sorted(numbers), engine.workers
        self._attempts: Counter[int] = Counter()
        self._errors: dict[int, BaseException] = {}
        self._busy: dict[int, Worker] = {}

    def results(self) -> Iterator[tuple[int, Any]]:
        """Do all tasks, and give the result of each as it comes."""
        engine, busy = self._engine, self._busy
        while busy or self._goes_on():
            self._begin()
            number_of = {id(worker): number for number, worker in busy.items()}
            for worker, outcome in engine.wait([*busy.values()]):
                number = number_of[id(worker)]
                del busy[number]
                if isinstance(outcome, Done | Failed):
                    engine.idle.append(worker)
                if isinstance(outcome, Done):
                    yield number, outcome.result
                else:
                    self._take(number, outcome)
        if self._errors:
            raise self._errors[min(self._errors)]

    def _begin(self) -> None:
        """Give tasks to as many workers as there may be."""
        engine, begun = self._engine, []
        while len(self._busy) < self._most and self._goes_on():
            number = heappop(self._waiting)
            self._busy[number] = engine.idle.pop() if engine.idle else engine.start()
            begun.append(number)
        # All are started before the first is given a task, which it may not take before it has started.
        for number in begun:
            self._busy[number].begin(self._job, self._order(number))

    def _goes_on(self) -> bool:
        """Whether a task is to be begun: after an error only those before it, which may have their own."""
        waiting = self._waiting
        return bool(waiting) and waiting[0] < min(self._errors, default=waiting[0] + 1)

    def _take(self, number: int, outcome: Failed | Died | NeverStarted) -> None:
        match outcome:
            case Failed(error):
                self._errors[number] = error
            case Died(how):
                # Whatever took this worker may have taken others, for which no task is to blame.
                self._engine.drop_lost()
                heappush(self._waiting, number)
                self._attempts[number] += 1
                if self._attempts[number] == ATTEMPTS:
                    self._errors[number] = _lost(self._job, self._order(number), how)
            case NeverStarted():
                heappush(self._waiting, number)
                self._most -= 1
                if not self._most:
                    self._errors[number] = _no_room(self._engine)


def _lost(job: Job, order: Order, how: str) -> WorkerLostError:
    kept = "" if order.work is None else ". What is done is kept"
    return WorkerLostError(
        f"{ATTEMPTS} workers in a row were lost here, the last one {how}",
        where=job.describe(order.task),
        next_step="If memory ran out, give fewer --workers. Otherwise take this part out of the input, and "
        f"see whether it is the cause{kept}",
    )


def _no_room(engine: Engine) -> WorkerLostError:
    return WorkerLostError(
        f"no worker of --engine {engine.name} could be started: all processors are taken or gone",
        next_step="Wait for other jobs, or give fewer --workers; 'ray status' shows what is free",
    )


def _receipt_name(stage: Stage, number: int) -> str:
    return f"receipts/{stage.name}/{number:06d}.json"


def _earlier(work: Folder, stage: Stage, count: int) -> dict[int, Receipt]:
    """Receipts of an earlier run of the same work."""
    names = {entry.name for entry in work.child(f"receipts/{stage.name}").files()}
    receipts = {}
    for number in range(count):
        if f"{number:06d}.json" in names:
            name = _receipt_name(stage, number)
            # A damaged receipt is none: the task is done again.
            with suppress(InputError, JsonError):
                receipt = parse_json(work.read(name), work.address_of(name))
                if isinstance(receipt, dict):
                    receipts[number] = receipt
    return receipts
