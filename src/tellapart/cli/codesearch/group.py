"""The group ``tellapart codesearch``: its commands, in the order in which they are used."""

from __future__ import annotations

import typer

from tellapart.cli.codesearch.comparing import compare
from tellapart.cli.codesearch.evaluating import evaluate
from tellapart.cli.codesearch.exporting import export
from tellapart.cli.codesearch.learning import learn
from tellapart.cli.codesearch.looping import loop
from tellapart.cli.codesearch.reporting import report
from tellapart.cli.codesearch.rescoring import rescore
from tellapart.cli.codesearch.searching import issues, search

app = typer.Typer(help="Does a codebase search find what two blind explorations find?", no_args_is_help=True)
app.command()(issues)
app.command()(search)
app.command()(evaluate)
app.command()(rescore)
app.command()(compare)
app.command()(learn)
app.command()(loop)
app.command()(report)
app.command()(export)
