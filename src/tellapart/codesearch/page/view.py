"""What an evaluation, a run or a loop left on the disk, read into one view."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tellapart.codesearch.evaluation import IN_A_RUN, Evaluation
from tellapart.codesearch.figures import Metrics
from tellapart.codesearch.looping.trend import History
from tellapart.codesearch.metrics.explorations import ROLES, RUNS
from tellapart.codesearch.metrics.measures import precision_and_recall
from tellapart.codesearch.recordings import read_evaluation
from tellapart.codesearch.scoring import score_evaluation
from tellapart.core.fingerprint import sha256
from tellapart.errors import InputError
from tellapart.files import check_record, read_bytes, read_object
from tellapart.store import RunDirectory, RunRecord
from tellapart.store.runs import DATABASE

SUITE = "codesearch"
_NEXT = "Name an evaluation.json, a run directory of 'tellapart codesearch evaluate' or one of 'loop'"


@dataclass(frozen=True)
class View:
    """An evaluation to be reported: the only one, or the last of a loop."""

    evaluation: Evaluation
    fingerprint: str = ""
    history: History | None = None
    record: RunRecord | None = None

    @property
    def metrics(self) -> Metrics:
        """All figures."""
        return self.evaluation.figures

    @property
    def config(self) -> dict[str, Any]:
        """How the run was configured; empty without one."""
        return self.record.config if self.record else {}

    @property
    def judged(self) -> bool:
        """Whether there are precision and recall with verdicts."""
        return any(self.metrics.measures[name].conversations for name in ("precision", "recall"))

    @cached_property
    def names(self) -> tuple[str, str]:
        """The two measures of each area: precision and recall, or what is like them without verdicts."""
        return precision_and_recall(self.evaluation.cases)

    @cached_property
    def runs(self) -> dict[str, str]:
        """What people call the runs: ``run A (lexical)``."""
        explorers = {role: self.metrics.exploring.of(role).explorer for role in ROLES}
        return {role: f"{RUNS[role]} ({name})" if name else RUNS[role] for role, name in explorers.items()}

    @property
    def language_models(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Each language model that was asked: its name, what for, and what the record says of that."""
        judge = (self.config.get("judge") or {}).get("model")
        return [
            (name, "judging" if name == judge else "exploring", model)
            for name, model in (self.record.models if self.record else {}).items()
            if "requested" in model
        ]


def load(path: Path) -> View:
    """Read an evaluation, or the last one of a loop with the trend before it."""
    if not path.is_dir():
        return _view(path)
    if (path / "history.json").is_file():
        return _loop(path)
    if (path / "evaluation.json").is_file():
        return _view(path / "evaluation.json")
    if not (path / DATABASE).is_file() and not (path / IN_A_RUN).is_file():
        raise InputError("there is no evaluation here", where=path, next_step=_NEXT)
    return replace(_view(path / IN_A_RUN), record=RunDirectory.open(path, SUITE).record)


def _loop(directory: Path) -> View:
    file = directory / "history.json"
    data = read_object(file, next_step=_NEXT)
    if not data.get("iterations"):
        raise InputError("no iteration of this loop is finished", where=file)
    history = check_record(data, History, file)
    last = directory / f"iteration-{history.iterations[-1].iteration}"
    record = RunDirectory.open(last / "run", SUITE).record if (last / "run").is_dir() else None
    return replace(_view(last / "evaluation.json"), history=history, record=record)


def _view(file: Path) -> View:
    """Read an evaluation; of other pipelines' files, which lack our figures, they are computed."""
    content = read_bytes(file, next_step=_NEXT)
    evaluation = read_evaluation(content, where=str(file))
    if evaluation.metrics is None:
        evaluation = score_evaluation(evaluation)
    return View(evaluation, sha256(content))
