"""The wire to a provider: what really goes out, what comes back, and when a call is tried again."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from tenacity import RetryCallState
from tenacity.wait import wait_base

from tellapart.environment.replies import ask_for_gzip, bounded
from tellapart.llm.failures import fatal_error
from tellapart.llm.models import LanguageModel

if TYPE_CHECKING:
    from inspect_ai.model import RetryDecision

MOST_REPLY_BYTES = 64 * 1024 * 1024
"""Of one reply, unpacked, which goes into memory; replies of models have kilobytes."""

# How long an attempt may take is limited elsewhere.
_limit = bounded(MOST_REPLY_BYTES, math.inf)

_NOT_PARAMETERS = ("messages", "system", "input", "tools", "model", "stream")


@dataclass
class Wire:
    """What was seen of requests on their way out; ``parameters`` has every value, of a schema its kind."""

    parameters: dict[str, set[str]] = field(default_factory=dict)
    requests: int = 0
    responses: int = 0

    async def saw(self, request: Any) -> None:
        """Note a request, and how its reply may be packed; an event hook of an HTTP client."""
        ask_for_gzip(request)
        self.requests += 1
        try:
            body = json.loads(request.content)
        except ValueError:
            body = {}
        self._note({**body, "anthropic_version": request.headers.get("anthropic-version")})

    async def heard(self, response: Any) -> None:
        """Note that a response arrived, and limit what is read of it; an event hook of an HTTP client."""
        self.responses += 1
        _limit(response)

    def called(self, request: Mapping[str, Any]) -> None:
        """Note a call as Inspect records it, for providers whose requests cannot be seen."""
        if not self.requests:
            self._note(request)

    def _note(self, body: Mapping[str, Any]) -> None:
        for name, value in body.items():
            if name not in _NOT_PARAMETERS and value is not None:
                kind = json.dumps(_without_schema(value), sort_keys=True, default=str)
                self.parameters.setdefault(name, set()).add(kind)


def _without_schema(value: Any) -> Any:
    """What holds a schema gives way to its kind, at whatever depth."""
    if not isinstance(value, dict):
        return value
    if "schema" in value or "json_schema" in value:
        return value.get("type")
    return {name: _without_schema(inner) for name, inner in value.items()}


LONGEST_WAIT_S = 300.0
"""A provider that asks for more is not waited for: the call fails, and is made again when resuming."""


class Wait(wait_base):
    """Seconds until the next attempt: what ``retry-after`` asks for, or ``first_s``, doubled each time.

    Up to ``first_s`` more are drawn at random, so that calls that failed together do not return together.
    """

    def __init__(self, first_s: float) -> None:
        self._first_s = first_s

    def __call__(self, retry_state: RetryCallState) -> float:
        """Seconds to wait before the attempt that comes next."""
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
        value = headers["retry-after"]
        with suppress(ValueError):
            return max(0.0, float(value))
        until = parsedate_to_datetime(value)
        return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
    except (KeyError, ValueError):
        return None


def worth_retrying(
    inner: Callable[[Any], bool | RetryDecision], model: LanguageModel, wire: Wire
) -> Callable[[Any], bool | RetryDecision]:
    """Judge errors as Inspect's provider does, but give up on what is fatal, or wants too long a wait.

    A server that has already answered may come back. A body of JSON that breaks off is asked for again.
    """

    def should_retry(error: Any) -> bool | RetryDecision:
        if (retry_after_s(error) or 0.0) > LONGEST_WAIT_S:
            return False
        may_return = getattr(error, "status_code", None) is None and wire.responses
        if not may_return and fatal_error(error, model) is not None:
            return False
        return isinstance(error, JSONDecodeError) or inner(error)

    return should_retry
