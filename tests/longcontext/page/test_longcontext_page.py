"""The page of graded conversations in a real Chromium."""

import pytest

from longcontext.page.graded_record import (
    HOSTILE,
    compared,
    page_of,
    refused,
    smoke,
    three,
    whole,
)
from report.opened import has_colours_of_dark_and_paper, opened, reads_well

RECORDS = {"three": three, "whole": whole, "refused": refused, "smoke": smoke}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, make in RECORDS.items():
        (folder / f"{name}.html").write_text(page_of(make()), encoding="utf-8")
    text = page_of(whole(), compared([f"Mine {HOSTILE}.", "Ours."]))
    (folder / "compared.html").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def page(chromium, pages):
    with opened(chromium, pages / "three.html") as page:
        yield page


@pytest.mark.parametrize(
    ("name", "pictures"), [("three", 1), ("whole", 3), ("refused", 0), ("smoke", 3), ("compared", 3)]
)
def test_it_reads_well_at_any_width_in_the_dark_and_on_paper(chromium, pages, name, pictures):
    with opened(chromium, pages / f"{name}.html") as page:
        reads_well(page)
        assert page.locator("figure svg:visible").count() == pictures
        has_colours_of_dark_and_paper(page)


def test_findings_stand_before_every_figure(page):
    titles = page.locator("main section > h2").all_inner_texts()
    assert titles == [
        "Findings",
        "Summary",
        "Dilution",
        "Attention sink",
        "Failure modes",
        "Tokens",
        "Probes",
    ]
    assert page.locator("h1").inner_text().startswith("Not to be relied on: context was dropped")
    assert page.locator(".verdict li").first.inner_text().startswith("1 of 27 probes ask for something")
