"""The command ``tellapart``: its groups, and what the shell sees when something goes wrong."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import Annotated

import typer

from tellapart.cli.boundary import TRACEBACK, run_guarded
from tellapart.cli.examples import add_examples
from tellapart.cli.output import BROKEN_PIPE, print_line, show_warnings
from tellapart.cli.outputs import guard_outputs
from tellapart.errors import UsageError

_COMMANDS = {
    "demo": "cli.demo:demo",
    "audit": "audit.commands:audit",
    "compare": "compare.commands:compare",
    "next": "stopping.commands:next_items",
    "leaderboard": "leaderboard.commands:leaderboard",
    "view": "view.commands:view",
    "contrastive": "contrastive.commands:app",
    "writers": "writers.commands:app",
    "bundles": "bundles.commands:app",
    "codesearch": "codesearch.commands:app",
    "longcontext": "longcontext.commands:app",
    "runs": "cli.runs:app",
}
"""Commands and groups, in the order of the help, and where each is made."""


def command_line(*names: str) -> typer.Typer:
    """Make the command line of some commands and groups, by default of all: only theirs are imported."""
    app = typer.Typer(
        name="tellapart",
        help="Evaluations that tell models apart: build hard ones, run them, and see which models they "
        "separate.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        callback=_options,
    )
    for part in map(_command, names or _COMMANDS):
        app.registered_commands += part.registered_commands
        app.registered_groups += part.registered_groups
    return app


@cache
def _command(name: str) -> typer.Typer:
    """Import a command or group, and give it its example and the guard of its outputs."""
    module, _, attribute = _COMMANDS[name].partition(":")
    made = getattr(import_module(f"tellapart.{module}"), attribute)
    part = typer.Typer()
    if isinstance(made, typer.Typer):
        part.add_typer(made, name=name)
    else:
        part.command(name)(made)
    add_examples(part)
    guard_outputs(part)
    return part


def _print_version(wanted: bool) -> None:
    if wanted:
        # Reading metadata takes as long to import as all of our commands together.
        from importlib.metadata import version

        print_line(version("tellapart"))
        raise typer.Exit


def _options(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
    _traceback: Annotated[
        bool,
        typer.Option(TRACEBACK, help="Show where an error arose; may also end the command."),
    ] = False,
) -> None:
    """Take the options that belong to no command."""


def main() -> None:
    """Run the command line; see `run_guarded` for what an error becomes."""
    run_guarded(run)


def run() -> None:
    """Run the command line; errors come through."""
    show_warnings()
    named = sys.argv[1:2] if sys.argv[1:2] and sys.argv[1] in _COMMANDS else []
    try:
        command_line(*named)()
    except SystemExit as stop:
        # A question that nobody answers, or a reader that went away, is no verdict: click would end with 1.
        reason = stop.__context__
        if isinstance(reason, typer.Abort):
            sys.exit(UsageError.exit_code)
        if isinstance(reason, BrokenPipeError):
            sys.exit(BROKEN_PIPE)
        raise
