"""What an evaluation, a run or a loop left on the disk, read into one view."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.figures import JudgeSummary, JudgingSummary, Metrics
from tellapart.codesearch.learn import Learnings
from tellapart.codesearch.looping.trend import History
from tellapart.codesearch.model import Case
from tellapart.codesearch.recordings import read_evaluation
from tellapart.codesearch.scoring import score_evaluation
from tellapart.core.fingerprint import sha256
from tellapart.errors import InputError
from tellapart.files import check_record, read_bytes, read_object
from tellapart.store import RunDirectory, RunRecord
from tellapart.store.runs import DATABASE

ROLES = ("run_a", "run_b")
SUITE = "codesearch"
_NEXT = "Name an evaluation.json, a run directory of 'tellapart codesearch evaluate' or one of 'loop'"


@dataclass(frozen=True)
class View:
    """An evaluation to be reported: the only one, or the last of a loop."""

    evaluation: Evaluation
    fingerprint: str = ""
    history: History | None = None
    iterations: int = 1
    learnings: Learnings | None = None
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
    def cases(self) -> tuple[Case, ...]:
        """Its conversations, in order."""
        return self.evaluation.cases

    @property
    def judge(self) -> JudgeSummary | None:
        """How the judge was asked; None where there was none of ours."""
        summary = self.metrics.judge
        return JudgeSummary.model_validate(summary) if isinstance(summary, dict) and summary else None

    @property
    def iteration(self) -> int:
        """From 1."""
        return self.evaluation.iteration

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to beware of, as the suite says it."""
        return self.evaluation.warnings

    @property
    def judging(self) -> JudgingSummary:
        """How the judging went."""
        return self.metrics.judging

    @property
    def reliable(self) -> bool:
        """Whether so few verdicts failed that precision and recall can be relied on."""
        return self.judging.reliable is not False

    @property
    def judged(self) -> bool:
        """Whether there are precision and recall with verdicts."""
        both = [self.metrics.measures[name] for name in ("precision", "recall")]
        return any(measure.conversations for measure in both)

    @property
    def names(self) -> tuple[str, str]:
        """The two measures of each area: precision and recall, or what is like them without verdicts."""
        for area in self.metrics.areas.values():
            precision, recall = area.measures
            return precision, recall
        return ("precision", "recall") if self.judged else ("precision_union", "recall_union")

    @cached_property
    def runs(self) -> dict[str, str]:
        """What people call the runs: ``run A (lexical)``."""
        explorers = {role: self.metrics.exploring.of(role).explorer for role in ROLES}
        return {
            role: f"{word} ({explorers[role]})" if explorers[role] else word
            for role, word in (("run_a", "run A"), ("run_b", "run B"))
        }

    @property
    def language_models(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Each language model that was asked: its name, what for, and what the record says of that."""
        if self.record is None:
            return []
        judge = (self.config.get("judge") or {}).get("model")
        return [
            (name, "judging" if name == judge else "exploring", model)
            for name, model in self.record.models.items()
            if "requested" in model
        ]


def load(path: Path) -> View:
    """Read an evaluation, or the last one of a loop with the trend before it."""
    if path.is_dir() and (path / "history.json").is_file():
        return _loop(path)
    if path.is_dir() and not (path / "evaluation.json").is_file():
        return _run(path)
    if path.is_dir():
        return _view(path / "evaluation.json")
    return _view(path)


def _loop(directory: Path) -> View:
    history = read_object(directory / "history.json", next_step=_NEXT)
    if not history.get("iterations"):
        raise InputError("no iteration of this loop is finished", where=directory / "history.json")
    checked = check_record(history, History, directory / "history.json")
    places = [directory / f"iteration-{entry.iteration}" for entry in checked.iterations]
    run = places[-1] / "run"
    return replace(
        _view(places[-1] / "evaluation.json"),
        history=checked,
        iterations=len(places),
        record=RunDirectory.open(run, SUITE).record if run.is_dir() else None,
    )


def _run(directory: Path) -> View:
    file = directory / "artifacts" / "evaluation.json"
    if not (directory / DATABASE).is_file() and not file.is_file():
        raise InputError("there is no evaluation here", where=directory, next_step=_NEXT)
    return _view(file, RunDirectory.open(directory, SUITE).record)


def _view(file: Path, record: RunRecord | None = None) -> View:
    """Read an evaluation; of other pipelines' files, which lack our figures, they are computed."""
    content = read_bytes(file, next_step=_NEXT)
    evaluation = read_evaluation(content, where=str(file))
    if evaluation.metrics is None:
        evaluation = score_evaluation(evaluation)
    learnings = _learnings(evaluation, file.with_name("learnings.json"))
    return View(evaluation, sha256(content), learnings=learnings, record=record)


def _learnings(evaluation: Evaluation, file: Path) -> Learnings | None:
    """Read what lies beside an evaluation, unless it was learnt from another one."""
    if not file.is_file():
        return None
    learnings = read_object(file, next_step=_NEXT)
    same = learnings.get("iteration_number") == evaluation.iteration
    if not same or learnings.get("conversations") != len(evaluation.cases):
        return None
    return check_record(learnings, Learnings, file)
