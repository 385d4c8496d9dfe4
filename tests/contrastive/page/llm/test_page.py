"""The page of a run with language models in a real Chromium."""

import pytest

from contrastive.page.stored_llms import write_llm_record
from report.opened import opened
from tellapart.contrastive.page import document, load
from tellapart.report import html_document
from tellapart.store import RunDirectory


@pytest.fixture(scope="module")
def page_path(tmp_path_factory):
    root = tmp_path_factory.mktemp("page")
    path = root / "report.html"
    view = load(RunDirectory.open(write_llm_record(root / "run")))
    path.write_text(html_document(document(view)), encoding="utf-8")
    return path


def choose(page, **filters):
    for name, value in filters.items():
        page.locator(f"#items-filters [name={name}]").select_option(value)


def cells(page):
    """Rows of the askings, which stand between the code and the other models."""
    table = page.locator(".panes + .scroll table")
    return [row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr").all()]


def test_every_asking_of_a_language_model_is_shown(chromium, page_path):
    with opened(chromium, page_path) as page:
        choose(page, model="acme/large")
        reading = page.locator(".reading").inner_text()
        assert reading == (
            "✗ wrong Asked 4 times, acme/large was right once and gave no answer twice. The first answer: "
            "with the target in slot 1 of 5 it put slot 1 first, the target at rank 1, and stated a "
            "confidence of 0.75."
        )
        assert cells(page) == [
            ["#0.0", "✓ right", "1", "1", "1", "0.75", ""],
            ["#0.1", "? missing", "1", "–", "–", "–", "provider (rate limit, 429)"],
            ["#1.0", "✗ wrong", "3", "1", "3", "0.75", ""],
            ["#1.1", "? missing", "3", "–", "–", "–", "provider (rate limit, 429)"],
        ]
        note = page.locator(".panes ~ .note").inner_text()
        assert note.startswith(
            "Its reasoning is in calls.jsonl of the run directory, under the question easy/"
        )
        assert "#0.0 and so on" in note
