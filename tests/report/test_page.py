import base64
import hashlib
import json
import re
from dataclasses import replace

import pytest

from tellapart.report.document import Document, Section, Widget, pair_address
from tellapart.report.page import embedded_json, html_document
from tellapart.report.tables import Cell, Column, Span, Spans, table, ticks_over

HOSTILE = "</script><!--<script>alert(1)</script>&\u2028"


def page(widget=None):
    tables = (table("t", HOSTILE, ["a", HOSTILE], [[HOSTILE, "1"]]),)
    section = Section("s", HOSTILE, HOSTILE, tables=tables, widget=widget)
    return html_document(
        Document("kind", HOSTILE, (HOSTILE,), {"x": HOSTILE}, (section,), {"y": HOSTILE}, (HOSTILE,))
    )


@pytest.mark.parametrize("picture", [None, "ranking", "differences"])
def test_sections_are_folded_where_the_verdict_has_a_picture(picture):
    drawn = Spans("s", "S", (Column("A"),), (Span((Cell("a"),), 1),), ticks_over([1], str))
    document = Document("kind", "t", (), {}, (Section("a", "A"), Section("b", "B")))
    text = html_document(replace(document, **({picture: drawn} if picture else {})))
    assert text.count("<details>\n<summary><h2") == (2 if picture else 0)


def test_embedded_json_is_the_data_and_cannot_leave_its_element():
    text = embedded_json({"code": HOSTILE})
    assert json.loads(text) == {"code": HOSTILE}
    assert not set("<>&\u2028\u2029") & set(text)


def test_what_hides_or_turns_text_is_an_escape_on_the_page_and_in_its_data():
    hidden, shown = "a\x1b\x00\b\x85\u202eb\\f\\\\u001b", "a\\u001b\\u0000\\u0008\\u0085\\u202eb\\f\\\\u001b"
    assert json.loads(embedded_json([hidden, {hidden: "c\n\t"}])) == [shown, {shown: "c\n\t"}]
    section = Section("s", hidden, hidden, tables=(table("t", hidden, [hidden], [[hidden]]),))
    text = html_document(Document("kind", hidden, (hidden,), {"x": hidden}, (section,)))
    assert text.count(shown) == 10
    assert not set("\x1b\x00\b\x85\u202e") & set(text)
    assert pair_address(hidden, "b") == pair_address(shown, "b")


def test_only_the_scripts_of_the_page_may_run():
    text = page(Widget("w", "", "", "go();", []))
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    assert scripts[-1] == "go();"
    allowed = re.search(r'content="(default-src [^"]*)"', text)[1].replace("&#39;", "'")
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    assert f"script-src {hashes};" in allowed
    assert allowed.startswith("default-src 'none';")


@pytest.mark.parametrize("place", ["", "/etc/passwd", "//example.org/a", "\\\\host\\a"])
def test_a_link_that_leads_elsewhere_is_refused(place):
    with pytest.raises(ValueError, match="expected a relative path"):
        html_document(Document("kind", "t", (), {}, (), links=(("it", place),)))
