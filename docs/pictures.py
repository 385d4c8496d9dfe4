"""Take the pictures of the documentation.

A question from the page of a demo, and where they are given, a conversation from the ``codesearch.html`` of
docs/codesearch.md, distance and depth from the ``longcontext.html`` of docs/longcontext.md, and the audit of
``examples/scores.csv`` from its page, in this order:
``python docs/pictures.py demo/report.html codesearch.html longcontext.html audit.html``.
That of docs/view.md comes from the address that ``tellapart view`` prints:
``python docs/pictures.py --view ADDRESS``.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


def main() -> None:
    """Photograph the top of the page, and one question that lsa gets wrong at the level hard."""
    if sys.argv[1] == "--view":
        view(sys.argv[2])
        return
    page_url = Path(sys.argv[1]).resolve().as_uri()
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        page = browser.new_page(viewport={"width": 1100, "height": 1180})
        page.goto(page_url)
        page.set_viewport_size({"width": 1280, "height": 860})
        page.goto(f"{page_url}#model=lsa&level=hard&outcome=wrong")
        page.reload()
        page.evaluate("document.querySelector('#items-filters').closest('details').open = true")
        page.evaluate("window.scrollTo(0, document.querySelector('#items-filters').offsetTop - 120)")
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / "item.png")
        if len(sys.argv) > 2:
            conversation(page, Path(sys.argv[2]))
        if len(sys.argv) > 3:
            distance(page, Path(sys.argv[3]))
        if len(sys.argv) > 4:
            page.set_viewport_size({"width": 1280, "height": 736})
            page.goto(Path(sys.argv[4]).resolve().as_uri())
            page.screenshot(path=IMAGES / "audit.png")
        browser.close()


def view(address: str) -> None:
    """Photograph the comparison of the first run."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        page = browser.new_page(viewport={"width": 1200, "height": 690}, color_scheme="dark")
        page.goto(address)
        page.locator("tbody td a").first.click()
        page.locator("#table-differences").wait_for()
        page.screenshot(path=IMAGES / "view.png")
        browser.close()


def opened(page: Page, of: Path) -> None:
    """Open a page with all its sections."""
    page.goto(of.resolve().as_uri())
    page.evaluate("document.querySelectorAll('details:not(.block)').forEach((one) => { one.open = true; })")


def conversation(page: Page, of: Path) -> None:
    """Photograph the conversations of a page, the first of them open."""
    page.set_viewport_size({"width": 1200, "height": 690})
    opened(page, of)
    page.evaluate("window.scrollTo(0, document.querySelector('#conversations').offsetTop - 60)")
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / "codesearch.png")


def distance(page: Page, of: Path) -> None:
    """Photograph the section of a page of graded conversations on the distance and depth of evidence."""
    page.set_viewport_size({"width": 900, "height": 1000})
    opened(page, of)
    page.evaluate("window.scrollTo(0, document.querySelector('#remembering').offsetTop - 90)")
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / "longcontext.png")


if __name__ == "__main__":
    main()
