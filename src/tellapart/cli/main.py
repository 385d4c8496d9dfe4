"""The command ``tellapart``: its groups, and what the shell sees when something goes wrong."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.models import ParameterInfo

from tellapart.cli.boundary import run_guarded
from tellapart.cli.examples import add_examples
from tellapart.cli.inputs import existing_here
from tellapart.cli.output import BROKEN_PIPE, print_line, show_warnings
from tellapart.environment.clock import now
from tellapart.errors import UsageError

STDOUT = Path("-")

_COMMANDS = {
    "demo": "cli.demo:demo",
    "audit": "audit.commands:audit",
    "compare": "compare.commands:compare",
    "next": "stopping.commands:next_items",
    "label": "labelling.commands:label",
    "leaderboard": "leaderboard.commands:leaderboard",
    "view": "view.commands:view",
    "contrastive": "contrastive.commands:app",
    "writers": "writers.commands:app",
    "bundles": "bundles.commands:app",
    "embed": "cli.embed:embed",
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
    _guard_outputs(part)
    return part


def _guard_outputs(app: typer.Typer) -> None:
    """Let no command begin whose outputs, ``writable`` parameters, cannot be written; see `check_outs`."""
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = _guarded(command.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _guard_outputs(group.typer_instance)


def _guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(command)
    def guarded(**typed: Any) -> Any:
        from tellapart.store import check_outs

        outs, directories, inputs = [], [], []
        for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
            notes = getattr(parameter.annotation, "__metadata__", ())
            option = next((note for note in notes if isinstance(note, ParameterInfo)), None)
            value = typed.get(name)
            if option is not None and (option.callback is existing_here or option.writable):
                value = Path(value) if isinstance(value, str) and "://" not in value else value
            paths = list(_paths(value))
            if option is None or not option.writable:
                inputs += paths
            elif option.file_okay:
                outs += paths
            else:
                directories += paths
        check_outs(outs, inputs, directories=directories)
        now()
        return command(**typed)

    return guarded


def _paths(value: Any) -> Iterator[Path]:
    """The paths in what was typed, standard output aside."""
    if isinstance(value, Path):
        if value != STDOUT:
            yield value
    elif isinstance(value, (list, tuple)):
        for element in value:
            yield from _paths(element)


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
