"""The page of an audit in a real Chromium: nothing is loaded, clipped, or read as markup."""

import pytest

from audit.page.stored_figures import HOSTILE, figures, load, many_models, two_models
from report.opened import WIDTHS, opened, reads_well
from tellapart.audit.page.sections import document
from tellapart.report import html_document

LONG = "org/a-model-with-a-name-that-does-not-end-" * 3 + "v2"


def renamed(found, names):
    """The same with other names of models, wherever they stand."""
    if isinstance(found, dict):
        return {_renamed(key, names): renamed(value, names) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [renamed(value, names) for value in found]
    return names.get(found, found) if isinstance(found, str) else found


def _renamed(key, names):
    return "|".join(names.get(part, part) for part in key.split("|"))


AUDITS = {
    "hostile": lambda: (
        renamed(figures(), {"alpha": HOSTILE, "beta": LONG, "hard": HOSTILE})
        | {name: figures()[name] for name in ("options", "comparison")}
    ),
    "two": two_models,
    "sixty": lambda: many_models(60),
}


@pytest.fixture(params=AUDITS)
def page(chromium, tmp_path, request):
    path = tmp_path / "page.html"
    report = document(load(AUDITS[request.param]()), (("The run", "run.html"),))
    path.write_text(html_document(report), encoding="utf-8")
    with opened(chromium, path) as page:
        yield page


def test_it_fits_every_window_and_paper_and_stays_text(page):
    reads_well(page, (*WIDTHS, 350))
    # A4 less its margins.
    page.set_viewport_size({"width": 680, "height": 900})
    page.emulate_media(media="print")
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") == 680
    assert page.locator("img").count() == 0
    assert page.title().endswith("· tellapart")
    assert page.locator(".links a").get_attribute("href") == "run.html"
