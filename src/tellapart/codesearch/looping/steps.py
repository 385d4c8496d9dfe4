"""What the loop is made of: steps that are handed in, and where each iteration lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SEARCH, EVALUATION, LEARNINGS = "search_results.json", "evaluation.json", "learnings.json"


@dataclass(frozen=True)
class Iteration:
    """One turn of the loop.

    Attributes:
        number: From 1; the search results say it.
        directory: ``DIR/iteration-N``; a step may keep there what it resumes from.
        explorers: Of run A and run B: those configured, or after calibration run B's for both.
        state: The state file, in which all earlier iterations are.
    """

    number: int
    directory: Path
    explorers: tuple[str, str]
    state: Path

    @property
    def search(self) -> Path:
        """The search results."""
        return self.directory / SEARCH

    @property
    def evaluation(self) -> Path:
        """The evaluation."""
        return self.directory / EVALUATION

    @property
    def learnings(self) -> Path:
        """What was learned from it."""
        return self.directory / LEARNINGS

    @property
    def run(self) -> Path:
        """Where the evaluation may keep its run."""
        return self.directory / "run"

    @property
    def earlier_run(self) -> Path:
        """The run of an evaluation of the same search whose verdicts were missing; there after one."""
        return self.directory / "run-before"

    @property
    def improved(self) -> Path:
        """What the command after the iteration said; there once it has succeeded."""
        return self.directory / "improved.json"


@dataclass(frozen=True)
class Steps:
    """The steps of an iteration; each returns the text of its file, which the loop writes.

    A step that was interrupted is called again; one whose file is there is not.

    Attributes:
        search: Runs the system under test.
        evaluate: Takes the text of the search results.
        learn: Takes the text of the evaluation.
    """

    search: Callable[[Iteration], str]
    evaluate: Callable[[Iteration, str], str]
    learn: Callable[[Iteration, str], str]
