"""The report as text: golden Markdown and the terminal."""

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from codesearch.page.recorded_search import HOSTILE, write
from tellapart.cli.main import command_line
from tellapart.codesearch.page import document, load
from tellapart.report import html_document, markdown_document
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


def test_nothing_hostile_becomes_markup(view):
    page = html_document(document(view))
    assert HOSTILE not in page
    assert "<img" not in page
    assert len(re.findall(r"<script", page)) == 3


def test_a_page_of_a_loop_has_the_trend(looped):
    page = html_document(document(load(looped)))
    assert "Areas that got worse, or may have" in page and "Billing fell: roll back." in page


def test_no_column_of_a_loop_is_cut(looped):
    console = Console(width=120, record=True, file=io.StringIO())
    for part in terminal(document(load(looped))):
        console.print(part)
    assert "…" not in console.export_text()


def test_the_command_writes_what_is_asked_for(tmp_path, stored, view):
    page, text = tmp_path / "page.html", tmp_path / "page.md"
    words = [
        "codesearch",
        "report",
        str(write(stored, tmp_path)),
        "--html",
        str(page),
        "--markdown",
        str(text),
        "--json",
    ]
    done = CliRunner().invoke(command_line("codesearch"), words)
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines() == [f"wrote {page}", f"wrote {text}"]
    figures = json.loads(done.stdout)
    assert figures["metrics"]["aggregate"]["precision"] == 0.75
    assert figures["headline"].startswith("Unreliable")
    assert text.read_text(encoding="utf-8") == markdown_document(document(view))
    assert page.read_text(encoding="utf-8") == html_document(document(view))
