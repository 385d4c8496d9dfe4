"""How large a reply may be, and how long it may take to arrive."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from tellapart.errors import ProviderError


def bounded(most_bytes: int, most_s: float) -> Callable[[Any], None]:
    """Give a hook on responses of httpx's and httpx2's clients, which lets no reply grow or last for ever.

    A client's own limit of time is for the wait for the next byte, of which a server may send one a minute.

    Args:
        most_bytes: Of a reply, as it is sent.
        most_s: From its first byte to its last.

    Returns:
        The hook; reading a reply that passes a limit raises ``ProviderError``.
    """

    def limit(response: Any) -> None:
        library = import_module(type(response).__module__.partition(".")[0])
        inner = response.stream

        class Limited(library.SyncByteStream):  # type: ignore[misc, name-defined]
            def __iter__(self) -> Iterator[bytes]:
                size, until_s = 0, time.monotonic() + most_s
                for chunk in inner:
                    size += len(chunk)
                    if size > most_bytes:
                        raise ProviderError(f"the server sent more than {most_bytes:,} bytes in one reply")
                    if time.monotonic() > until_s:
                        raise ProviderError(f"the server took more than {most_s:g} s to send one reply")
                    yield chunk

            def close(self) -> None:
                inner.close()

        response.stream = Limited()

    return limit
