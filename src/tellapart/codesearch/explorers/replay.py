"""``replay:FILE``: the explorations that an earlier evaluation recorded."""

from __future__ import annotations

from pathlib import Path

from tellapart.codesearch.explorers.explorer import Exploration, ExplorerRequest, Issue
from tellapart.codesearch.model import Case, Explored, Failed
from tellapart.codesearch.recordings import evaluation_at


class Replay:
    """The explorer."""

    def __init__(self, recording: Path, role: str) -> None:
        """Read the explorations of one role: ``run_a``, ``run_b``, ``retest_a`` or ``retest_b``."""
        self._recording = recording
        runs = {case.id: _run(case, role) for case in _cases(recording)}
        self._runs = {conversation: run for conversation, run in runs.items() if run is not None}
        names = {run.explorer for run in self._runs.values()}
        self.name = names.pop() if len(names) == 1 else f"replay:{recording}"

    def check(self) -> None:
        """Nothing can be missing."""

    def prepare(self) -> None:
        """Nothing is left to do."""

    async def explore(self, issue: Issue) -> Exploration:
        """Give what was found then; a conversation that is not there has failed."""
        run = self._runs.get(issue.conversation_id)
        if run is None:
            why = f"conversation {issue.conversation_id!r} is not in {self._recording}"
            return Exploration((), Failed("provider", "not_recorded", why))
        return Exploration(run.files, run.failure)


def _cases(recording: Path) -> tuple[Case, ...]:
    return evaluation_at(recording).cases


def _run(case: Case, role: str) -> Explored | None:
    run: Explored | None = getattr(case, role)
    return run


def load(request: ExplorerRequest) -> Replay:
    """Make the explorer."""
    return Replay(Path(request.argument), request.role)
