"""Work that blocks, beside the loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")


class LoopThread:
    """A loop in a thread of its own, for coroutines that may block: whoever waits for one is not blocked.

    Nothing can end a thread, so one that nobody waits for any more goes on; but it keeps neither its caller
    nor the program from ending, as those of ``asyncio.to_thread`` do.
    """

    def __init__(self) -> None:
        """Start it."""
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._run, daemon=True).start()

    async def run(self, make: Callable[[], Awaitable[Result]]) -> Result:
        """Await there what ``make`` gives, which is called there too."""

        async def outcome() -> tuple[Any, Exception | None]:
            try:
                return await make(), None
            except Exception as raised:
                return None, raised
            except BaseException as left:
                return None, _harmless(left)

        value, error = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(outcome(), self._loop))
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]

    def close(self, last: Callable[[], Awaitable[Any]] | None = None) -> None:
        """End it, once nothing blocks it and what is to come last is done."""

        async def end() -> None:
            with suppress(BaseException):
                if last is not None:
                    await last()
            self._loop.stop()

        asyncio.run_coroutine_threadsafe(end(), self._loop)

    def _run(self) -> None:
        self._loop.run_forever()
        self._loop.close()


async def in_thread(work: Callable[[], Result]) -> Result:
    """Run a function in a thread of its own, and wait for it; see `LoopThread`."""

    async def done() -> Result:
        return work()

    thread = LoopThread()
    try:
        return await thread.run(done)
    finally:
        thread.close()


def _harmless(left: BaseException) -> RuntimeError:
    """What would end more than the work that raised it, as an error of that work."""
    if isinstance(left, SystemExit):
        return RuntimeError(f"it called sys.exit({left.code!r})")
    return RuntimeError(f"it raised {type(left).__name__}")
