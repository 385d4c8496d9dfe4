"""The group ``tellapart contrastive``: its commands, in the order in which they are used."""

from __future__ import annotations

import typer

from tellapart.contrastive.commands.building import build, units
from tellapart.contrastive.commands.exporting import bundles, events, summaries
from tellapart.contrastive.commands.methods import bias, validate
from tellapart.contrastive.commands.running import report, run

app = typer.Typer(help="Can a model pick the code that a summary describes?", no_args_is_help=True)
app.command()(build)
app.command()(run)
app.command()(report)
app.command()(bias)
app.command()(bundles)
app.command()(events)
app.command()(summaries)
app.command()(units)
app.command()(validate)
