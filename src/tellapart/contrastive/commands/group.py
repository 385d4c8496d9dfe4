"""The group ``tellapart contrastive``: its commands, in the order in which they are used."""

from __future__ import annotations

import typer

from tellapart.contrastive.commands.answering import run
from tellapart.contrastive.commands.building import build
from tellapart.contrastive.commands.comparing import bias, validate
from tellapart.contrastive.commands.handing_over import bundles, events, summaries
from tellapart.contrastive.commands.reporting import report

app = typer.Typer(help="Can a model pick the code that a summary describes?", no_args_is_help=True)
app.command()(build)
app.command()(run)
app.command()(report)
app.command()(bias)
app.command()(bundles)
app.command()(events)
app.command()(summaries)
app.command()(validate)
