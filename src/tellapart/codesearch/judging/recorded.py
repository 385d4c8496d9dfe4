"""``--judge replay:FILE``: the verdicts and assessments that an earlier evaluation recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from tellapart.codesearch.evaluation import IN_A_RUN
from tellapart.codesearch.metrics.conversation import unjudged
from tellapart.codesearch.model import Case, Failed, JudgeVerdict
from tellapart.llm.journal import has_calls
from tellapart.llm.models import REPLAY
from tellapart.store.runs import DATABASE

NOT_RECORDED = "not_recorded"
"""Kind of a failure: the recording has no verdict on the file."""


def recorded_judge(name: str) -> Path | None:
    """The evaluation whose verdicts a judge's name asks for; None of other names.

    ``replay:PATH`` of a run in which a language model was asked answers prompts instead, and is a
    language model like any other.
    """
    if not name.startswith(REPLAY) or "#" in name:
        return None
    path = Path(name.removeprefix(REPLAY))
    if path.is_dir():
        has_evaluation = (path / IN_A_RUN).is_file() and not has_calls(path / DATABASE)
        return path / IN_A_RUN if has_evaluation else None
    return None if path.suffix == ".db" else path


def with_recorded_verdicts(cases: Iterable[Case], recorded: Sequence[Case], where: Path) -> tuple[Case, ...]:
    """Judge cases as they were judged in a recording."""
    by_issue = {(case.id, case.issue_summary): case for case in recorded}
    missing = JudgeVerdict(None, failure=Failed("provider", NOT_RECORDED, f"no verdict is in {where}"))
    judged = []
    for case in cases:
        same = by_issue.get((case.id, case.issue_summary))
        # Of a conversation that nobody was asked to judge there is no verdict to miss.
        verdicts = {} if same and unjudged(same) else dict.fromkeys(case.our_unique, missing)
        if same is not None:
            verdicts |= {file: verdict for file, verdict in same.verdicts.items() if file in case.ours}
        judged.append(
            replace(
                case,
                verdicts=dict(sorted(verdicts.items())),
                assessment=same.assessment if same else None,
                # A sample of what nobody returned holds for the same files alone.
                rest=same.rest if same and _returned(same) == _returned(case) else None,
            )
        )
    return tuple(judged)


def _returned(case: Case) -> frozenset[str]:
    return case.ours | case.ground_truth


def not_recorded(cases: Iterable[Case]) -> int:
    """How many verdicts the recording did not have."""
    verdicts = (verdict for case in cases for verdict in case.verdicts.values())
    return sum(bool(verdict.failure and verdict.failure.kind == NOT_RECORDED) for verdict in verdicts)
