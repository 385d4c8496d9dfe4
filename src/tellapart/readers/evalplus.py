"""EvalPlus and BigCodeBench: ``eval_results.json``, every solution of every task with its status."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tellapart.errors import InputError
from tellapart.files import as_object, read_object
from tellapart.files.tables import head_text
from tellapart.readers.answers import Answer, answers_frame
from tellapart.readers.metric_choice import choose_metric
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings

NAME = "EvalPlus or BigCodeBench results"

TAKES = ("metric", "model")

_STATUSES = ("plus_status", "base_status", "status")
"""What a solution passed, the strictest first: all tests, or those of the original benchmark."""

_EVAL = re.compile(r'"eval"\s*:\s*\{\s*"[^"]*"\s*:\s*\[?\s*\{\s*"task_id"')
_PASSED = {"pass": 1.0, "fail": 0.0, "timeout": 0.0}


def recognises(path: Path) -> bool:
    """Check whether a file is an object with ``eval`` and a status of each solution."""
    text = (head_text(path) or "").lstrip() if path.is_file() else ""
    return text.startswith("{") and _EVAL.search(text) is not None


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read whether each solution passed; several solutions of a task are replicates."""
    tasks = as_object(read_object(path).get("eval"), f"{path}: 'eval'")
    solutions = [
        (task, number, as_object(solution, f"{path}: 'eval', {task!r}"))
        for task, of_task in tasks.items()
        for number, solution in enumerate(of_task if isinstance(of_task, list) else [of_task])
    ]
    names = [name for name in _STATUSES if any(name in solution for _, _, solution in solutions)]
    if not names:
        raise InputError("no solution has a status", where=path)
    metric, notes = choose_metric(names, settings.metric, path)
    model = settings.name or path.stem.removesuffix("_results").removesuffix("_eval").removesuffix(".eval")
    answers = [
        Answer(model, task, *_score(solution.get(metric), f"{path}: {task!r}"), replicate=number)
        for task, number, solution in solutions
    ]
    return LogScores(answers_frame(answers), notes, limits=(0.0, 1.0))


def _score(status: Any, where: str) -> tuple[float | None, str | None]:
    if status is None:
        return None, "judge"
    if status not in _PASSED:
        raise InputError(f"the status is {status!r}, expected pass, fail or timeout", where=where)
    return _PASSED[status], None
