"""Stages: what is done with each of many tasks, by workers that may die, once each."""

from __future__ import annotations

import json
import pickle
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, Protocol

from tellapart.core.progress import SILENT, Progress
from tellapart.engine.folders import Folder
from tellapart.errors import InputError, TellapartError
from tellapart.files import JsonError, parse_json

Receipt = dict[str, Any]
"""What a task leaves besides its files: JSON, kept with the work, so that nothing is done twice."""

ATTEMPTS = 3
"""How often a task may take its worker down before it is taken for the cause."""


class Stage(Protocol):
    """What is done with each task of a kind; frozen, so that it can be sent to any machine.

    Everything that a task writes has a name that follows from its number, and is there whole or not at all:
    two workers that do the same task, one of them taken for dead, write the same bytes.
    """

    @property
    def name(self) -> str:
        """Of the stage, in the folder of the work and in messages."""

    def open(self) -> Any:
        """Load what a worker needs for all its tasks, such as a model; called once in each."""

    def do(self, state: Any, task: Any) -> Receipt:
        """Do one task with what ``open`` gave."""

    def describe(self, task: Any) -> str:
        """Say which task this is to somebody whose worker it takes down: files and rows."""


@dataclass(frozen=True)
class Order:
    """A task for a worker.

    Attributes:
        stage: What to do.
        task: With what.
        work: The folder in which the receipt is kept.
        receipt: Its name there.
    """

    stage: Stage
    task: Any
    work: Folder
    receipt: str


@dataclass(frozen=True)
class Done:
    """A task that is done, with its receipt, which is kept already."""

    receipt: Receipt


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

    def begin(self, order: Order) -> None:
        """Have it do a task, while others do theirs."""


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
    """What a worker keeps between two tasks: the state of the stage that it is at."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._stage: Stage | None = None
        self._state: Any = None

    def carry_out(self, order: Order) -> Done | Failed:
        """Do a task and keep its receipt."""
        try:
            if order.stage != self._stage:
                # One state at a time: a model makes room before the next one comes.
                self._stage = self._state = None
                self._state = order.stage.open()
                self._stage = order.stage
            receipt = order.stage.do(self._state, order.task)
            order.work.write(order.receipt, json.dumps(receipt).encode())
        except Exception as error:
            if not isinstance(error, TellapartError):
                error.add_note("".join(traceback.format_exception(error)))
            return Failed(_sendable(error))
        return Done(receipt)


def _sendable(error: Exception) -> Exception:
    """An error as other processes can receive it: of one that does not survive the way, its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        said = RuntimeError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            said.add_note(note)
        return said
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
) -> list[Receipt]:
    """Do all tasks of a stage that no earlier run has done.

    A task whose worker dies is done again by another one, ``ATTEMPTS`` times in all. One that raises an error
    ends the stage, once those before it are done: the error of the first task that has one is raised,
    whatever the number of workers.

    Args:
        engine: Where workers run.
        work: Where receipts are kept; the same for every run of the same work.
        stage: What to do.
        tasks: With what; their order decides what they are called.
        progress: Receives how many are done.

    Returns:
        The receipt of each task.

    Raises:
        WorkerLostError: A task takes its workers down, or no worker can be started.
        TellapartError: As a task raised it.
    """
    receipts = _earlier(work, stage, len(tasks))
    orders = {
        number: Order(stage, task, work, _receipt_name(stage, number))
        for number, task in enumerate(tasks)
        if number not in receipts
    }
    with progress.step(stage.name, len(tasks), unit="parts", done=len(receipts)) as step:
        for number, receipt in _Run(engine, orders).receipts():
            receipts[number] = receipt
            step.update(len(receipts))
    return [receipts[number] for number in range(len(tasks))]


class _Run:
    """Tasks under way."""

    def __init__(self, engine: Engine, orders: Mapping[int, Order]) -> None:
        self._engine, self._orders = engine, orders
        self._waiting, self._most = sorted(orders), engine.workers
        self._attempts: Counter[int] = Counter()
        self._errors: dict[int, BaseException] = {}
        self._busy: dict[int, Worker] = {}

    def receipts(self) -> Iterator[tuple[int, Receipt]]:
        """Do all tasks, and give the receipt of each as it comes."""
        engine, busy = self._engine, self._busy
        while busy or self._goes_on():
            while len(busy) < self._most and self._goes_on():
                number = heappop(self._waiting)
                busy[number] = engine.idle.pop() if engine.idle else engine.start()
                busy[number].begin(self._orders[number])
            number_of = {id(worker): number for number, worker in busy.items()}
            for worker, outcome in engine.wait([*busy.values()]):
                number = number_of[id(worker)]
                del busy[number]
                if isinstance(outcome, Done | Failed):
                    engine.idle.append(worker)
                if isinstance(outcome, Done):
                    yield number, outcome.receipt
                else:
                    self._take(number, outcome)
        if self._errors:
            raise self._errors[min(self._errors)]

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
                    self._errors[number] = _lost(self._orders[number], how)
            case NeverStarted():
                heappush(self._waiting, number)
                self._most -= 1
                if not self._most:
                    self._errors[number] = _no_room(self._engine)


def _lost(order: Order, how: str) -> WorkerLostError:
    return WorkerLostError(
        f"{ATTEMPTS} workers in a row were lost here, the last one {how}",
        where=order.stage.describe(order.task),
        next_step="If memory ran out, give fewer --workers. Otherwise take this part out of the input, and "
        "see whether it is the cause. What is done is kept",
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
                receipt = parse_json(work.read(name), work.place(name))
                if isinstance(receipt, dict):
                    receipts[number] = receipt
    return receipts
