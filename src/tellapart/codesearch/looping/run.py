"""The loop: its steps and files, and the command between two iterations; nothing is done twice."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tellapart.codesearch.config import Config
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.explorers.journal import has_explorations
from tellapart.codesearch.looping.calibration import (
    CalibrationRule,
    explorers_for,
    input_fingerprint,
    iteration_record,
    read_state,
    record_iteration,
)
from tellapart.codesearch.looping.trend import History, Stop, failed_gates, stop_after, trend
from tellapart.codesearch.metrics.explorations import warnings_of
from tellapart.codesearch.recordings import evaluation_at
from tellapart.codesearch.systems.system import filled, split_command
from tellapart.core.comparison import GateOutcome
from tellapart.core.progress import SILENT, Progress
from tellapart.environment.programs import check_passed, child_environment, withheld_hint
from tellapart.environment.secrets import without_secrets
from tellapart.errors import InputError, UsageError
from tellapart.files import storage, write_json, write_text
from tellapart.store.growing import locked

_UNJUDGED = (
    "Nothing was judged: thresholds and convergence are held against the precision and recall that need no "
    "verdict, those against what the explorations found."
)


@dataclass(frozen=True)
class Iteration:
    """One turn of the loop: who explores, and where its files are; ``improved`` comes last."""

    number: int
    explorers: tuple[str, str]
    directory: Path
    state: Path
    search: Path
    evaluation: Path
    learnings: Path
    run: Path
    improved: Path


@dataclass(frozen=True)
class Steps:
    """The steps of an iteration; the loop writes what each returns."""

    search: Callable[[Iteration], str]
    evaluate: Callable[[Iteration, str], Evaluation]
    learn: Callable[[Iteration, Evaluation], str]


_RUN = re.compile(r"iteration-(\d+)/run(?:-before-(\d+))?")


def evaluation_runs(directory: Path) -> list[Path]:
    """Runs from which an evaluation may take over what is paid for, the newest first."""
    if has_explorations(directory):
        return [directory]
    runs = []
    for run in directory.glob("iteration-*/run*"):
        name = _RUN.fullmatch(run.relative_to(directory).as_posix())
        if name and has_explorations(run):
            runs.append(((int(name[1]), not name[2], int(name[2] or 0)), run))
    return [run for _, run in sorted(runs, reverse=True)]


_IMPROVE = ("'loop.improve'", ("learnings", "evaluation", "directory", "iteration"))
_MOST = 4000  # Characters of what a command says that are kept, from the end


def improve(command: str, iteration: Iteration, passed: Sequence[str] = ()) -> None:
    """Run the command after an iteration, without a shell, unless it has succeeded already."""
    if iteration.improved.exists():
        return
    paths = ("learnings", "evaluation", "directory")
    values = {name: str(getattr(iteration, name).resolve()) for name in paths}
    values["iteration"] = str(iteration.number)
    words = [filled(word, values) for word in split_command(command, *_IMPROVE)]
    environment = child_environment(passed)
    try:
        done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    except OSError as error:
        raise UsageError(f"'loop.improve' {command!r} cannot be run: {error.strerror}") from None
    stdout, stderr = (
        without_secrets(said.decode("utf-8", "replace"))[-_MOST:] for said in (done.stdout, done.stderr)
    )
    if done.returncode:
        hint = withheld_hint(passed, "loop.pass_env")
        raise UsageError(
            f"'loop.improve' {command!r} failed after iteration {iteration.number} with exit code "
            f"{done.returncode}: {stderr.strip() or 'it printed no error'}{hint}",
            next_step="Fix it and start the loop again: what is finished is kept",
        )
    record = {"command": without_secrets(command), "stdout": stdout, "stderr": stderr}
    write_json(iteration.improved, record)


def run_loop(
    config: Config,
    steps: Steps,
    directory: Path,
    *,
    only_next: bool = False,
    progress: Progress = SILENT,
) -> tuple[History, tuple[str, ...]]:
    """Iterate until there is a reason to stop; or go on with a loop that was interrupted.

    Each iteration lies in ``directory/iteration-N``, beside them the trend in ``history.json`` and what
    calibration counts in ``state.json``. A loop that has stopped stays so, unless the next iteration is asked
    for; but an iteration whose verdicts are missing is evaluated again, and takes over what did not fail.
    Given are the trend, and what it came to, a sentence each.
    """
    if config.loop.improve is not None:
        split_command(config.loop.improve, *_IMPROVE)
        check_passed(config.loop.pass_env)
    with storage(directory):
        directory.mkdir(parents=True, exist_ok=True)
    loop = _Loop(config, steps, directory, progress)
    with locked(directory, "loop"):
        done = loop.finished()
        history = loop.conclude(done) if done else None
        if history and history.stopped and history.stopped.reason == "unreliable" and not only_next:
            loop.evaluate_again(done.pop().iteration)
            history = None
        while only_next or history is None or history.stopped is None:
            if history is not None:
                loop.improve(len(done), history.stopped)
            done.append(loop.iterate(len(done) + 1))
            history = loop.conclude(done)
            if only_next:
                break
        return history, loop.sentences(history, done[-1])


@dataclass(frozen=True)
class _Loop:
    config: Config
    steps: Steps
    directory: Path
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
            before = len(list(iteration.directory.glob("run-before-*")))
            iteration.run.rename(iteration.directory / f"run-before-{before + 1}")

    def improve(self, number: int, stop: Stop | None) -> None:
        """Run the command after an iteration if its learnings hold and the next one has not begun."""
        command = self.config.loop.improve
        rolled_back = stop is not None and stop.reason == "regression"
        if command is None or rolled_back or self._iteration(number + 1).search.exists():
            return
        self.progress(f"iteration-{number}: {without_secrets(command)}")
        improve(command, self._iteration(number), self.config.loop.pass_env)

    def conclude(self, done: Sequence[Evaluation]) -> History:
        """Decide whether to stop after the last iteration, and write the history."""
        seed, loop = self.config.seed, self.config.loop
        gates = tuple(failed_gates(done[:-1], done[-1], loop.regression, seed=seed))
        iterations = tuple(trend(done, seed=seed))
        unjudged = [_UNJUDGED] if "precision_union" in iterations[-1].measures else []
        history = History(
            iterations=iterations,
            gates=gates,
            notes=(*unjudged, *warnings_of(done[-1])),
            stopped=stop_after(iterations, gates, loop),
        )
        write_json(self.directory / "history.json", history.to_json())
        return history

    def sentences(self, history: History, last: Evaluation) -> tuple[str, ...]:
        """Say why the loop stops, and what else there is to know; after a fall no more than that."""
        stop, sentences = history.stopped, list(history.notes)
        if history.outcome is GateOutcome.PASSED:
            if last.metrics and last.metrics.agreement:
                sentences.append(last.metrics.agreement.decision)
            sentences.append(f"Learned: {self._iteration(last.iteration).learnings}")
        return (stop.text if stop else "Nothing speaks against the next iteration.", *sentences)

    def _iteration(self, number: int) -> Iteration:
        state, own = self.directory / "state.json", self.directory / f"iteration-{number}"
        rule = CalibrationRule.of(self.config).knowing(read_state(state), number)
        explorers = explorers_for(number, self.config.explorer_names, rule)
        names = ("search_results.json", "evaluation.json", "learnings.json", "run", "improved.json")
        return Iteration(number, explorers, own, state, *(own / name for name in names))

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
