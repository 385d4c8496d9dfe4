"""The group ``tellapart codesearch``: its commands, in the order in which they are used."""

from __future__ import annotations

import typer

from tellapart.codesearch.commands.evaluating import evaluate
from tellapart.codesearch.commands.evaluations import compare, export, report, rescore
from tellapart.codesearch.commands.looping import learn, loop
from tellapart.codesearch.commands.searching import issues, search

app = typer.Typer(help="Does a codebase search find what two blind explorations find?", no_args_is_help=True)
for command in (issues, search, evaluate, rescore, compare, learn, loop, report, export):
    app.command()(command)
