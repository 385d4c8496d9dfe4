"""Where output goes: data to stdout, everything said to people about the work to stderr."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Markdown = Annotated[Path | None, typer.Option("--markdown", help="Write Markdown.")]
"""Options of commands that print and write no more than that; one that says more has its own words."""


def say(message: str) -> None:
    """Tell the person at the terminal something, on stderr."""
    typer.echo(message, err=True)


def warn(warnings: Iterable[str]) -> None:
    """Say what to beware of, a line each."""
    for warning in warnings:
        say(f"warning: {warning}")


def print_json(value: Any) -> None:
    """Print a value as JSON on stdout; NaN and infinity are no JSON and raise ValueError."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


_ESCAPE = re.compile(r"\x1b\[[\d;]*m")
_TRAILING = re.compile(rf"(?:[ \t]|{_ESCAPE.pattern})+$", re.MULTILINE)

WIDE = 120
"""Columns of what goes into a file or a pipe, unless COLUMNS says otherwise."""


def show(*renderables: RenderableType) -> None:
    """Print tables and text on stdout, ``width`` columns wide, without blanks at the end of lines.

    NO_COLOR and FORCE_COLOR are respected, by rich.
    """
    from rich.console import Console

    console = Console(width=width(), highlight=False)
    with console.capture() as printed:
        for renderable in renderables:
            console.print(renderable)
    # Colours may begin or end behind the last letter, between the blanks.
    text = _TRAILING.sub(lambda end: "".join(_ESCAPE.findall(end[0])), printed.get())
    typer.echo(text, nl=False, color=True)


def width() -> int:
    """Columns that there are for output: COLUMNS if set, else the terminal's, else ``WIDE``."""
    if os.environ.get("COLUMNS") or sys.stdout.isatty():
        return shutil.get_terminal_size((WIDE, 24)).columns
    return WIDE


_FILES = ("html", "markdown", "junit", "chart")


def same_command(context: typer.Context, *further: str) -> str:
    """Write the command that is running once more, as it is typed, without the files that it writes.

    Args:
        context: Of the command.
        further: Words at the end, such as ``--json``.
    """
    words = context.command_path.split()
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        if source is None or source.name != "COMMANDLINE" or name in _FILES or parameter.opts[0] in further:
            continue
        value = context.params[name]
        option = parameter.opts[:1] if parameter.param_type_name == "option" else []
        if isinstance(value, bool):
            words += option if value else parameter.secondary_opts[:1]
        elif option and parameter.nargs > 1:
            words += [*option, *map(str, value)]
        else:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [*option, str(one)]
    return shlex.join([*words, *further])
