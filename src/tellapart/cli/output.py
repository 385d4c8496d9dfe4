"""Where output goes: data to stdout, everything said to people about the work to stderr.

No text of a stranger's moves a cursor or sets a title on the way, and a full disk behind ``>`` is an error
that names standard output.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from tellapart.environment.secrets import without_secrets
from tellapart.errors import StorageError
from tellapart.report.plain_text import visible

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tellapart.report.tracked import Tracked

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Markdown = Annotated[Path | None, typer.Option("--markdown", writable=True, help="Write Markdown.")]
"""Options of commands that print and write no more than that; one that says more has its own words."""
MetricsJson = Annotated[
    Path | None,
    typer.Option(
        "--metrics-json",
        writable=True,
        help="Write the figures as one flat JSON object of numbers, for experiment trackers.",
        metavar="FILE",
    ),
]


BROKEN_PIPE = 141
"""Exit code where whoever read the output went away: what a shell reports of a program that SIGPIPE ended."""


def prepare_streams() -> None:
    """Have a character that the encoding of the terminal lacks written as an escape.

    What goes to a closed stream goes nowhere: left closed, the next file to be opened would get its number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - it stays open
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(message: str) -> None:
    """Write a message to stderr, without keys and passwords; if that takes no more, the work goes on."""
    try:
        sys.stderr.write(visible(without_secrets(message)) + "\n")
        sys.stderr.flush()
    except OSError:
        _give_up_on(sys.stderr)


def print_line(text: str) -> None:
    """Print a line of an answer for people on stdout."""
    _write(visible(text) + "\n")


def print_text(text: str) -> None:
    """Print a text for programs on stdout, as it is unless that is a terminal."""
    _write(visible(text) if sys.stdout.isatty() else text)


def _write(text: str) -> None:
    """Write everything to stdout now."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up_on(sys.stdout)
        sys.exit(BROKEN_PIPE)
    except OSError as error:
        _give_up_on(sys.stdout)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise StorageError(
            f"cannot write to standard output: {(error.strerror or str(error)).lower()}",
            next_step=f"{'Make room, or send' if full else 'Send'} the output elsewhere, and run the same "
            "command again",
        ) from None


def _give_up_on(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere: it would be tried again, and fail again, at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def warn(warnings: Iterable[str]) -> None:
    """Say what to beware of, a line each."""
    for warning in warnings:
        say(f"warning: {warning}")


def show_warnings() -> None:
    """Show our own warnings as sentences, without the line of code; those of libraries stay as they are."""
    show = warnings.showwarning
    if getattr(show, "is_ours", False):
        return

    def say_ours(message: Warning | str, category: type[Warning], *position: Any, **more: Any) -> None:
        if category.__module__.startswith("tellapart."):
            warn([str(message)])
        else:
            show(message, category, *position, **more)

    say_ours.is_ours = True  # type: ignore[attr-defined]
    warnings.showwarning = say_ours


def print_json(value: Any) -> None:
    """Print a value as JSON on stdout; NaN and infinity are no JSON and raise ValueError."""
    print_line(json.dumps(value, indent=2, allow_nan=False))


def write_tracked(path: Path | None, figures: Callable[[], Tracked]) -> None:
    """Write figures for trackers where they are wanted, and say what is undefined and so left out."""
    if path is None:
        return
    from tellapart.files import write_json
    from tellapart.report.numbers import listed, plural

    tracked = figures()
    write_json(path, tracked.numbers)
    say(f"wrote {path}")
    if tracked.undefined:
        names = listed(list(tracked.undefined), most=5)
        say(f"note: left out of {path}: {plural(len(tracked.undefined), 'undefined figure')}: {names}")


_AT_THE_END = re.compile(r"(?<![ \t])(?:[ \t]|\x1b\[[\d;]*m)++$", re.MULTILINE)
"""Blanks and colours behind the last letter of a line."""

WIDE = 120
"""Columns of what goes into a file or a pipe, unless COLUMNS says otherwise."""


def show(*renderables: RenderableType) -> None:
    """Print tables and text on stdout, ``width`` columns wide, without blanks at the end of lines."""
    from rich.console import Console
    from rich.segment import Segments

    # Not to stdout itself, for which rich has no answer when the disk behind it is full.
    page = TextIOWrapper(BytesIO(), sys.stdout.encoding or "utf-8", errors="backslashreplace", newline="")
    console = Console(file=page, force_terminal=sys.stdout.isatty() or None, width=width(), highlight=False)
    for renderable in renderables:
        # Colours of ours alone: what looks like one in a text is shown.
        drawn = [part._replace(text=visible(part.text)) for part in console.render(renderable)]
        console.print(Segments(drawn), end="")
    page.seek(0)
    _write(_AT_THE_END.sub(lambda end: re.sub(r"[ \t]", "", end[0]), page.read()))


def width() -> int:
    """Columns that there are for output: COLUMNS if set, else the terminal's, else ``WIDE``."""
    if os.environ.get("COLUMNS") or sys.stdout.isatty():
        return shutil.get_terminal_size((WIDE, 24)).columns
    return WIDE


def same_command(context: typer.Context, *further: str) -> str:
    """Write the command that is running once more, as it is typed, without the files that it writes."""
    words = context.command_path.split()
    for parameter in context.command.params:
        name = str(parameter.name)
        source, value = context.get_parameter_source(name), context.params[name]
        is_file = name in ("html", "markdown", "junit", "chart", "metrics_json")
        if source is None or source.name != "COMMANDLINE" or is_file or parameter.opts[0] in further:
            continue
        option = parameter.opts[:1] if parameter.param_type_name == "option" else []
        if isinstance(value, bool):
            words += option if value else parameter.secondary_opts[:1]
            continue
        # One option may take several values, or be given several times.
        values = value if isinstance(value, (list, tuple)) and parameter.nargs == 1 else [value]
        for each in values:
            words += [*option, *map(str, each if isinstance(each, (list, tuple)) else [each])]
    return shlex.join([*words, *further])
