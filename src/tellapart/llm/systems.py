"""A system under test: a program, or an object of Python, that keeps the history of a conversation itself."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded, settings_record
from tellapart.environment.programs import check_passed, refuse_in_scripts
from tellapart.environment.secrets import without_secrets
from tellapart.errors import UsageError, near_match
from tellapart.files import sha256_of

PYTHON = "python:"
"""What the target of a system begins with that is an object of Python."""

SESSION = "{session}"
"""What the name of the conversation takes the place of in a command."""

TURN_TIMEOUT_S = 120.0


def _requested(system: System) -> dict[str, Any]:
    # A key that a shell has put into the command is for the program, not for the journal.
    return {"model": system.name, "system": without_secrets(system.target), "files": dict(system.files)}


@dataclass(frozen=True)
class System:
    """What is asked, a turn at a time: a command, as a shell would have it, or ``python:MODULE:FACTORY``.

    ``files`` are those that the command names, or the module, with their SHA-256: with another program its
    answers are other answers. A ``recording`` is a journal of calls that answers in its place.
    """

    name: Annotated[str, Recorded(_requested)]
    target: Annotated[str, Recorded(_requested)]
    files: Annotated[tuple[tuple[str, str], ...], Recorded(_requested)] = ()
    turn_timeout_s: Annotated[float, Unrecorded(NO_EFFECT)] = TURN_TIMEOUT_S
    pass_env: Annotated[
        tuple[str, ...], Unrecorded("what a program is given to run with is not what it is")
    ] = ()
    recording: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None

    own_history = True
    """It keeps what was said, so that it is sent the last turn alone."""

    max_tokens = 2000
    """What estimates and budgets take a reply to have at most; nothing limits it."""

    @property
    def is_python(self) -> bool:
        """Whether it is an object of Python; else a command."""
        return is_python_system(self.target)

    def requested(self) -> dict[str, Any]:
        """What its answers depend on, as far as that is known; JSON-able."""
        return settings_record(self)

    def words(self, session: str) -> list[str]:
        """The command for one conversation."""
        return [word.replace(SESSION, session) for word in shlex.split(self.target)]


def is_python_system(name: str) -> bool:
    """Whether the name of a model is that of an object of Python."""
    return name.startswith(PYTHON)


def command_system(
    command: str,
    *,
    name: str | None,
    turn_timeout_s: float = TURN_TIMEOUT_S,
    pass_env: tuple[str, ...] = (),
) -> System:
    """A program that is started once for each conversation."""
    try:
        words, problem = shlex.split(command), "expected a program and its arguments"
    except ValueError as error:
        words, problem = [], f"which cannot be read as a command ({error})"
    if not words:
        raise UsageError(
            f"--command is {command!r}, {problem}",
            next_step="Write it as in a shell, for instance --command 'my-assistant --session {session}'",
        )
    refuse_in_scripts(words, re.compile(re.escape(SESSION)), "--command")
    check_passed(pass_env)
    files = tuple((word, sha256_of(Path(word))) for word in dict.fromkeys(words) if Path(word).is_file())
    return System(name or Path(words[0]).name, command, files, turn_timeout_s, pass_env)


def python_system(name: str, *, turn_timeout_s: float = TURN_TIMEOUT_S) -> System:
    """An object of Python for each conversation, made by a function of a module."""
    factory_of(name)
    module = sys.modules[name.removeprefix(PYTHON).partition(":")[0]]
    path = Path(module.__file__ or "")
    files = ((path.name, sha256_of(path)),) if path.is_file() else ()
    return System(name, name, files, turn_timeout_s)


def recorded_system(requested: Mapping[str, Any], recording: Path) -> System:
    """The system that a journal holds the answers of; ``requested`` as the journal has it."""
    files = tuple(requested["files"].items())
    return System(requested["model"], requested["system"], files, recording=recording)


def check_system(system: System) -> None:
    """See that a system can be started, before anything is; an object of Python was imported when named."""
    program = system.words("check")[0]
    if not system.is_python and shutil.which(program) is None:
        raise UsageError(
            f"the command {system.target!r} cannot be started: {program!r}: there is no such program",
            next_step="Check its path, or PATH where it has none; a file must be executable (chmod +x)",
        )


def factory_of(target: str) -> Callable[..., Any]:
    """Import the function that makes the object of each conversation, which has ``reply(message)``."""
    module_name, _, name = target.removeprefix(PYTHON).partition(":")
    if not module_name or not name.isidentifier():
        raise UsageError(
            f"the system {target!r} is not named as python:MODULE:FACTORY",
            next_step="Write for instance 'python:my_assistant:build', where build() gives an object with "
            "reply(message)",
        )
    with importing_from_here():
        try:
            module = import_module(module_name)
        except (Exception, SystemExit) as error:
            raise UsageError(
                f"the system {target!r} cannot be used: importing {module_name!r} raised {words_of(error)}",
                next_step=f"Try it by itself, where the module lies: python -c 'import {module_name}'",
            ) from None
    factory = getattr(module, name, None)
    if not callable(factory):
        raise UsageError(
            f"the system {target!r} cannot be used: {module_name!r} has no function {name!r}",
            next_step=near_match(name, [other for other in vars(module) if not other.startswith("_")]),
        )
    return factory  # type: ignore[no-any-return]


def words_of(error: BaseException) -> str:
    """An exception of somebody else's code, on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


@contextmanager
def importing_from_here() -> Iterator[None]:
    """Find modules of the working directory too, as ``python -m`` does."""
    here = str(Path.cwd())
    if here in sys.path or "" in sys.path:
        yield
        return
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)
