"""The page of an evaluated search in a real Chromium."""

import pytest

from codesearch.page.recorded_search import recorded, rescored, write
from report.opened import opened, reads_well
from tellapart.codesearch.page import document, load
from tellapart.report import html_document


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    view = load(write(rescored(recorded()), path.parent))
    path.write_text(html_document(document(view)), encoding="utf-8")
    return path


@pytest.fixture
def page(chromium, path):
    with opened(chromium, path) as page:
        yield page


def show(page, name):
    page.locator(f"#items-list a[href$='item={name}']").click()
    page.locator("#items-detail h3", has_text=name).wait_for()
    return page.locator("#items-detail")


def test_it_reads_well_at_any_width(page):
    reads_well(page)


def test_each_file_says_who_stands_behind_it(page):
    rows = show(page, "feed").locator("table.ours tbody tr").all_inner_texts()
    shown = [" ".join(row.split()) for row in rows]
    assert shown == [
        "1 shop/pins.py ✓ both runs",
        "2 shop/feed.py ✓ both runs",
        "3 shop/pin_model.py ✓ relevant actionable: yes It reads pins.",
        "4 shop/style.py ✗ not relevant actionable: no It reads pins.",
    ]
