"""The Markdown of the source document: its skeleton word for word, and recorded reports."""

import io
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from longcontext.page.graded_record import FORGED, documented, stored, three, view_of
from tellapart.longcontext.page import document
from tellapart.report.terminal import terminal

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize("name", ["three", "smoke"])
def test_reports_are_as_recorded(name):
    golden = GOLDEN / f"longcontext_{name}_report.md"
    assert documented(stored(name)) == golden.read_text(encoding="utf-8")


def test_the_terminal_is_as_recorded():
    console = Console(width=80, record=True, file=io.StringIO())
    for part in terminal(document(view_of(three()))):
        console.print(part)
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    golden = (GOLDEN / "longcontext_terminal_80.txt").read_text(encoding="utf-8")
    assert "\n".join(lines) + "\n" == golden
    assert max(map(len, lines)) <= 80


def test_no_reply_forges_a_heading_or_a_row():
    """With a hostile reply everywhere a report has the blocks of one with harmless replies."""

    def outline(text):
        made = three()
        probes = [one | {"response": text, "reason": text, "key_detail": text} for one in made["probes"]]
        tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(documented(made | {"probes": probes}))
        shown = {"heading_open", "tr_open", "td_open", "fence", "html_block", "hr", "list_item_open"}
        return [(token.type, token.tag) for token in tokens if token.type in shown]

    harmless = "\n".join("harmless" for _ in FORGED.splitlines())
    assert outline(FORGED) == outline(harmless)
    assert outline("<h2>x</h2>") == outline("harmless")
