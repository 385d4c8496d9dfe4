"""The boundary between the program and the shell: what becomes of an exception.

An error of ours is one paragraph on stderr and its own exit code; after one of a provider follows the command
that continues. Any other one is a bug: a traceback, one sentence, and ``BUG``, since 1 to 4 are verdicts and
refusals.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable
from typing import NoReturn

from tellapart.environment.secrets import without_secrets
from tellapart.errors import ProviderError, TellapartError, missing_extra

INTERRUPTED = 130
BUG = 70
"""Exit code of what should not have happened: EX_SOFTWARE of sysexits.h."""


def run_guarded(command: Callable[[], object]) -> None:
    """Run a command, and end the process with an exit code if it fails."""
    from tellapart.cli.output import prepare_streams, say

    prepare_streams()
    try:
        command()
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            say(
                "interrupted: what was complete is kept; the same command continues a run directory that it "
                "has begun"
            )
        raise
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(INTERRUPTED)
    except BaseException as error:  # noqa: BLE001
        # BaseException: a panic in an extension module is no Exception.
        expected = _expected(error)
        if expected is None:
            _report_bug(error)
        say(f"error: {expected}")
        if isinstance(expected, ProviderError):
            say(f"to go on: {_typed_command()}")
        sys.exit(expected.exit_code)


def _typed_command() -> str:
    """The command that is running, for a shell of the same directory; secrets in it are left out."""
    program, *words = sys.argv
    is_module = program.endswith("__main__.py")
    start = [sys.executable, "-m", "tellapart"] if is_module else [program.rpartition("/")[2]]
    return without_secrets(shlex.join([*start, *words]))


def _expected(error: BaseException) -> TellapartError | None:
    """What people can do something about; None of a bug."""
    if isinstance(error, TellapartError):
        return error
    if isinstance(error, ModuleNotFoundError):
        return missing_extra(error)
    if isinstance(error, MemoryError):
        return TellapartError(
            "there is not enough memory for this",
            next_step="What was complete is kept; give it less at once, or more memory",
        )
    if isinstance(error, OSError):
        return TellapartError((error.strerror or str(error)).lower(), where=error.filename)
    return None


def _report_bug(error: BaseException) -> NoReturn:
    import platform
    import traceback
    from importlib.metadata import version

    from tellapart.cli.output import say

    say("".join(traceback.format_exception(error)).rstrip())
    message = re.sub(r"\s+", " ", str(error)).strip().rstrip(".")
    sentence = f"{type(error).__name__}: {message}" if message else type(error).__name__
    versions = f"tellapart {version('tellapart')} with Python {platform.python_version()}"
    say(
        f"error: this is a bug in {versions}, not your mistake: {sentence}. Please report it with the lines "
        "above. What was complete is kept."
    )
    sys.exit(BUG)
