"""Work that blocks, beside the loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")


async def in_thread(work: Callable[[], Result]) -> Result:
    """Run a function in a thread of its own, and wait for it.

    Nothing can end a thread, so one that nobody waits for any more goes on; but it keeps neither its caller
    nor the program from ending, as those of ``asyncio.to_thread`` do.

    Args:
        work: What blocks.

    Raises:
        Exception: Whatever ``work`` raises; ``RuntimeError`` where it calls ``sys.exit``.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[tuple[Any, Exception | None]] = loop.create_future()

    def give(value: Any, error: Exception | None) -> None:
        if not outcome.done():
            outcome.set_result((value, error))

    def run() -> None:
        value, error = None, None
        try:
            value = work()
        except Exception as raised:
            error = raised
        except SystemExit as left:
            error = RuntimeError(f"it called sys.exit({left.code!r})")
        with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            loop.call_soon_threadsafe(give, value, error)

    threading.Thread(target=run, daemon=True).start()
    value, error = await outcome
    if error is not None:
        raise error
    return value  # type: ignore[no-any-return]
