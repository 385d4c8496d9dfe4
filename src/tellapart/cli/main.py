"""The command ``tellapart``: its groups, and what the shell sees when something goes wrong."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from tellapart.audit import commands as audit
from tellapart.bundles import commands as bundles
from tellapart.cli import demo, runs
from tellapart.cli.examples import add_examples
from tellapart.cli.output import say
from tellapart.codesearch import commands as codesearch
from tellapart.compare import commands as compare
from tellapart.contrastive import commands as contrastive
from tellapart.errors import TellapartError, missing_extra
from tellapart.longcontext import commands as longcontext

INTERRUPTED = 130
OUR_FAULT = 70
"""Exit code of what should not have happened: EX_SOFTWARE of sysexits.h."""

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
app.add_typer(contrastive.app, name="contrastive")
app.add_typer(bundles.app, name="bundles")
app.add_typer(codesearch.app, name="codesearch")
app.add_typer(longcontext.app, name="longcontext")
app.add_typer(runs.app, name="runs")
add_examples(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        # Reading metadata takes as long to import as all of our commands together.
        from importlib.metadata import version

        typer.echo(version("tellapart"))
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Take the options that belong to no command."""


def main() -> None:
    """Run the command line; an expected error is one paragraph on stderr and its exit code.

    Any other error is our fault: its traceback and a paragraph on what to do, and ``OUR_FAULT``.
    """
    try:
        app()
    except TellapartError as error:
        say(f"error: {error}")
        sys.exit(error.exit_code)
    except ModuleNotFoundError as error:
        missing = missing_extra(error)
        if missing is None:
            _own_up(error)
        say(f"error: {missing}")
        sys.exit(missing.exit_code)
    except OSError as error:
        # Exit code 1 would say that a comparison was refused.
        say(f"error: {error}")
        sys.exit(TellapartError.exit_code)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            say(
                "interrupted: what was complete is kept; the same command continues a run directory that it "
                "has begun"
            )
        raise
    except Exception as error:  # noqa: BLE001
        _own_up(error)


def _own_up(error: Exception) -> NoReturn:
    """Show where it happened, for whoever mends it, and say what to do."""
    import platform
    import traceback
    from importlib.metadata import version

    say("".join(traceback.format_exception(error)).rstrip())
    say(
        f"error: this is a bug in tellapart, not your mistake: {type(error).__name__}: {error}. Please "
        "report it, with the lines above and the command that you typed (tellapart "
        f"{version('tellapart')}, Python {platform.python_version()}, {platform.system()}). What was "
        "complete is kept."
    )
    sys.exit(OUR_FAULT)
