import re
import statistics
from html.parser import HTMLParser
from pathlib import Path

import pytest

from contrastive.page.shown import printed
from tellapart.contrastive.page import document
from tellapart.contrastive.page.report import headline
from tellapart.report import html_document, markdown_document
from tellapart.report.terminal import terminal

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


@pytest.mark.parametrize("name", ["view", "llm_view"])
def test_a_report_is_as_recorded(request, name):
    view, recorded = (
        request.getfixturevalue(name),
        {"view": "contrastive", "llm_view": "contrastive_llm"}[name],
    )
    markdown = markdown_document(document(view))
    assert markdown == (GOLDEN / f"{recorded}_report.md").read_text(encoding="utf-8")
    shown = "\n".join(printed(terminal(document(view)), 80)) + "\n"
    assert shown == (GOLDEN / f"{recorded}_terminal_80.txt").read_text(encoding="utf-8")
    assert max(map(len, shown.splitlines())) <= 80


def test_an_unmasked_benchmark_says_in_its_headline_what_names_answer(view, llm_view):
    assert ". The name alone answers " in headline(view)
    assert headline(view).endswith("To take them out, build without --no-mask-names")
    assert "name alone" not in headline(llm_view)
    checks = next(section for section in document(llm_view).sections if section.name == "checks")
    assert "Each unit's own name is masked in its code and summaries. The name alone answers " in checks.text


def test_distractors_are_as_long_as_said(view):
    units, sets = view.benchmark.units, view.benchmark.sets.filter(level="easy")
    lengths = [len(units[row].content) for row in sets["distractors"].explode()]
    assert view.report.lengths["easy"]["same_type"] == statistics.median(lengths)
    assert {"target", "pool"} == set(view.report.lengths["pool"])


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
