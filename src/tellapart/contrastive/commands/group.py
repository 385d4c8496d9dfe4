"""The group ``tellapart contrastive``: its commands, in the order in which they are used."""

import typer

from tellapart.contrastive.commands.building import build, bundles, events, units
from tellapart.contrastive.commands.methods import bias, validate
from tellapart.contrastive.commands.running import report, run

app = typer.Typer(help="Can a model pick the code that a summary describes?", no_args_is_help=True)
for command in (build, run, report, bias, bundles, events, units, validate):
    app.command()(command)
