"""The audit of an evaluation in a terminal."""

from __future__ import annotations

from rich.console import RenderableType

from tellapart.audit.page.screen import shown, terminal_lines
from tellapart.audit.results import Findings


def terminal(findings: Findings) -> list[RenderableType]:
    """Show the verdict first, then pairs, kinds of items, order and items, on one screen."""
    return [shown(line) for line in terminal_lines(findings)]
