"""The group ``tellapart longcontext``: its commands, in the order in which they are used."""

from __future__ import annotations

import typer

app = typer.Typer(
    help="Does a model still know what it was told? A conversation that grows, with checkpoints.",
    no_args_is_help=True,
)
