"""The loop: its steps and files, and the command between two iterations; nothing is done twice."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tellapart.codesearch.config import Config
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.explorers.journal import has_explorations
from tellapart.codesearch.looping.calibration import CalibrationRule, explorers_for
from tellapart.codesearch.looping.state import (
    input_fingerprint,
    iteration_record,
    read_state,
    record_iteration,
)
from tellapart.codesearch.looping.trend import (
    History,
    Stop,
    failed_gates,
    lines,
    stop_after,
    trend,
)
from tellapart.codesearch.metrics.independence import warnings_of
from tellapart.codesearch.recordings import evaluation_at
from tellapart.core.comparison import GateOutcome
from tellapart.core.progress import SILENT, Progress
from tellapart.environment.programs import check_passed, child_environment, withheld_hint
from tellapart.environment.scripts import refuse_in_scripts
from tellapart.environment.secrets import without_secrets
from tellapart.errors import InputError, UsageError
from tellapart.files import storage, write_json, write_text
from tellapart.store.growing import locked

HISTORY = "history.json"
STATE = "state.json"

_UNJUDGED = (
    "Nothing was judged: precision and recall are those that need no verdict, against what the explorations "
    "found; thresholds and convergence are held against them."
)

SEARCH, EVALUATION, LEARNINGS = "search_results.json", "evaluation.json", "learnings.json"


@dataclass(frozen=True)
class Iteration:
    """One turn of the loop."""

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
    def set_aside(self) -> Path:
        """Where its run goes when verdicts are missing in it, so that it is evaluated again."""
        before = len(list(self.directory.glob(f"{self.run.name}-before-*")))
        return self.directory / f"{self.run.name}-before-{before + 1}"

    @property
    def improved(self) -> Path:
        """What the command after the iteration said; there once it has succeeded."""
        return self.directory / "improved.json"


@dataclass(frozen=True)
class Steps:
    """The steps of an iteration; the loop writes what each returns.

    A step that was interrupted is called again; one whose file is there is not.
    """

    search: Callable[[Iteration], str]
    evaluate: Callable[[Iteration, str], Evaluation]
    learn: Callable[[Iteration, Evaluation], str]


_RUN = re.compile(r"iteration-(\d+)/run(?:-before-(\d+))?")


def evaluation_runs(directory: Path) -> list[Path]:
    """Runs from which an evaluation may take over what is paid for."""
    if has_explorations(directory):
        return [directory]
    runs = []
    for run in directory.glob("iteration-*/run*"):
        name = _RUN.fullmatch(run.relative_to(directory).as_posix())
        if name is not None and has_explorations(run):
            runs.append(((int(name[1]), not name[2], int(name[2] or 0)), run))
    return [path for _, path in sorted(runs, reverse=True)]


_PLACEHOLDER = re.compile(r"\{(?:learnings|evaluation|directory|iteration)\}")
_MOST = 4000
"""Characters of what a command says that are kept, from the end."""


def improve(command: str, iteration: Iteration, passed: Sequence[str] = ()) -> None:
    """Run the command after an iteration, unless it has succeeded already.

    It is cut into words as a shell does, but run without one. In each word ``{learnings}``, ``{evaluation}``,
    ``{directory}`` and ``{iteration}`` are replaced. One that was killed is run again.
    """
    if iteration.improved.exists():
        return
    values = {
        "learnings": str(iteration.learnings.resolve()),
        "evaluation": str(iteration.evaluation.resolve()),
        "directory": str(iteration.directory.resolve()),
        "iteration": str(iteration.number),
    }
    words = [
        _PLACEHOLDER.sub(lambda match: values[match[0].strip("{}")], word) for word in improve_words(command)
    ]
    try:
        done = subprocess.run(
            words,
            env=child_environment(passed),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise UsageError(f"'loop.improve' {command!r} cannot be run: {error.strerror}") from None
    output = {"stdout": _end(done.stdout), "stderr": _end(done.stderr)}
    if done.returncode:
        hint = withheld_hint(passed, "loop.pass_env")
        raise UsageError(
            f"'loop.improve' {command!r} failed after iteration {iteration.number} with exit code "
            f"{done.returncode}: {output['stderr'].strip() or 'it printed no error'}{hint}",
            next_step="Fix it and start the loop again: what is finished is kept",
        )
    write_json(iteration.improved, {"command": without_secrets(command), **output})


def improve_words(command: str) -> list[str]:
    """Cut ``loop.improve`` into words."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"'loop.improve' is {command!r}, which is not a command: {error}") from None
    if not words:
        raise UsageError("'loop.improve' is empty, expected a command, or null for none")
    refuse_in_scripts(words, _PLACEHOLDER, "'loop.improve'")
    return words


def _circular(evaluations: Sequence[Evaluation]) -> Iterator[str]:
    """Warn of explorers that search as the system does, with the iterations of which that is so."""
    numbers: dict[str, list[int]] = {}
    for evaluation in evaluations:
        for warning in warnings_of(evaluation):
            numbers.setdefault(warning, []).append(evaluation.iteration)
    for warning, of in numbers.items():
        yield f"Iteration {' and '.join(map(str, of))}: {warning}"


def _end(output: bytes) -> str:
    return without_secrets(output.decode("utf-8", "replace"))[-_MOST:]


@dataclass(frozen=True)
class LoopResult:
    """What the loop came to."""

    history: History
    stop: Stop | None
    remarks: tuple[str, ...] = ()

    @property
    def outcome(self) -> GateOutcome:
        """Whether the last iteration may stay; see `Stop.outcome`."""
        return self.stop.outcome if self.stop else GateOutcome.PASSED

    def lines(self) -> list[str]:
        """What the loop came to, for people: what speaks against the last iteration first, then the trend."""
        trend_lines = [*lines(self.history.iterations), *self.history.notes]
        if self.stop and self.outcome is not GateOutcome.PASSED:
            return [self.stop.text, *trend_lines]
        ending = self.stop.text if self.stop else "Nothing speaks against the next iteration."
        return [*trend_lines, *self.remarks, ending]


def run_loop(
    config: Config,
    steps: Steps,
    directory: Path,
    *,
    only_next: bool = False,
    progress: Progress = SILENT,
) -> LoopResult:
    """Iterate until there is a reason to stop; or go on with a loop that was interrupted.

    Each iteration lies in ``directory/iteration-N``, beside them the trend in ``history.json`` and what
    calibration counts in ``state.json``. A loop that has stopped stays so, unless the next iteration is asked
    for; but an iteration whose verdicts are missing is evaluated again, and takes over what did not fail.
    """
    if config.loop.improve is not None:
        improve_words(config.loop.improve)
        check_passed(config.loop.pass_env)
    with storage(directory):
        directory.mkdir(parents=True, exist_ok=True)
    loop = _Loop(config, steps, directory, config.explorer_names, progress)
    with locked(directory, "loop"):
        done = loop.finished()
        result = loop.conclude(done) if done else None
        if result and result.stop and result.stop.reason == "unreliable" and not only_next:
            loop.evaluate_again(done.pop().iteration)
            result = None
        while only_next or result is None or result.stop is None:
            if result is not None:
                loop.improve(len(done), result.stop)
            done.append(loop.iterate(len(done) + 1))
            result = loop.conclude(done)
            if only_next:
                break
    return result


@dataclass(frozen=True)
class _Loop:
    config: Config
    steps: Steps
    directory: Path
    explorers: tuple[str, str]
    progress: Progress

    def finished(self) -> list[Evaluation]:
        """Evaluations of the iterations that are complete, from the first."""
        evaluations: list[Evaluation] = []
        while (iteration := self._iteration(len(evaluations) + 1)).learnings.exists():
            evaluations.append(self._read(iteration))
            if read_state(iteration.state).find(iteration.number) is None:
                self._remember(iteration, evaluations[-1])
        return evaluations

    def iterate(self, number: int) -> Evaluation:
        """Do what is left to do of an iteration."""
        iteration = self._iteration(number)
        if not iteration.search.exists():
            self.progress(f"iteration-{number}: search")
            write_text(iteration.search, self.steps.search(iteration))
        if iteration.evaluation.exists():
            evaluation = self._read(iteration)
        else:
            self.progress(f"iteration-{number}: evaluate")
            evaluation = self.steps.evaluate(iteration, iteration.search.read_text(encoding="utf-8"))
            write_json(iteration.evaluation, evaluation.to_json())
        self._remember(iteration, evaluation)
        self.progress(f"iteration-{number}: learn")
        write_text(iteration.learnings, self.steps.learn(iteration, evaluation))
        return evaluation

    def evaluate_again(self, number: int) -> None:
        """Have the next call evaluate an iteration anew; its run is kept, to take over what did not fail."""
        iteration = self._iteration(number)
        self.progress(f"iteration-{number}: verdicts are missing, so they are asked for again")
        # In this order a loop that is killed in between begins here again.
        for path in (iteration.learnings, iteration.evaluation):
            path.unlink(missing_ok=True)
        if iteration.run.exists():
            iteration.run.rename(iteration.set_aside)

    def improve(self, number: int, stop: Stop | None) -> None:
        """Run the command after an iteration if its learnings hold and the next one has not begun."""
        command = self.config.loop.improve
        rolled_back = stop is not None and stop.reason == "regression"
        if command is None or rolled_back or self._iteration(number + 1).search.exists():
            return
        self.progress(f"iteration-{number}: {without_secrets(command)}")
        improve(command, self._iteration(number), self.config.loop.pass_env)

    def conclude(self, done: Sequence[Evaluation]) -> LoopResult:
        """Decide whether to stop after the last iteration, and write the history."""
        seed = self.config.seed
        gates = failed_gates(done[:-1], done[-1], self.config.loop.regression, seed=seed)
        iterations = trend(done, seed=seed)
        stop = stop_after(iterations, gates, self.config.loop)
        unjudged = any("precision_union" in iteration.measures for iteration in iterations)
        history = History(
            iterations=tuple(iterations),
            gates=tuple(gates),
            notes=(
                *([_UNJUDGED] if unjudged else []),
                *_circular(done[-2:]),
            ),
            stopped=stop,
        )
        write_json(self.directory / HISTORY, history.to_json())
        return LoopResult(history, stop, tuple(self._remarks(done[-1])))

    def _remarks(self, evaluation: Evaluation) -> Iterator[str]:
        iteration = self._iteration(evaluation.iteration)
        agreement = evaluation.metrics.agreement if evaluation.metrics else None
        if agreement and agreement.decision:
            yield f"calibration: {agreement.decision.text}"
        yield f"learned: {iteration.learnings}"

    def _iteration(self, number: int) -> Iteration:
        state = self.directory / STATE
        rule = CalibrationRule(self.config.calibration_iterations, self.config.calibration_overlap_threshold)
        return Iteration(
            number,
            self.directory / f"iteration-{number}",
            explorers_for(number, read_state(state), self.explorers, rule),
            state,
        )

    def _read(self, iteration: Iteration) -> Evaluation:
        evaluation = evaluation_at(iteration.evaluation)
        if evaluation.iteration != iteration.number:
            raise InputError(
                f"this is the evaluation of iteration {evaluation.iteration}, expected {iteration.number}",
                where=iteration.evaluation,
            )
        return evaluation

    def _remember(self, iteration: Iteration, evaluation: Evaluation) -> None:
        fingerprint = input_fingerprint(iteration.search.read_bytes())
        record_iteration(iteration.state, iteration_record(iteration.number, fingerprint, evaluation.cases))
