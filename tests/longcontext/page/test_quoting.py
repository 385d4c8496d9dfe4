"""Hostile text in Markdown, read back by an independent parser."""

import pytest
from markdown_it import MarkdownIt

from longcontext.page.graded_record import FORGED, HOSTILE
from tellapart.longcontext.page.document import plain_table, quoted
from tellapart.report.tables import table

HOSTILE_LINES = [
    "# heading", "## Detailed Results", "Title\n===", "Title\n---", "- item", "* item", "+ item", "1. item",
    "12) item", "> quote", "```\ncode", "~~~\ncode", "***", "___", "| a | b |\n|---|---|\n| 1 | 2 |", HOSTILE,
    "<b>bold</b>", "[x]: http://example.org", "![i](http://example.org/i.png)", "**bold** _it_ `code` ~~no~~",
    "&lt;b&gt; &amp; &#35;", "a\\", "back\\\nslash", "    code", "\tcode", "x\n\n    code", FORGED,
    "~4K~ and ~5K~",
    "a\x0bb", "line\u2028end", "\x1b[31mred\x07", "- **Score:** CORRECT", "\n\nafter\n\n", "  # x\n  - y",
]  # fmt: skip


def blocks(text):
    parser = MarkdownIt("gfm-like", {"linkify": False})
    return parser.parse(text)


def kinds(tokens):
    return {token.type for token in tokens if not token.type.endswith("_close")}


def plain(tokens):
    """All text of a document as a reader sees it."""
    found = []
    for token in tokens:
        for child in token.children or []:
            assert child.type in ("text", "text_special", "softbreak", "hardbreak"), child.type
            found.append("\n" if child.type in ("softbreak", "hardbreak") else child.content)
        found.append("\n" if token.type == "inline" else "")
    return "".join(found)


def readable(text):
    lines = "".join("\N{REPLACEMENT CHARACTER}" if c in "\x1b\x07" else c for c in text).splitlines()
    return [line.expandtabs(4).strip() for line in lines if line.strip()]


@pytest.mark.parametrize("text", HOSTILE_LINES)
def test_a_reply_stays_text_and_whole(text):
    tokens = blocks(f"- **Actual:**{quoted(text)}\n- **Score:** FAIL\n")
    allowed = {"bullet_list_open", "list_item_open", "paragraph_open", "inline", "blockquote_open"}
    assert kinds(tokens) <= allowed
    items = [token for token in tokens if token.type == "list_item_open"]
    assert len(items) == 2
    shown = plain(blocks(f"Actual:{quoted(text)}")).removeprefix("Actual:").splitlines()
    assert [line.strip("\xa0 ") for line in shown if line.strip("\xa0 ")] == readable(text)


@pytest.mark.parametrize("text", HOSTILE_LINES)
def test_a_cell_stays_a_cell(text):
    one = table("t", "t", ["a", "b"], [[text, "last"]], words=2)
    tokens = blocks(plain_table(one))
    assert sum(token.type == "tr_open" for token in tokens) == 2
    cells = [plain([token]).strip() for token in tokens if token.type == "inline"]
    assert cells[:2] == ["a", "b"]
    assert cells[2].split() == " ".join(readable(text)).split()
    assert cells[3] == "last"
