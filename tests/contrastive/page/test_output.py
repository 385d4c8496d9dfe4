import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from contrastive.page.shown import printed
from contrastive.page.stored_record import figures, write_record
from tellapart.contrastive.page import (
    bias_tables,
    document,
    json_figures,
    load,
    terminal,
    validation_tables,
)
from tellapart.core.comparison import to_json
from tellapart.report import html_document, markdown_document
from tellapart.report.comparison import headline
from tellapart.store import RunDirectory

GOLDEN = Path(__file__).parents[2] / "golden"
LOADING = {"src", "href", "srcset", "data", "poster", "action", "xlink:href", "background"}


class References(HTMLParser):
    """Everything that a page could load, and what the tests ask about its tables."""

    def __init__(self):
        super().__init__()
        self.found, self.identifiers, self.cells = [], [], []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in LOADING:
                self.found.append(value)
            if name == "id":
                self.identifiers.append(value)
            self.found += re.findall(r"url\((.*?)\)", value or "")
        if tag in ("link", "iframe", "object", "embed", "base"):
            self.found.append(f"<{tag}>")
        if tag == "th":
            self.cells.append(dict(attributes).get("scope"))

    def handle_data(self, data):
        if self.rawdata and self.lasttag == "style":
            self.found += re.findall(r"url\((.*?)\)|@import", data)


def test_markdown_is_as_recorded(view):
    assert markdown_document(document(view)) == (GOLDEN / "contrastive_report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_is_as_recorded(view, width):
    shown = "\n".join(printed(terminal(view), width)) + "\n"
    assert shown == (GOLDEN / f"contrastive_terminal_{width}.txt").read_text(encoding="utf-8")
    assert max(map(len, shown.splitlines())) <= width


def test_the_terminal_begins_with_the_verdict(view):
    shown = " ".join(printed(terminal(view), 120)[:2])
    assert shown.startswith(f"{headline(view.comparison)}.")


def test_bias_and_validation_have_terminal_tables(view):
    assert "alpha                 −7.1" in printed(bias_tables(view.bias), 80)
    shown = printed(validation_tables(view.validation), 80)
    assert shown[0].startswith("Separates 1 of 3 pairs: beta beats alpha.")
    assert any(line.startswith("alpha – beta") for line in shown)


def test_scripts_get_the_comparison_and_its_pairs_by_their_old_names(view):
    found = json_figures(view)
    assert found["comparison"] == to_json(view.comparison)
    assert list(found["pairs"]) == ["overall", "easy", "hard"]
    for pair, same in zip(found["pairs"]["overall"], view.comparison.primary.pairs, strict=True):
        assert (pair["p_holm"], pair["items_needed"]) == (same.p_adjusted, same.items_needed)
        assert pair["ci"] == (same.interval and [same.interval.low, same.interval.high])
    assert [pair["stratum"] for pair in found["pairs"]["hard"]] == ["hard"] * 3


def test_what_an_earlier_version_stored_about_pairs_is_not_shown(tmp_path):
    report = figures() | {"pairs": {"overall": ["of an earlier version"]}}
    view = load(RunDirectory.open(write_record(tmp_path / "earlier", report=report)))
    assert json_figures(view)["pairs"]["overall"][0]["a"] == "alpha"


@pytest.fixture(scope="module")
def page(view):
    return html_document(document(view))


@pytest.fixture(scope="module")
def references(page):
    parser = References()
    parser.feed(page)
    return parser


def test_a_page_loads_nothing(references):
    assert references.found
    assert [one for one in references.found if not one.startswith("#")] == []


def test_every_identifier_of_a_page_is_there_once_and_every_link_leads_somewhere(references):
    assert len(references.identifiers) == len(set(references.identifiers))
    parts = {reference.removeprefix("#") for reference in references.found if "=" not in reference}
    assert parts <= set(references.identifiers)


def test_every_heading_of_a_table_says_what_it_heads(references):
    assert set(references.cells) == {"col", "row"}


def test_a_page_is_the_same_every_time(view, page):
    assert html_document(document(load(view.run))) == page
