"""What every command with a gate shares: its options, and what it leaves for the program that runs it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.output import say
from tellapart.core.gate_outcome import GateOutcome, OnUnclear

if TYPE_CHECKING:
    from tellapart.report.gates import GateCase


def allowed_drop(typed: str | float) -> float:
    """Read the limit of a gate as it is typed, or the default of one; `check_limit` checks its range."""
    try:
        return float(typed)
    except ValueError:
        raise typer.BadParameter(f"{typed!r} is not a number; 2 % is written 0.02") from None


OnUnclearOption = Annotated[
    OnUnclear,
    typer.Option(
        "--on-unclear",
        help="What follows if the gate is unclear: fail ends with exit code 4, warn and pass with 0.",
    ),
]
Markdown = Annotated[
    Path | None,
    typer.Option(
        "--markdown",
        writable=True,
        help="Write Markdown, for a comment on a pull request or a step summary.",
        metavar="FILE",
    ),
]
JUnit = Annotated[
    Path | None, typer.Option("--junit", writable=True, help="Write the gates as JUnit XML.", metavar="FILE")
]


def leave_results(suite: str, cases: Sequence[GateCase], on_unclear: OnUnclear, junit: Path | None) -> None:
    """Write JUnit XML where it is wanted, and annotations under GitHub Actions."""
    from tellapart.files import write_text
    from tellapart.report import gates

    if junit is not None:
        write_text(junit, gates.junit(suite, cases, on_unclear))
        say(f"wrote {junit}")
    if on_unclear is OnUnclear.WARN and any(case.outcome is GateOutcome.UNCLEAR for case in cases):
        say("warning: the gate is unclear, and --on-unclear warn lets it pass")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for case in cases:
            say(gates.annotation(case.outcome, case.line, on_unclear))
