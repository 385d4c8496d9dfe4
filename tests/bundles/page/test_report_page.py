"""The page of scoreboards in a real Chromium: nothing is loaded, clipped, or read as markup."""

import pytest

from bundles.page.stored_boards import ALPHA, BETA, GAMMA, HOSTILE, load, write_board
from report.opened import has_colours_of_dark_and_paper, opened, reads_well
from tellapart.bundles.page.boards import document
from tellapart.report import html_document


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    directory = tmp_path_factory.mktemp("page")
    boards = [
        write_board(directory, "alpha", ALPHA),
        write_board(directory, "beta", BETA),
        write_board(directory, "gamma", GAMMA, similarity="bm25"),
    ]
    hostile = [f"{HOSTILE}{i:02d}" for i in range(40)]
    name = f"a model with a rather long name {HOSTILE}"
    boards.append(write_board(directory, name, ALPHA, name="long", items=hostile))
    path = directory / "page.html"
    report = document(*load(boards, allow_fingerprint_mismatch=True))
    path.write_text(html_document(report), encoding="utf-8")
    return path


def test_it_reads_well_at_any_width_in_the_dark_and_on_paper(chromium, path):
    with opened(chromium, path) as page:
        reads_well(page)
        has_colours_of_dark_and_paper(page)


def test_hostile_names_stay_text(chromium, path):
    with opened(chromium, path) as page:
        assert page.locator("img").count() == 0
        assert page.title().endswith("· tellapart")
