"""The page of graded conversations in a real Chromium."""

import re
import time
from urllib.parse import unquote

import pytest

from longcontext.page.graded_record import (
    FORGED,
    HOSTILE,
    compared,
    page_of,
    probe,
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


def shown(page):
    links = page.locator("#items-list a").all()
    return [unquote(link.get_attribute("href").split("item=")[1]).split("/")[1] for link in links]


def choose(page, **filters):
    for name, value in filters.items():
        page.locator(f"#items-filters [name={name}]").select_option(value)
    return shown(page)


def show(page, step):
    page.locator("#items-list a", has_text=f"{step} ").first.click()
    page.locator("#items-detail h3", has_text=f"{step} ").wait_for()
    return page.locator("#items-detail")


@pytest.mark.parametrize(
    ("name", "pictures"), [("three", 1), ("whole", 4), ("refused", 0), ("smoke", 4), ("compared", 4)]
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
        "For information",
        "Probes",
    ]
    assert page.locator("h1").inner_text().startswith("Not to be relied on: context was dropped")
    assert page.locator(".verdict li").first.inner_text().startswith("Error: case_3_overflow C3-1")


def test_which_models_differ_stands_first_and_then_how_far_each_remembers(chromium, pages):
    with opened(chromium, pages / "compared.html") as page:
        said = "Separates the two models: alpha beats beta by 75 points (32.6 to 91.1)"
        assert page.locator("h1").inner_text() == f"{said}. Beware: Mine {HOSTILE}"
        assert page.locator("main section > h2").all_inner_texts()[:4] == [
            "Which models differ",
            "Effective length",
            "Summary",
            "Distance and depth",
        ]
        block = page.locator("#comparison")
        assert block.locator("p").first.inner_text() == f"{said}. Beware: Mine {HOSTILE}. Ours."
        assert block.locator("tbody tr").count() == 1 + 3
        assert page.locator("img").count() == 0


def test_the_grader_is_named_once_beside_the_rule_of_the_system_prompt(page):
    assert page.locator("body").inner_text().count("Graded by ") == 2


def test_the_documents_warning_is_on_the_page(page):
    warning = page.locator("#tokens pre", has_text="SILENT TRUNCATION DETECTED at step C3-5")
    assert "Previous step prompt_tokens: 21900\nThis step prompt_tokens: 20100" in warning.inner_text()


def test_filters(page):
    assert len(shown(page)) == 20
    assert choose(page, case="case_1_short") == ["V1-1", "V1-2", "V1-3", "V1-4"]
    assert choose(page, case="", category="CONFUSED") == ["C2-2"]
    assert choose(page, category="", mode="Lost in the Middle") == ["V2-1", "V3-2"]
    assert choose(page, category="CORRECT") == []
    assert page.locator(".trouble").inner_text() == "No probe fits these filters. Show all probes"
    assert page.locator("#items-count").inner_text() == "0 probes of 27"
    assert page.locator("#items-filters [name=model]").is_hidden()


def test_models_can_be_chosen_and_compared(chromium, pages):
    with opened(chromium, pages / "whole.html") as page:
        assert len(choose(page, model="beta")) == 2
        detail = show(page, "V1")
        others = detail.locator(".others li").all_inner_texts()
        assert others == [
            "recall · alpha · epoch 0 ✓ CORRECT", "recall · alpha · epoch 1 ✓ CORRECT",
            "recall · beta · epoch 1 ✗ HALLUCINATED",
        ]  # fmt: skip
        detail.locator(".others a").last.click()
        page.locator("#items-detail .where", has_text="beta · epoch 1").wait_for()


def test_orders(page):
    assert choose(page, sort="worst")[:2] == ["C2-2", "V2-1"]
    assert choose(page, sort="worst").index("V1-1") > choose(page, sort="worst").index("V2-3")
    assert choose(page, sort="longest")[0] == "C3-4"
    assert choose(page, sort="farthest")[0] == "V3-4"


def test_text_is_searched_in_questions_and_answers(page):
    for text, steps in (("LINDBERG", "V2-1"), ("as said before", "C2-3"), ("c3-7", "C3-7"), ("x" * 9, None)):
        page.locator("#items-filters [name=q]").fill(text)
        assert shown(page) == [steps] * (steps is not None)


def test_a_probe_shows_both_answers_and_what_was_counted(page):
    choose(page, case="case_2_long")
    detail = show(page, "C2-2")
    text = detail.inner_text()
    assert "Study 3, Petrov, D. (lead author)." in text
    assert "✗ CONFUSED The answer is confused." in text
    assert "Eriksson" in detail.locator("dl").inner_text()
    assert "since the nearest evidence\n2,900 tokens" in text
    assert "57 % of the conversation before" in text


def test_hostile_text_stays_text(page):
    choose(page, case="case_2_long")
    assert HOSTILE in show(page, "V2-3").locator("blockquote").last.inner_text()
    assert show(page, "V2-1").locator("blockquote").last.inner_text() == FORGED
    assert page.locator("img").count() == 0
    assert page.title().endswith("· tellapart")


def test_nothing_hostile_becomes_markup():
    made = three()
    hostile = {
        "case": HOSTILE,
        "step_id": HOSTILE,
        "failure_mode": HOSTILE,
        "model": HOSTILE,
        "reason": HOSTILE,
    }
    made["probes"] = [probe("c", "V1", "x", "CORRECT", HOSTILE, HOSTILE, HOSTILE) | hostile]
    made["models"] = [HOSTILE]
    made["cases"] = [made["cases"][2] | {"name": HOSTILE, "model": HOSTILE}]
    made["findings"] = [made["findings"][1] | {"message": HOSTILE, "case": HOSTILE}]
    text = page_of(made)
    assert HOSTILE not in text
    assert "<img" not in text
    assert len(re.findall(r"<script", text)) == 3


def test_a_link_shows_the_view_again(page):
    page.goto(page.url.split("#")[0] + "#case=case_2_long&item=case_2_long%2FV2-6")
    page.locator("#items-detail h3", has_text="V2-6").wait_for()
    assert page.locator("#items-filters [name=case]").input_value() == "case_2_long"
    page.goto(page.url.split("#")[0] + "#case=absent&sort=absent&mode=absent")
    page.locator("#items-detail h3", has_text="V1-1").wait_for()
    assert len(shown(page)) == 20


def test_a_thousand_probes_stay_quick_and_small():
    made = three()
    made["probes"] = [
        probe("case_2_long", f"V{i}", "Factual recall", "CORRECT", f"Question {i}?", "x" * 300, f"{i} " * 900)
        for i in range(1000)
    ]
    began = time.perf_counter()
    text = page_of(made)
    assert time.perf_counter() - began < 20
    assert len(text.encode()) < 10 * 10**6
