"""When a call is tried again, and how long is waited: as the provider says, else longer each time."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from tenacity import RetryCallState
from tenacity.wait import wait_base

from tellapart.llm.failures import fatal_error
from tellapart.llm.models import LanguageModel
from tellapart.llm.traffic import Wire

if TYPE_CHECKING:
    from inspect_ai.model import RetryDecision

LONGEST_WAIT_S = 300.0
"""A provider that asks for more is not waited for: the call fails, and is made again when resuming."""


class Wait(wait_base):
    """Seconds until the next attempt."""

    def __init__(self, first_s: float) -> None:
        """Begin with ``first_s``, doubled each time, where the provider says nothing.

        Up to ``first_s`` more are drawn at random, so that calls that failed together do not return together.
        """
        self._first_s = first_s

    def __call__(self, retry_state: RetryCallState) -> float:
        """Read the header ``retry-after`` of the last response, or count the attempts."""
        error = retry_state.outcome.exception() if retry_state.outcome else None
        asked_s = retry_after_s(error) if error is not None else None
        if asked_s is None:
            asked_s = min(self._first_s * 2 ** (retry_state.attempt_number - 1), LONGEST_WAIT_S)
        return asked_s + random.uniform(0, self._first_s)


def retry_after_s(error: BaseException) -> float | None:
    """Seconds that a provider asks us to wait, from its headers; None where it says nothing readable."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return _seconds(headers["retry-after"])
    except (KeyError, ValueError):
        return None


def _seconds(value: str) -> float:
    try:
        return max(0.0, float(value))
    except ValueError:
        until = parsedate_to_datetime(value)
        return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def worth_retrying(
    inner: Callable[[Any], bool | RetryDecision], model: LanguageModel, wire: Wire
) -> Callable[[Any], bool | RetryDecision]:
    """Judge errors as Inspect's provider does, but give up on what cannot pass.

    That is what ``fatal_error`` names, except for a server that has already answered and may come back; and
    a wait of more than ``LONGEST_WAIT_S``. A body of JSON that breaks off is a response that was cut short,
    whatever its status, and is asked for again.
    """

    def should_retry(error: Any) -> bool | RetryDecision:
        away = getattr(error, "status_code", None) is None and wire.responses
        hopeless = (retry_after_s(error) or 0.0) > LONGEST_WAIT_S or (
            not away and fatal_error(error, model) is not None
        )
        return not hopeless and (isinstance(error, JSONDecodeError) or inner(error))

    return should_retry
