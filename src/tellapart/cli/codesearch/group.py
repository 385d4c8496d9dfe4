"""The group ``tellapart codesearch``: its commands, in the order in which they are used."""

from __future__ import annotations

import typer

from tellapart.cli.codesearch.evaluating import evaluate
from tellapart.cli.codesearch.rescoring import rescore

app = typer.Typer(help="Does a codebase search find what two blind explorations find?", no_args_is_help=True)
app.command()(evaluate)
app.command()(rescore)
