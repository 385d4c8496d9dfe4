"""How soon one call may follow another."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Pace:
    """Keeps calls that are made one at a time apart, whatever becomes of them."""

    def __init__(self, delay_s: float) -> None:
        """Leave ``delay_s`` seconds between the end of one call and the beginning of the next."""
        self._delay_s = delay_s
        self._ended_s: float | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for one's turn, and have it while the block lasts; the first call waits for nothing."""
        import anyio

        if self._ended_s is not None:
            await anyio.sleep(max(0.0, self._ended_s + self._delay_s - time.monotonic()))
        try:
            yield
        finally:
            self._ended_s = time.monotonic()
