"""Redirects of servers that we send texts and keys to: followed on the same server, refused to any other.

Clients of httpx's and httpx2's make follow them by themselves, with all that was sent. Their hooks see each
response before that, and may take its ``location`` away: then it is an error as any other, and nothing goes.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

from tellapart.core.addresses import same_server, without_password

REFUSED = "tellapart-refused-location"
"""Header of a response whose redirect is not followed, with where it leads."""

NEXT_STEP = "If that address is right, give it in the place of this one"


def refuse_elsewhere(response: Any) -> None:
    """Keep a client from following a redirect to another server; one of its hooks on responses."""
    where = response.headers.get("location")
    if not where or not 300 <= response.status_code < 400:
        return
    before = str(response.request.url)
    after = urljoin(before, where)
    if not same_server(before, after):
        del response.headers["location"]
        response.headers[REFUSED] = without_password(after).encode("ascii", "replace").decode()


async def refuse_elsewhere_async(response: Any) -> None:
    """The same, of clients that are asynchronous."""
    refuse_elsewhere(response)


def refused_location(error: BaseException | None) -> str | None:
    """Where a redirect led that was not followed, without a password, by a client's error."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    return headers.get(REFUSED) if headers is not None else None
