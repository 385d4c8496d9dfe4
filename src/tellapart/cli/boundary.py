"""The boundary between the program and the shell: what becomes of an exception.

An error of ours is one paragraph on stderr and its own exit code; after one of a provider follows the command
that continues. Any other one is a bug: one sentence, a log file with the traceback, and ``BUG``, since 1 to 4
are verdicts and refusals.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from typing import NoReturn

from tellapart.environment.secrets import without_secrets
from tellapart.errors import ProviderError, TellapartError, missing_extra

INTERRUPTED = 130
BUG = 70
"""Exit code of what should not have happened: EX_SOFTWARE of sysexits.h."""

TRACEBACK = "--traceback"


def run_guarded(command: Callable[[], object]) -> None:
    """Run a command, and end the process with an exit code if it fails.

    ``--traceback`` may stand anywhere on the command line before ``--``; it is taken out here.
    """
    from tellapart.cli.output import prepare_streams, say

    prepare_streams()
    show_traceback = _take_out_traceback()
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
        if show_traceback:
            say(_traceback(error))
        expected = _expected(error)
        if expected is None:
            _report_bug(error, show_traceback)
        say(f"error: {expected}")
        if isinstance(expected, ProviderError):
            say(f"to go on: {typed_command()}")
        sys.exit(expected.exit_code)


def typed_command() -> str:
    """The command that is running, for a shell of the same directory; secrets in it are left out."""
    program, *words = sys.argv
    name = os.path.basename(program)  # noqa: PTH119  # before any module that is not needed
    if name == "__main__.py":
        start = [sys.executable, "-m", "tellapart"]
    else:
        on_path = shutil.which(name)
        start = [name if on_path and os.path.realpath(on_path) == os.path.realpath(program) else program]
    return without_secrets(shlex.join([*start, *words]))


def _take_out_traceback() -> bool:
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    before = [word for word in sys.argv[:end] if word != TRACEBACK]
    present = len(before) < end
    sys.argv[:end] = before
    return present


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


def _report_bug(error: BaseException, shown: bool) -> NoReturn:
    from importlib.metadata import metadata

    from tellapart.cli.output import say

    where = "with the lines above"
    if not shown:
        if log := _write_log(error):
            where = f"with {log}, which holds the traceback ({TRACEBACK} shows it)"
        else:
            # Nowhere to write: then the terminal is the only place left.
            say(_traceback(error))
    message = re.sub(r"\s+", " ", str(error)).strip().rstrip(".")
    sentence = f"{type(error).__name__}: {message}" if message else type(error).__name__
    links = dict(link.split(", ", 1) for link in metadata("tellapart").get_all("Project-URL") or ())
    address = links.get("Issues", "whoever gave you this copy of tellapart")
    say(
        f"error: this is a bug in tellapart, not your mistake: {sentence}. Please report it to {address}, "
        f"{where}. What was complete is kept."
    )
    sys.exit(BUG)


def _traceback(error: BaseException) -> str:
    import traceback

    return "".join(traceback.format_exception(error)).rstrip()


def _write_log(error: BaseException) -> str | None:
    """Write what whoever mends it needs to a file for its owner alone; None where none can be written."""
    import platform
    import tempfile
    from importlib.metadata import version

    lines = (
        f"tellapart {version('tellapart')}, Python {platform.python_version()}, {platform.platform()}",
        f"command: {shlex.join(['tellapart', *sys.argv[1:]])}",
        _traceback(error),
    )
    try:
        descriptor, name = tempfile.mkstemp(prefix="tellapart-bug-", suffix=".log")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write(without_secrets("\n".join(lines)) + "\n")
    except OSError:
        return None
    return name
