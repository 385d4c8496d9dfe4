"""A language model as it is asked for: every parameter that may reach the wire, and how patient we are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.core.addresses import without_password

ANTHROPIC_VERSION = "2023-06-01"
"""The API version that still takes a temperature; the one of 2026-10-21 does not."""


@dataclass(frozen=True)
class LanguageModel:
    """What is asked, and with which parameters.

    Attributes:
        name: Provider and model as Inspect names them, such as ``anthropic/claude-sonnet-4-5``.
        base_url: Of the server; None for the provider's own, or what its environment variable says.
        temperature: In [0, 2]; None leaves it to the provider.
        max_tokens: Of a reply, what a model thinks to itself included; at least 1.
        seed: For providers that take one; the others drop it, which ``effective`` then shows.
        response_schema: Whether the reply's JSON schema is sent as such as well as written in the prompt.
        anthropic_version: Header ``anthropic-version``; only the provider ``anthropic`` sends it.
        attempt_timeout_s: After which one attempt is given up.
        max_retries: Further attempts after a failure that may pass: 408, 409, 429, 5xx, a broken connection.
        recording: A journal of calls that answers instead of the provider; None asks the provider.
    """

    name: str
    base_url: str | None = None
    temperature: float | None = 0.0
    max_tokens: int = 500
    seed: int | None = None
    response_schema: bool = False
    anthropic_version: str = ANTHROPIC_VERSION
    attempt_timeout_s: int = 120
    max_retries: int = 5
    recording: Path | None = None

    @property
    def provider(self) -> str:
        """What stands before the first slash."""
        return self.name.partition("/")[0]

    def requested(self) -> dict[str, Any]:
        """Every parameter that may change what is sent, JSON-able; no password, key, timeout or retry."""
        asked = {
            "model": self.name,
            "base_url": without_password(self.base_url) if self.base_url else None,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "response_schema": self.response_schema,
        }
        return asked | ({"anthropic_version": self.anthropic_version} if self.provider == "anthropic" else {})
