"""The suite's shell: what touches files, models and progress; the steps themselves are pure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tellapart.codesearch.case import Case, Explored
from tellapart.codesearch.conversations import SearchResults
from tellapart.codesearch.evaluation import Evaluation, evaluation_record
from tellapart.codesearch.explorers.protocol import Exploration, Issue
from tellapart.codesearch.explorers.registry import ExplorerRequest, load_explorer, parse_name
from tellapart.codesearch.exploring import explore_all
from tellapart.codesearch.metrics.figures import case_figures, metrics
from tellapart.codesearch.repositories import Repositories


def evaluate(
    results: SearchResults, repositories: Repositories, explorers: tuple[str, str], *, index: Path
) -> dict[str, Any]:
    """Evaluate one iteration."""
    issues = [Issue(s.conversation.id, s.conversation.issue_summary) for s in results.searched]
    loaded = {
        role: load_explorer(ExplorerRequest(name, parse_name(name)[1], repositories, index, role))
        for role, name in zip(("run_a", "run_b"), explorers, strict=True)
    }
    found = explore_all(issues, loaded)
    cases = tuple(
        Case(
            s.conversation,
            s.result,
            _explored(loaded["run_a"].name, found["run_a", s.conversation.id]),
            _explored(loaded["run_b"].name, found["run_b", s.conversation.id]),
        )
        for s in results.searched
    )
    evaluation = Evaluation(results.iteration or 1, results.timestamp, cases)
    return evaluation_record(evaluation, metrics(cases), [case_figures(case) for case in cases], [])


def _explored(name: str, exploration: Exploration) -> Explored:
    return Explored(name, exploration.files, exploration.failure)
