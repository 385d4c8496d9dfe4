"""A language model as it is asked for: every parameter that may reach the wire, and how patient we are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from tellapart.core.addresses import without_password
from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded, settings_record
from tellapart.llm.systems import System

ANTHROPIC_VERSION = "2023-06-01"
"""The API version that still takes a temperature."""

OFFLINE = "offline"
"""The provider of `tellapart.offline`, which connects to nothing and needs no key."""

REPLAY = "replay:"
"""What a model's name begins with that answers from a recording."""

WITHOUT_TEMPERATURE = "2026-10-21"
"""The first API version of Anthropic that takes none."""

_WITH_KEYS = ("anthropic", "deepseek", "openai")


def is_replay(name: str) -> bool:
    """Whether a model's name is that of a recording."""
    return name.startswith(REPLAY)


def key_variable(name: str) -> str | None:
    """Environment variable that holds the key for a model, as far as it is known here."""
    provider, _, rest = name.partition("/")
    service = _service(rest if provider == "openai-api" else provider)
    return f"{service}_API_KEY" if provider in (*_WITH_KEYS, "openai-api") else None


def base_url(name: str) -> str | None:
    """Address of a model's server as the environment has it, where Inspect looks too."""
    provider, _, rest = name.partition("/")
    service = _service(rest if provider == "openai-api" else provider)
    return os.environ.get(f"{service}_BASE_URL") or os.environ.get("INSPECT_EVAL_MODEL_BASE_URL")


def _service(rest: str) -> str:
    return rest.partition("/")[0].upper().replace("-", "_")


def _name(model: LanguageModel) -> dict[str, str]:
    return {"model": model.name}


def _address(model: LanguageModel) -> dict[str, str | None]:
    # What a recording was made with is in the recording, not in the environment of today.
    url = model.base_url if model.base_url or model.recording else base_url(model.name)
    return {"base_url": without_password(url) if url else None}


def _anthropic_version(model: LanguageModel) -> dict[str, str]:
    return {"anthropic_version": model.anthropic_version} if model.provider == "anthropic" else {}


@dataclass(frozen=True)
class LanguageModel:
    """What is asked, and with which parameters.

    Attributes:
        name: Provider and model as Inspect names them, such as ``anthropic/claude-sonnet-5-5``.
        base_url: Of the server; None for what its environment variable says, or the provider's own.
        temperature: In [0, 2]; None leaves it to the provider.
        max_tokens: Of a reply, what a model thinks to itself included; at least 1.
        seed: For providers that take one; the others drop it, which ``effective`` then shows.
        reasoning_effort: Such as ``low`` or ``none``, in Inspect's words, translated for each provider; None
            leaves it to the provider.
        response_schema: Whether the reply's JSON schema is sent as such as well as written in the prompt.
            DeepSeek takes no schema: it is only told to reply with JSON.
        anthropic_version: Header ``anthropic-version``; only the provider ``anthropic`` sends it. With
            2026-10-21 or later no temperature is sent, and none with a reasoning effort.
        attempt_timeout_s: After which one attempt is given up.
        max_retries: Further attempts after a failure that may pass: 408, 409, 429, 5xx, a broken connection,
            an attempt that took too long.
        first_wait_s: Before the second attempt, unless the provider says how long; twice as long each time.
        recording: A journal of calls that answers instead of the provider; None asks the provider.
    """

    name: Annotated[str, Recorded(_name)]
    base_url: Annotated[str | None, Recorded(_address)] = None
    temperature: float | None = 0.0
    max_tokens: int = 500
    seed: int | None = None
    reasoning_effort: str | None = None
    response_schema: bool = False
    anthropic_version: Annotated[str, Recorded(_anthropic_version)] = ANTHROPIC_VERSION
    attempt_timeout_s: Annotated[int, Unrecorded(NO_EFFECT)] = 120
    max_retries: Annotated[int, Unrecorded(NO_EFFECT)] = 5
    first_wait_s: Annotated[float, Unrecorded(NO_EFFECT)] = 3.0
    recording: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None

    own_history = False
    """A model has no memory: every call sends all that was said."""

    @property
    def provider(self) -> str:
        """What stands before the first slash."""
        return self.name.partition("/")[0]

    @property
    def is_offline(self) -> bool:
        """Whether a function of this process replies, and not a server."""
        return self.provider == OFFLINE

    @property
    def sends_temperature(self) -> bool:
        """Whether a temperature is asked for that the API takes: Anthropic's takes none while thinking."""
        thinks = self.reasoning_effort not in (None, "none")
        dropped = self.anthropic_version >= WITHOUT_TEMPERATURE or thinks
        return self.temperature is not None and not (self.provider == "anthropic" and dropped)

    def requested(self) -> dict[str, Any]:
        """Every parameter that may change what is sent, JSON-able; no password, key, timeout or retry."""
        return settings_record(self)


Respondent: TypeAlias = LanguageModel | System
"""Who answers: a language model, or a system under test."""
