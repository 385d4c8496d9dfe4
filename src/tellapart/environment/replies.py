"""Replies of servers that we send texts and keys to: how large, how long in coming, and from no other server.

Clients of httpx's and httpx2's make follow redirects by themselves, with all that was sent. Their hooks see
each response before, and may take its ``location`` away: then it is an error as any other, and nothing goes.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from importlib import import_module
from typing import Any
from urllib.parse import urljoin

from tellapart.core.addresses import same_server, without_password
from tellapart.errors import ProviderError

REFUSED = "tellapart-refused-location"
"""Header of a response whose redirect is not followed, with where it leads."""

NEXT_STEP = "If that address is right, give it in the place of this one"

_AT_ONCE = 1 << 20


def ask_for_gzip(request: Any) -> None:
    """Name the one way of packing replies that `bounded` unpacks; a hook on requests of httpx and httpx2."""
    request.headers["accept-encoding"] = "gzip"


def bounded(most_bytes: int, most_s: float) -> Callable[[Any], None]:
    """Give a hook on responses of httpx's and httpx2's clients, which lets no reply grow or last for ever.

    Replies are unpacked here, piece by piece: a client would unpack 64 MiB of gzip to 64 GiB at once.
    """

    def limit(response: Any) -> None:
        library = import_module(type(response).__module__.partition(".")[0])
        inner, packing = response.stream, response.headers.pop("content-encoding", "")

        class Limited(library.SyncByteStream):  # type: ignore[misc, name-defined]
            def __iter__(self) -> Iterator[bytes]:
                meter = _Meter(most_bytes, most_s, packing)
                for chunk in inner:
                    yield from meter.unpacked(chunk)

            def close(self) -> None:
                inner.close()

        class LimitedAsync(library.AsyncByteStream):  # type: ignore[misc, name-defined]
            async def __aiter__(self) -> AsyncIterator[bytes]:
                meter = _Meter(most_bytes, most_s, packing)
                async for chunk in inner:
                    for piece in meter.unpacked(chunk):
                        yield piece

            async def aclose(self) -> None:
                await inner.aclose()

        response.stream = LimitedAsync() if hasattr(inner, "__aiter__") else Limited()

    return limit


class _Meter:
    """What has arrived of one reply, unpacked."""

    def __init__(self, most_bytes: int, most_s: float, packing: str) -> None:
        self._most_bytes, self._most_s, self._packing = most_bytes, most_s, packing.strip().lower()
        self._bytes, self._began_s = 0, time.monotonic()
        self._gzip = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def unpacked(self, chunk: bytes) -> Iterator[bytes]:
        """Unpack the next bytes of a reply, some at a time."""
        if self._packing in ("", "identity"):
            yield self._seen(chunk)
            return
        if self._packing not in ("gzip", "x-gzip"):
            raise ProviderError(
                f"the server packed its reply with {self._packing!r}, expected gzip or nothing"
            )
        try:
            while chunk:
                yield self._seen(self._gzip.decompress(chunk, _AT_ONCE))
                chunk = self._gzip.unconsumed_tail
        except zlib.error as error:
            raise ProviderError(f"the server's reply cannot be unpacked: {error}") from None

    def _seen(self, piece: bytes) -> bytes:
        self._bytes += len(piece)
        if self._bytes > self._most_bytes:
            raise ProviderError(f"the server sent more than {self._most_bytes:,} bytes in one reply")
        if time.monotonic() - self._began_s > self._most_s:
            raise ProviderError(f"the server took more than {self._most_s:g} s to send one reply")
        return piece


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
