"""A page in a real browser, which must ask for nothing and complain about nothing."""

from contextlib import contextmanager


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


def has_colours_of_dark_and_paper(page):
    """On a dark screen the page is dark, and on paper it is white whatever the screen is."""
    paper = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(paper) == "rgb(20, 22, 27)"
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
