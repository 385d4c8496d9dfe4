"""The kit's page in a real Chromium: tables are sorted, filtered and copied, headings link."""

import pytest

from report.opened import opened
from tellapart.report.document import Document, Section
from tellapart.report.page import html_document
from tellapart.report.tables import Cell, table, undefined

ROWS = [
    ["b, c", Cell("+1,980", "1 to 2")],
    ["=SUM(A1);=A2", Cell("−4.5")],
    ["a10", undefined("nothing was scored")],
    ["a9", Cell(">100,000")],
    ["none", Cell("0.0")],
    *[[f"row {i}", str(10 + i)] for i in range(4)],
]


def document():
    long = table("long", "A long table", ["Name", "Items"], ROWS, note="A note.")
    short = table("short", "A short table", ["Name", "Items"], ROWS[:2])
    last = table("last", "Folded away", ["Name", "Items"], ROWS[:3])
    sections = (
        Section("first", "First", "Text. " * 400, tables=(long,)),
        Section("second", "Second", "Text. " * 400, tables=(short,), folded=(last,)),
    )
    return Document("kind", "Title", ("Verdict.",), {}, sections, origin={"x": "Text. " * 800})


@pytest.fixture
def page(chromium, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(html_document(document()), encoding="utf-8")
    with opened(chromium, path) as page:
        yield page


def names(page, block="#table-long"):
    return page.locator(f"{block} tbody tr:not([hidden]) th").all_inner_texts()


def test_a_table_is_sorted_by_value_and_what_is_undefined_comes_last(page):
    order = names(page)
    figures, words = (page.locator("#table-long thead button").nth(at) for at in (1, 0))
    figures.focus()
    page.keyboard.press("Enter")
    rising = ["=SUM(A1);=A2", "none", "row 0", "row 1", "row 2", "row 3", "b, c", "a9"]
    assert names(page) == [*rising, "a10"]
    head = page.locator("#table-long thead th").nth(1)
    assert head.get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Enter")
    assert names(page) == [*rising[::-1], "a10"]
    assert head.get_attribute("aria-sort") == "descending"
    page.keyboard.press("Enter")
    assert names(page) == order
    assert head.get_attribute("aria-sort") is None
    words.click()
    assert names(page)[:4] == ["=SUM(A1);=A2", "a9", "a10", "b, c"]
    assert page.locator("[aria-sort]").count() == 1


def test_a_long_table_is_filtered_and_says_how_many_rows_are_left(page):
    assert page.locator("#table-short input").count() == 0
    page.get_by_label("Filter rows: A long table").fill("ROW 2")
    assert names(page) == ["row 2"]
    assert page.locator("#table-long [role=status]").inner_text() == "1 of 9 rows"


def test_what_is_shown_is_copied_as_csv_without_formulas(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#table-long thead button").nth(1).click()
    page.get_by_label("Filter rows: A long table").fill("a")
    page.locator("#table-long").get_by_role("button", name="Copy CSV").click()
    page.locator("#table-long").get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").splitlines() == [
        "Name,Items,Items: detail",
        "\"'=SUM(A1);'=A2\",-4.5,",
        "a9,>100000,",
        "a10,,",
    ]
