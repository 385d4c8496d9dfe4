"""The command that is run between two iterations to change the system under test."""

from __future__ import annotations

import json
import os
import shlex
import subprocess

from tellapart.codesearch.looping.steps import Iteration
from tellapart.errors import UsageError
from tellapart.store import write_text

_MOST = 4000
"""Characters of what a command says that are kept, from the end."""


def improve(command: str, iteration: Iteration) -> None:
    """Run the command after an iteration, unless it has succeeded already.

    It is cut into words as a shell does, but run without one. In each word ``{learnings}``, ``{evaluation}``,
    ``{directory}`` and ``{iteration}`` are replaced; the same stand in the environment variables
    ``TELLAPART_LEARNINGS`` and so on. One that was killed is run again.

    Args:
        command: For example ``python tune.py {learnings}``.
        iteration: The one that is complete.

    Raises:
        UsageError: It cannot be run or fails; with what it said on stderr.
    """
    if iteration.improved.exists():
        return
    values = {
        "learnings": str(iteration.learnings.resolve()),
        "evaluation": str(iteration.evaluation.resolve()),
        "directory": str(iteration.directory.resolve()),
        "iteration": str(iteration.number),
    }
    environment = os.environ | {f"TELLAPART_{name.upper()}": value for name, value in values.items()}
    words = [_filled(word, values) for word in _words(command)]
    try:
        done = subprocess.run(
            words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise UsageError(f"'loop.improve' {command!r} cannot be run: {error.strerror}") from None
    said = {name: _end(getattr(done, name)) for name in ("stdout", "stderr")}
    if done.returncode:
        raise UsageError(
            f"'loop.improve' {command!r} failed after iteration {iteration.number} with exit code "
            f"{done.returncode}: {said['stderr'].strip() or 'it said nothing'}",
            next_step="Mend it and start the loop again: what is finished is kept",
        )
    record = {"command": command, **said}
    write_text(iteration.improved, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"'loop.improve' is {command!r}, which is no command: {error}") from None
    if not words:
        raise UsageError("'loop.improve' is empty, expected a command, or null for none")
    return words


def _filled(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def _end(output: bytes) -> str:
    return output.decode("utf-8", "replace")[-_MOST:]
