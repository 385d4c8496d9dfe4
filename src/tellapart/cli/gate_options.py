"""What every command with a gate shares: its options, and what it leaves for the program that runs it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import say
from tellapart.core.gate_outcome import GateOutcome, OnUnclear

OnUnclearOption = Annotated[
    OnUnclear,
    typer.Option(
        "--on-unclear", help="What an unclear gate counts as. With warn, the command ends with exit code 4."
    ),
]
Markdown = Annotated[
    Path | None,
    typer.Option(
        "--markdown",
        help="Write Markdown, for a comment on a pull request or a step summary.",
        metavar="FILE",
    ),
]
JUnit = Annotated[Path | None, typer.Option("--junit", help="Write the gates as JUnit XML.", metavar="FILE")]


def leave_results(
    suite: str, cases: Sequence[tuple[str, GateOutcome, str]], on_unclear: OnUnclear, junit: Path | None
) -> None:
    """Write JUnit XML where it is wanted, and annotations under GitHub Actions.

    Args:
        suite: The command, such as ``tellapart compare``.
        cases: Of each gate its name, how it ended, and its first line.
        on_unclear: What an unclear gate counts as.
        junit: Where the XML goes; nowhere where None.
    """
    from tellapart.report import gates
    from tellapart.store import write_text

    if junit is not None:
        write_text(junit, gates.junit(suite, cases, on_unclear))
        say(f"wrote {junit}")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for _, outcome, line in cases:
            say(gates.annotation(outcome, line, on_unclear))
