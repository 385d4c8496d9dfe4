"""What really went to a provider, seen on its way out."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tellapart.environment.replies import ask_for_gzip, bounded

MOST_REPLY_BYTES = 64 * 1024 * 1024
"""Of one reply, unpacked, which goes into memory; replies of models have kilobytes."""

# How long an attempt may take is limited elsewhere.
_limit = bounded(MOST_REPLY_BYTES, math.inf)

_NOT_PARAMETERS = ("messages", "system", "input", "tools", "model", "stream")


@dataclass
class Wire:
    """What was seen of requests on their way out.

    Attributes:
        parameters: Every value that each parameter of a body had, as JSON, without the messages.
        versions: Values of the header ``anthropic-version``.
        requests: How many were seen, retries included.
        responses: How many responses arrived, of whatever status.
        calls: How many calls Inspect made; with providers that show no requests, all that is known.
    """

    parameters: dict[str, set[str]] = field(default_factory=dict)
    versions: set[str] = field(default_factory=set)
    requests: int = 0
    responses: int = 0
    calls: int = 0

    async def saw(self, request: Any) -> None:
        """Note a request, and how its reply may be packed; an event hook of an HTTP client."""
        ask_for_gzip(request)
        self.requests += 1
        if "anthropic-version" in request.headers:
            self.versions.add(request.headers["anthropic-version"])
        try:
            body = json.loads(request.content)
        except ValueError:
            return
        self._note(body)

    async def heard(self, response: Any) -> None:
        """Note that a response arrived, and limit what is read of it; an event hook of an HTTP client."""
        self.responses += 1
        _limit(response)

    def called(self, request: Mapping[str, Any]) -> None:
        """Note a call as Inspect records it, for providers whose requests cannot be seen."""
        self.calls += 1
        if not self.requests:
            self._note(request)

    def sent(self) -> dict[str, set[str]]:
        """Every value that each parameter had so far, as JSON, the header ``anthropic-version`` among them.

        Of a schema only its kind is kept. Empty where nothing was sent, or nothing can be seen of it.
        """
        versions = {json.dumps(version) for version in self.versions}
        return self.parameters | ({"anthropic_version": versions} if versions else {})

    def _note(self, body: Mapping[str, Any]) -> None:
        for name, value in body.items():
            if name in _NOT_PARAMETERS or value is None:
                continue
            kind = json.dumps(_without_schema(value), sort_keys=True, default=str)
            self.parameters.setdefault(name, set()).add(kind)


def _without_schema(value: Any) -> Any:
    """What holds a schema gives way to its kind, at whatever depth."""
    if not isinstance(value, dict):
        return value
    if "schema" in value or "json_schema" in value:
        return value.get("type")
    return {name: _without_schema(inner) for name, inner in value.items()}
