"""How large a reply may be, and how long it may take to arrive."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from importlib import import_module
from typing import Any

from tellapart.errors import ProviderError


def bounded(most_bytes: int, most_s: float) -> Callable[[Any], None]:
    """Give a hook on responses of httpx's and httpx2's clients, which lets no reply grow or last for ever.

    A client's own limit of time is for the wait for the next byte, of which a server may send one a minute.
    """

    def limit(response: Any) -> None:
        library = import_module(type(response).__module__.partition(".")[0])
        inner = response.stream

        class Limited(library.SyncByteStream):  # type: ignore[misc, name-defined]
            def __iter__(self) -> Iterator[bytes]:
                meter = _Meter(most_bytes, most_s)
                for chunk in inner:
                    meter.see(chunk)
                    yield chunk

            def close(self) -> None:
                inner.close()

        class LimitedAsync(library.AsyncByteStream):  # type: ignore[misc, name-defined]
            async def __aiter__(self) -> AsyncIterator[bytes]:
                meter = _Meter(most_bytes, most_s)
                async for chunk in inner:
                    meter.see(chunk)
                    yield chunk

            async def aclose(self) -> None:
                await inner.aclose()

        response.stream = LimitedAsync() if hasattr(inner, "__aiter__") else Limited()

    return limit


class _Meter:
    """What has arrived of one reply."""

    def __init__(self, most_bytes: int, most_s: float) -> None:
        self._most_bytes, self._most_s = most_bytes, most_s
        self._bytes, self._began_s = 0, time.monotonic()

    def see(self, chunk: bytes) -> None:
        self._bytes += len(chunk)
        if self._bytes > self._most_bytes:
            raise ProviderError(f"the server sent more than {self._most_bytes:,} bytes in one reply")
        if time.monotonic() - self._began_s > self._most_s:
            raise ProviderError(f"the server took more than {self._most_s:g} s to send one reply")
