"""The clock of everything that is written down: SOURCE_DATE_EPOCH stops it, for outputs of the same bytes.

Where it is set, every moment in an output or a journal is that one, and every duration 0. Time limits, pauses
between calls and what a terminal says about progress go by the real time.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

from tellapart.errors import UsageError

VARIABLE = "SOURCE_DATE_EPOCH"


def now() -> datetime:
    """The moment, in UTC."""
    stopped = os.environ.get(VARIABLE)
    if not stopped:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(stopped), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{VARIABLE} is {stopped!r}, expected whole seconds since 1970",
            next_step=f"Set it to a number, such as that of the last commit, or unset it: unset {VARIABLE}",
        ) from None


def now_ms() -> int:
    """The same in milliseconds since 1970."""
    return round(now().timestamp() * 1000)


def seconds_since(began: float) -> float:
    """Seconds since ``time.monotonic()`` gave ``began``; 0 where the clock is stopped."""
    return 0.0 if os.environ.get(VARIABLE) else time.monotonic() - began
