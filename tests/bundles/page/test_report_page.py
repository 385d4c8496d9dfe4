"""The page of scoreboards in a real Chromium: nothing is loaded, clipped, or read as markup."""

import pytest

from bundles.page.stored_boards import ALPHA, HOSTILE, load, write_board
from report.opened import has_colours_of_dark_and_paper, opened
from report.overlaps import OVERLAPS
from tellapart.bundles.page.output import write_report

WIDTHS = [390, 1280]


@pytest.fixture
def page(chromium, tmp_path, paths, mined):
    hostile = [f"{HOSTILE}{i:02d}" for i in range(40)]
    other = write_board(
        tmp_path, f"a model with a rather long name {HOSTILE}", ALPHA, name="long", items=hostile
    )
    path = tmp_path / "page.html"
    write_report(load([*paths, other], allow_fingerprint_mismatch=True), mined, html=path)
    with opened(chromium, path) as page:
        yield page


@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits_the_window_and_no_text_lies_on_another(page, width):
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("figure svg:visible").count() == 4
    assert page.evaluate(OVERLAPS) == []


def test_hostile_names_and_texts_stay_text(page):
    assert page.locator("img").count() == 0
    assert page.title().endswith("· tellapart")
    shown = page.locator(".passage pre").all_inner_texts()
    assert HOSTILE in shown


def test_examples_keep_their_lines(page):
    long = next(text for text in page.locator(".passage pre").all_inner_texts() if "more lines" in text)
    assert long.splitlines() == ["one"] * 12 + ["… 8 more lines"]


def test_dark_and_paper_have_their_own_colours(page):
    has_colours_of_dark_and_paper(page)
