"""One Inspect task, run without a word on the terminal or a file outside the directory of its logs."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import re
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tellapart.files import storage
from tellapart.files.writing import scratch_directory

if TYPE_CHECKING:
    from inspect_ai.model import Model

_BEGUN = re.compile(r"\.inspect_tmp_.+\.writing|[0-9A-Za-z]{22}")
"""Names of logs that are not whole, and of what Inspect makes to see whether it may write logs there."""


def run_workers(
    work: Callable[[], Awaitable[None]], *, samples: int, at_once: int, connected: Model | None, logs: Path
) -> None:
    """Await ``work`` so many times, ``at_once`` of them at the same time.

    With a model of Inspect they are the samples of an Inspect task, whose log then holds every call that they
    make; without one, where systems under test are asked, Inspect is not needed.
    """
    if connected is None:
        _run_outside(work, samples, at_once)
    else:
        _run_inside(work, samples, at_once, connected, logs)


def _run_outside(work: Callable[[], Awaitable[None]], samples: int, at_once: int) -> None:
    left = iter(range(samples))

    async def worker() -> None:
        for _ in left:
            await work()

    async def together() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(at_once, samples)):
                group.create_task(worker())

    try:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            asyncio.run(together())
        else:
            # As in a notebook.
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, together()).result()
    except* Exception as errors:
        raise errors.exceptions[0] from None


def _run_inside(
    work: Callable[[], Awaitable[None]], samples: int, at_once: int, connected: Model, logs: Path
) -> None:
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import Generate, TaskState, solver

    from tellapart.llm.inspect_private import PrerequisiteError

    errors: list[Exception] = []

    @solver(name="questions")
    def asking() -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            # A trace of every call, which nobody would read, takes as long as sending it.
            logging.getLogger("inspect_ai").setLevel(logging.INFO)
            try:
                await work()
            except Exception as error:
                errors.append(error)
                raise
            return state

        return solve

    task = Task(
        dataset=[Sample(input=f"questions, part {i + 1}") for i in range(samples)],
        solver=asking(),
        name="questions",
    )
    with _quiet(), storage(logs):
        try:
            logs_written = evaluate(
                task,
                model=connected,
                max_samples=at_once,
                log_dir=str(logs),
                log_level="critical",
                log_realtime=False,
                log_model_api=False,
                log_header_only=True,
                ctl_server=False,
                display="none",
                score=False,
            )
        except PrerequisiteError as error:
            if "log_dir" not in str(error):
                raise
            # Inspect takes any error of the disk for a lack of permission.
            with (probe := logs / ".probe").open("wb") as file:
                file.write(b"0")
            probe.unlink()
            raise OSError(errno.EIO, os.strerror(errno.EIO)) from None
    if errors:
        raise errors[0]
    # Interrupted early, Inspect has no log to give.
    if not logs_written or logs_written[0].status == "cancelled":
        raise KeyboardInterrupt
    if logs_written[0].status != "success":
        ended = logs_written[0].error
        # Of an error of the disk Inspect gives what Python shows.
        if disk := re.match(r"[A-Za-z]*Error\((\d+), ", ended.message if ended else ""):
            with storage(logs):
                raise OSError(int(disk[1]), os.strerror(int(disk[1])))
        raise RuntimeError(f"Inspect ended the task: {ended or logs_written[0].status}")


def tidy_logs(logs: Path) -> None:
    """Remove the logs that Inspect was about to write when a process was killed."""
    with storage(logs):
        for left in logs.iterdir() if logs.is_dir() else ():
            if _BEGUN.fullmatch(left.name):
                left.unlink()


@contextmanager
def _quiet() -> Iterator[None]:
    """Give Inspect a place for its traces that goes away, and leave logging and the environment as they were.

    It would write into the home directory, and take settings from a ``.env`` here or in directories above.
    The garbage collector is spared its modules and those of its providers, half a million objects.
    """
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    with scratch_directory("tellapart-inspect-") as scratch:
        ours = {
            "XDG_DATA_HOME": str(scratch),
            "INSPECT_TRACE_FILE": os.environ.get("INSPECT_TRACE_FILE", str(scratch / "trace.log")),
            "INSPECT_TRACE_LEVEL": os.environ.get("INSPECT_TRACE_LEVEL", "CRITICAL"),
            "PYTHON_DOTENV_DISABLED": "1",
            "INSPECT_ASYNC_BACKEND": "asyncio",
        }
        before = {name: os.environ.get(name) for name in ours}
        os.environ.update(ours)
        gc.freeze()
        try:
            yield
        finally:
            gc.unfreeze()
            root.setLevel(level)
            root.handlers[:] = handlers
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
