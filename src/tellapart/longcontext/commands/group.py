"""The group ``tellapart longcontext``: its commands, in the order in which they are used."""

from __future__ import annotations

import typer

from tellapart.longcontext.commands.designing import generate, import_, lint
from tellapart.longcontext.commands.grading import agreement, grade, report
from tellapart.longcontext.commands.running import run

app = typer.Typer(help="Does a model still know what it was given earlier?", no_args_is_help=True)
app.command()(generate)
app.command("import")(import_)
app.command()(lint)
app.command()(run)
app.command()(grade)
app.command()(agreement)
app.command()(report)
