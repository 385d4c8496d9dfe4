"""The command ``tellapart``: its groups, and what the shell sees when something goes wrong."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tellapart.audit import commands as audit
from tellapart.bundles import commands as bundles
from tellapart.cli import demo, runs
from tellapart.cli.boundary import TRACEBACK, run_guarded
from tellapart.cli.examples import add_examples
from tellapart.cli.output import BROKEN_PIPE, print_line, show_warnings
from tellapart.cli.outputs import guard_outputs
from tellapart.codesearch import commands as codesearch
from tellapart.compare import commands as compare
from tellapart.contrastive import commands as contrastive
from tellapart.errors import UsageError
from tellapart.leaderboard import commands as leaderboard
from tellapart.longcontext import commands as longcontext
from tellapart.stopping import commands as stopping
from tellapart.view import commands as view
from tellapart.writers import commands as writers

app = typer.Typer(
    name="tellapart",
    help="Evaluations that tell models apart: build hard ones, run them, and see which models they separate.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("demo")(demo.demo)
app.command("audit")(audit.audit)
app.command("compare")(compare.compare)
app.command("next")(stopping.next_items)
app.command("leaderboard")(leaderboard.leaderboard)
app.command("view")(view.view)
app.add_typer(contrastive.app, name="contrastive")
app.add_typer(writers.app, name="writers")
app.add_typer(bundles.app, name="bundles")
app.add_typer(codesearch.app, name="codesearch")
app.add_typer(longcontext.app, name="longcontext")
app.add_typer(runs.app, name="runs")
add_examples(app)
guard_outputs(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        # Reading metadata takes as long to import as all of our commands together.
        from importlib.metadata import version

        print_line(version("tellapart"))
        raise typer.Exit


@app.callback()
def options(
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
    try:
        app()
    except SystemExit as stop:
        # A question that nobody answers, or a reader that went away, is no verdict: click would end with 1.
        reason = stop.__context__
        if isinstance(reason, typer.Abort):
            sys.exit(UsageError.exit_code)
        if isinstance(reason, BrokenPipeError):
            sys.exit(BROKEN_PIPE)
        raise
