"""The page in a real Chromium: it opens from a file, needs no network, and shows the items as they are."""

from urllib.parse import urlencode

import polars as pl
import pytest

from tellapart.contrastive.page import document, load
from tellapart.report import html_document


@pytest.fixture(scope="module")
def address(tiny_run, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html_document(document(load(tiny_run))), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def tiny_view(tiny_run):
    return load(tiny_run)


@pytest.fixture
def opened(chromium, address):
    """Open the page at a state; afterwards nothing may have gone wrong and nothing been asked for."""
    troubles, requests = [], []
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.on("console", lambda message: troubles.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))

    def open_at(**state):
        page.goto("about:blank")
        page.goto(address + (f"#{urlencode(state)}" if state else ""))
        return page

    yield open_at
    assert troubles == []
    assert {url.split("#")[0] for url in requests} <= {address}
    context.close()


def code(page, pane):
    return page.locator(".pane pre code").nth(pane).evaluate("element => element.textContent")


def wrong(view, model, level):
    rows = view.items.filter(pl.col("model") == model, pl.col("level") == level)
    return rows.filter(pl.col("correct") <= 0.5)


def test_target_and_best_distractor_stand_side_by_side_as_they_are(opened, tiny_view):
    page = opened(model="lsa", level="medium", outcome="wrong")
    units = [unit.content for unit in tiny_view.benchmark.units]
    rows = wrong(tiny_view, "lsa", "medium").select("item", "target", "best_distractor").rows()
    for item, target, distractor in rows[:5]:
        page = opened(model="lsa", item=item)
        assert (code(page, 0), code(page, 1)) == (units[target], units[distractor])
    boxes = [page.locator(".pane").nth(i).bounding_box() for i in (0, 1)]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
