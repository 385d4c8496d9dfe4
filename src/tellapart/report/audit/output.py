"""The audit of an evaluation in a terminal, as Markdown and as a page."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text


def terminal(figures: dict[str, Any]) -> list[RenderableType]:
    """Show the verdict first."""
    return [Text(f"{pair['a']} {pair['b']}: {pair['verdict']}") for pair in figures["pairs"]]
