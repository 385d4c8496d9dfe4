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
