"""A hook of Inspect that writes score tables while tasks run: ``TELLAPART_SCORES=DIR inspect eval …``.

Whoever sets the variable gets it by the entry point; Python code that calls ``inspect_ai.eval`` imports this
module. There is one table per task and model, and every one on disk is complete and can be audited at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from logging import getLogger
from pathlib import Path
from time import monotonic
from typing import Any

from inspect_ai.hooks import Hooks, RunEnd, SampleEnd, TaskEnd, TaskStart, hooks
from inspect_ai.log import EvalLog, EvalSample
from pydantic import BaseModel

from tellapart.errors import InputError, TellapartError
from tellapart.files import make_directory
from tellapart.readers.inspect_log import KNOWN_VERSION, log_scores
from tellapart.readers.settings import ReadingSettings
from tellapart.store import write_frame
from tellapart.store.paths import check_directory

_LOGGER = getLogger(__name__)

FOLDER_VARIABLE = "TELLAPART_SCORES"
"""The folder to write to; without it nothing is written."""

METRIC_VARIABLE = "TELLAPART_METRIC"
"""The metric, as `--metric` of `audit`; by default the one that `audit` takes."""

_PAUSE = 20
"""So many times as long as writing a table took, it is not written again: that is 5 % of the time at most."""


@dataclass
class _RunningTask:
    """A task of which samples end.

    Attributes:
        header: As at the top of its log.
        samples: The summaries of those that ended, by id and epoch.
        next_write: When the table may be written again, by the monotonic clock.
    """

    header: dict[str, Any]
    samples: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    next_write: float = 0.0


@hooks(name="tellapart_scores", description="writes score tables that tellapart audits and compares")
class ScoreTables(Hooks):
    """Writes a score table per task, while samples end and once more at the task's end.

    The table is what ``tellapart audit LOG`` reads from the task's log: epochs are replicates, metadata that
    sorts the samples are strata, an unscored sample is missing with its cause. It is named
    ``TASK_MODEL_ID.parquet`` by the task's id, which ``inspect eval-retry`` keeps: the continued run replaces
    the table of the one that failed. A sample that is tried again counts once, as it ended last.
    """

    def __init__(self) -> None:
        self._running: dict[str, _RunningTask] = {}
        self._warnings: set[str] = set()

    def enabled(self) -> bool:
        """Whether a folder is named."""
        return bool(os.environ.get(FOLDER_VARIABLE))

    async def on_task_start(self, data: TaskStart) -> None:
        """Keep what the log says of the task."""
        self._running[data.eval_id] = _RunningTask(
            {
                "version": KNOWN_VERSION,
                "status": "started",
                "eval": _plain(data.spec),
                "plan": _plain(data.plan),
            }
        )

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Keep the sample, and write the table where that was not done a moment ago."""
        task = self._running.get(data.eval_id)
        if task is None:
            return
        _keep(task, data.sample)
        began = monotonic()
        if began >= task.next_write:
            self._write(task)
            ended = monotonic()
            task.next_write = ended + _PAUSE * (ended - began)

    async def on_task_end(self, data: TaskEnd) -> None:
        """Write the whole table, with samples that a continued run took over from the one before."""
        self._finish(data.log)

    async def on_run_end(self, data: RunEnd) -> None:
        """Write the whole tables of tasks that failed, whose end Inspect does not announce."""
        for log in data.logs:
            self._finish(log)

    def _finish(self, log: EvalLog) -> None:
        task = self._running.pop(log.eval.eval_id, None)
        if task is None:
            return
        task.header |= _plain(log, include={"version", "status", "eval", "plan", "error"})
        for sample in log.samples or ():
            _keep(task, sample)
        if task.samples:
            self._write(task)

    def _write(self, task: _RunningTask) -> None:
        """Write the table of a task; why it cannot be written is a warning, once."""
        try:
            _write(task)
        except InputError as error:
            # Its place is a table that is not there.
            name = f"task {task.header['eval']['task']}"
            self._warn(str(InputError(error.what, where=name, next_step=error.next_step)))
        except (TellapartError, OSError) as error:
            self._warn(str(error))

    def _warn(self, why: str) -> None:
        if why not in self._warnings:
            self._warnings.add(why)
            _LOGGER.warning("%s: no score table is written: %s", FOLDER_VARIABLE, why)


def _keep(task: _RunningTask, sample: EvalSample) -> None:
    task.samples[str(sample.id), sample.epoch] = _plain(sample.summary())


def _plain(record: BaseModel, include: set[str] | None = None) -> dict[str, Any]:
    """A record as JSON has it; what has no form there, such as a function, is null as in Inspect's logs."""
    plain: dict[str, Any] = record.model_dump(mode="json", include=include, fallback=lambda _: None)
    return plain


def _write(task: _RunningTask) -> None:
    folder = Path(os.environ[FOLDER_VARIABLE])
    check_directory(folder)
    path = folder / _file_name(task.header["eval"])
    settings = ReadingSettings(metric=os.environ.get(METRIC_VARIABLE) or None)
    scores = log_scores(task.header, list(task.samples.values()), settings, path)
    make_directory(folder)
    write_frame(path, scores.frame, scores.score_notes)


def _file_name(spec: Mapping[str, Any]) -> str:
    names = (str(spec[name]) for name in ("task", "model", "task_id"))
    return "_".join(re.sub(r"[^\w.-]+", "-", name) for name in names) + ".parquet"
