"""The audit of an evaluation in a terminal, as Markdown and as a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import RenderableType

from tellapart.report.audit.record import load
from tellapart.report.audit.screen import shown, terminal_lines


def terminal(figures: Mapping[str, Any]) -> list[RenderableType]:
    """Show the verdict first, then pairs, kinds of items, order and items, on one screen.

    Args:
        figures: As ``tellapart audit --json`` prints them.

    Raises:
        InputError: They are not those of an audit.
    """
    return [shown(line) for line in terminal_lines(load(figures))]
