"""The steps of an iteration, where its files lie, and the command that is run between two iterations."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.explorers.journal import has_explorations
from tellapart.environment.programs import child_environment, withheld_hint
from tellapart.environment.scripts import refuse_in_scripts
from tellapart.environment.secrets import without_secrets
from tellapart.errors import UsageError
from tellapart.files import write_text

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
    ``{directory}`` and ``{iteration}`` are replaced; the same stand in the environment variables
    ``TELLAPART_LEARNINGS`` and so on. One that was killed is run again.
    """
    if iteration.improved.exists():
        return
    values = {
        "learnings": str(iteration.learnings.resolve()),
        "evaluation": str(iteration.evaluation.resolve()),
        "directory": str(iteration.directory.resolve()),
        "iteration": str(iteration.number),
    }
    environment = child_environment(passed) | {
        f"TELLAPART_{name.upper()}": value for name, value in values.items()
    }
    words = [_filled(word, values) for word in improve_words(command)]
    try:
        done = subprocess.run(
            words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
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
    record = {"command": without_secrets(command), **output}
    write_text(iteration.improved, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


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


def _filled(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def _end(output: bytes) -> str:
    return without_secrets(output.decode("utf-8", "replace"))[-_MOST:]
