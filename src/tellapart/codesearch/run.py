"""The suite's shell: what touches files, models and progress; the steps themselves are pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.codesearch.case import Case, Explored
from tellapart.codesearch.conversations import SearchResults
from tellapart.codesearch.evaluation import Evaluation, evaluation_record
from tellapart.codesearch.explorers.protocol import Exploration, Explorer, Issue
from tellapart.codesearch.explorers.registry import ExplorerRequest, load_explorer, parse_name
from tellapart.codesearch.exploring import EXPLORATIONS, Explorations, Job, explore_all
from tellapart.codesearch.index.snapshot import take_snapshot
from tellapart.codesearch.metrics.figures import case_figures, metrics
from tellapart.codesearch.occurrences import terms_in_files
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.settings import Settings
from tellapart.core.fingerprint import sha256
from tellapart.core.randomness import generator
from tellapart.store import OpenRun, RunDirectory, is_finished, new_record, run_name, write_bytes, writing

Progress = Callable[[str], None]

EVALUATION = "artifacts/evaluation.json"
"""What an evaluation of a run gives, as it goes to standard output."""

SEARCH_RESULTS = "artifacts/search_results.json"
"""What it was made from, as it came in."""


@dataclass(frozen=True)
class Asked:
    """What is evaluated.

    Attributes:
        results: The search results, read.
        source: The same as they came in.
        iteration: Which iteration this is, from 1.
        repositories: What explorers may read.
        index: Directory of what is kept of the repositories between runs.
    """

    results: SearchResults
    source: bytes
    iteration: int
    repositories: Repositories
    index: Path


def evaluate(
    asked: Asked, settings: Settings, *, out: Path | None = None, progress: Progress = lambda _: None
) -> RunDirectory:
    """Explore, judge and measure one iteration, or go on with what was interrupted.

    Args:
        asked: What is evaluated.
        settings: How.
        out: The run directory; by default ``runs/`` and a name that follows from all else. A complete run of
            the same is given as it is.
        progress: Told what is being done.

    Raises:
        TellapartError: Something cannot be used; what is finished is kept for a resumed run.
    """
    config = settings.record() | {"iteration": asked.iteration}
    inputs = {
        "search_results": sha256(asked.source),
        "repositories": take_snapshot(asked.repositories).fingerprint,
    }
    path = out or Path("runs") / run_name("codesearch", config, inputs)
    record = new_record("codesearch", config, inputs, seed=settings.seed)
    if is_finished(path, record):
        progress(f"this was evaluated before: {path}")
        return RunDirectory.open(path)
    with writing(path, record) as open_run:
        write_bytes(open_run.path / SEARCH_RESULTS, asked.source)
        cases = _cases(asked, settings, _explore(open_run, asked, settings, progress))
        evaluation = Evaluation(asked.iteration, asked.results.timestamp, cases, asked.results.unusable)
        open_run.write_json(EVALUATION, assembled(evaluation))
        record.counts = {"conversations": len(cases)}
    return RunDirectory.open(path)


def assembled(evaluation: Evaluation) -> dict[str, Any]:
    """The record of an evaluation, with all its figures."""
    return evaluation_record(
        evaluation, metrics(evaluation.cases), [case_figures(case) for case in evaluation.cases], []
    )


def _cases(
    asked: Asked, settings: Settings, found: Mapping[tuple[str, str], Exploration]
) -> tuple[Case, ...]:
    names = dict(zip("ab", settings.explorers, strict=True))

    def explored(role: str, conversation: str) -> Explored:
        exploration = found[role, conversation]
        return Explored(names[role[-1]], exploration.files, exploration.failure)

    cases = []
    for searched in asked.results.searched:
        conversation, result = searched.conversation, searched.result
        again = ("retest_a", conversation.id) in found
        cases.append(
            Case(
                conversation,
                result,
                explored("run_a", conversation.id),
                explored("run_b", conversation.id),
                retest_a=explored("retest_a", conversation.id) if again else None,
                retest_b=explored("retest_b", conversation.id) if again else None,
                terms_in_files=terms_in_files(asked.repositories, result.files, result.terms),
            )
        )
    return tuple(cases)


def _explore(
    open_run: OpenRun, asked: Asked, settings: Settings, progress: Progress
) -> dict[tuple[str, str], Exploration]:
    issues = [Issue(s.conversation.id, s.conversation.issue_summary) for s in asked.results.searched]
    explorers = _explorers(asked, settings)
    jobs = [Job(role, issue) for issue in issues for role in ("run_a", "run_b")]
    again = _retested(issues, settings)
    jobs += [Job(role, issue) for issue in again for role in ("retest_a", "retest_b")]
    return explore_all(
        jobs,
        explorers,
        Explorations(open_run.path / EXPLORATIONS),
        concurrency=settings.concurrency,
        logs=open_run.path / "artifacts" / "inspect",
        progress=progress,
    )


def _explorers(asked: Asked, settings: Settings) -> dict[str, Explorer]:
    found = {}
    for which, name in zip("ab", settings.explorers, strict=True):
        role = f"run_{which}"
        request = ExplorerRequest(
            name, parse_name(name)[1], asked.repositories, asked.index, role, settings.agents
        )
        found[role] = found[f"retest_{which}"] = load_explorer(request)
    return found


def _retested(issues: Sequence[Issue], settings: Settings) -> list[Issue]:
    """The issues that are explored once more: drawn by id, so that their order in the file says nothing."""
    ordered = sorted(issues, key=lambda issue: issue.conversation_id)
    count = min(settings.retest, len(ordered))
    drawn = generator(settings.seed, "retest").permutation(len(ordered))[:count]
    return [ordered[i] for i in sorted(drawn.tolist())]
