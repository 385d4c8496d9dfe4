"""From a pair of models to the items on which it differs, in a real Chromium and by the keyboard."""

import polars as pl
import pytest

from report.opened import opened, unfold
from tellapart.audit.analysis import analyse
from tellapart.audit.page import sections
from tellapart.core.scores import ScoreTable
from tellapart.report import html_document
from tellapart.store import ItemText

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">"
ITEMS = 40


def score(model, i):
    """Beta misses every item that 4 divides, gamma the even ones; alpha misses item 1 alone."""
    return {"alpha": i != 1, "beta": i % 4 != 0, "gamma": i % 2 != 0}[model]


def table():
    rows = [
        {
            "model": model,
            "item": f"q{i:02}",
            "score": None if (model, i) == ("beta", 7) else float(score(model, i)),
            "missing": "timeout" if (model, i) == ("beta", 7) else None,
            "kind": "very_hard" if i < 20 else HOSTILE,
        }
        for model in ("alpha", "beta", "gamma")
        for i in range(ITEMS)
    ]
    return ScoreTable.from_frame(pl.DataFrame(rows, infer_schema_length=None))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("audit") / "page.html"
    texts = {"q04": (ItemText("Question", f"What is four? {HOSTILE}"),)}
    report = sections.document(analyse(table()), texts=texts)
    path.write_text(html_document(report), encoding="utf-8")
    return path


@pytest.fixture
def page(chromium, path):
    with opened(chromium, path) as page:
        unfold(page)
        yield page


def ids(page):
    return page.locator("#items-list .unit").all_inner_texts()


def expected(a, b, side):
    of = {"a": (True, False), "b": (False, True), "right": (True, True), "wrong": (False, False)}[side]
    known = [i for i in range(ITEMS) if i != 7 or "beta" not in (a, b)]
    return [f"q{i:02}" for i in known if (score(a, i), score(b, i)) == of]


def test_the_keyboard_leads_from_a_pair_to_an_item(page):
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = false)")
    pair = page.locator("#table-differences tbody tr", has_text="alpha").filter(has_text="beta").first
    pair.locator("a").focus()
    page.keyboard.press("Enter")
    page.locator("#items-list a:focus").wait_for()
    differ = sorted(expected("alpha", "beta", "a") + expected("alpha", "beta", "b"))
    assert ids(page) == differ
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    page.locator("#items-list li:nth-child(2) a[aria-current]:focus").wait_for()
    assert page.locator("#items-detail h3").inner_text() == differ[1]
    assert f"item={differ[1]}" in page.url


def test_kinds_causes_and_texts_choose_items_too_and_stay_text(page):
    page.locator("#items-filters [name=missing]").select_option("timeout")
    assert ids(page) == ["q07"]
    page.locator("#items-filters [name=missing]").select_option("")
    page.locator("#items-filters [name=q]").fill("four")
    assert ids(page) == ["q04"]
    assert page.locator("#items-detail blockquote").inner_text() == f"What is four? {HOSTILE}"
    page.locator("#items-filters [name=q]").fill("")
    page.locator("#items-filters [name=in-kind]").select_option(HOSTILE)
    assert ids(page)[0] == "q20"
    assert page.locator("#items-filters [name=in-kind] option").all_inner_texts()[2] == "very hard"
    assert page.locator("img").count() == 0


def test_what_the_address_has_and_the_page_has_not_is_said(page):
    page.evaluate("location.hash = 'model=alpha&other=nobody&side=a&colour=red&item=q99'")
    trouble = page.locator(".trouble")
    trouble.wait_for()
    assert trouble.inner_text() == (
        "The address has what this page does not know: colour, other=nobody, item=q99. Show all items"
    )
    trouble.locator("button").click()
    assert page.locator(".trouble").count() == 0
    assert page.locator("#items-count").inner_text() == f"{ITEMS} items of {ITEMS}"
