"""The group ``tellapart longcontext``: its commands, in the order in which they are used."""

from __future__ import annotations

import typer

from tellapart.cli.longcontext.agreeing import agreement
from tellapart.cli.longcontext.generating import generate
from tellapart.cli.longcontext.grading import grade
from tellapart.cli.longcontext.linting import lint
from tellapart.cli.longcontext.reporting import report
from tellapart.cli.longcontext.running import run

app = typer.Typer(
    help="Does a model still know what it was told? A conversation that grows, with checkpoints.",
    no_args_is_help=True,
)

app.command()(generate)
app.command()(lint)
app.command()(run)
app.command()(grade)
app.command()(agreement)
app.command()(report)
