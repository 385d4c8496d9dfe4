"""The report as text: golden Markdown and the terminal."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from tellapart.codesearch.page import document
from tellapart.report import markdown_document
from tellapart.report.terminal import terminal

GOLDEN = Path(__file__).parents[2] / "golden"


def test_markdown_is_as_recorded(view):
    assert markdown_document(document(view)) == (GOLDEN / "codesearch_report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_is_as_recorded(view, width):
    console = Console(width=width, record=True, file=io.StringIO())
    for part in terminal(document(view)):
        console.print(part)
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    golden = (GOLDEN / f"codesearch_terminal_{width}.txt").read_text(encoding="utf-8")
    assert "\n".join(lines) + "\n" == golden
    assert max(map(len, lines)) <= width
