"""A page in a real browser, which must ask for nothing and complain about nothing."""

from contextlib import contextmanager

from report.overlaps import CLIPPED, OVERLAPS

WIDTHS = (1400, 800, 390)


@contextmanager
def opened(chromium, path):
    """Open a page; afterwards nothing may have gone wrong and nothing been asked for."""
    troubles, requests = [], []
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.on("console", lambda message: troubles.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    yield page
    assert troubles == []
    assert set(requests) == {path.as_uri()}
    context.close()


def unfold(page):
    """Open every section."""
    folded = "main > section > details:not(.block)"
    page.evaluate(f"document.querySelectorAll('{folded}').forEach(one => one.open = true)")


def reads_well(page, widths=WIDTHS):
    """At every width, in light and dark, nothing is clipped and no text of a chart lies on another."""
    unfold(page)
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert page.evaluate(CLIPPED) == []
        assert page.evaluate(OVERLAPS) == []
    page.emulate_media(color_scheme="light")


def has_colours_of_dark_and_paper(page):
    """On a dark screen the page is dark, and on paper it is white whatever the screen is."""
    paper = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(paper) == "rgb(20, 22, 27)"
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
