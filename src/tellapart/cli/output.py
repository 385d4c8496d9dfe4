"""Where output goes: data to stdout, everything said to people about the work to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType


def say(message: str) -> None:
    """Tell the person at the terminal something, on stderr."""
    typer.echo(message, err=True)


def warn(warnings: Iterable[str]) -> None:
    """Say what to beware of, a line each."""
    for warning in warnings:
        say(f"warning: {warning}")


def print_json(value: Any) -> None:
    """Print a value as JSON on stdout; NaN and infinity are no JSON and raise ValueError."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def show(*renderables: RenderableType) -> None:
    """Print tables and text on stdout, as wide as the terminal, or 120 columns into a file or a pipe."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    for renderable in renderables:
        console.print(renderable)
