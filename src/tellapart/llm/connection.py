"""From what was asked for to a connected model of Inspect, and what really went over the wire."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tellapart.errors import MissingExtra, UsageError
from tellapart.llm.models import LanguageModel

if TYPE_CHECKING:
    from inspect_ai.model import Model

_NOT_PARAMETERS = ("messages", "system", "input", "tools", "model", "stream")


@dataclass
class Wire:
    """What was seen of requests on their way out.

    Attributes:
        parameters: Every value that each parameter of a body had, without the messages.
        versions: Values of the header ``anthropic-version``.
        requests: How many there were, retries included.
    """

    parameters: dict[str, set[str]] = field(default_factory=dict)
    versions: set[str] = field(default_factory=set)
    requests: int = 0

    async def saw(self, request: Any) -> None:
        """Note a request; an event hook of an HTTP client."""
        self.requests += 1
        if "anthropic-version" in request.headers:
            self.versions.add(request.headers["anthropic-version"])
        try:
            body = json.loads(request.content)
        except ValueError:
            return
        for name, value in body.items():
            if name not in _NOT_PARAMETERS:
                self.parameters.setdefault(name, set()).add(json.dumps(value, sort_keys=True))

    def effective(self) -> dict[str, Any]:
        """The parameters that went out: a value, or a list where they varied."""
        found: dict[str, Any] = {}
        for name, values in sorted(self.parameters.items()):
            seen = [json.loads(value) for value in sorted(values)]
            found[name] = seen[0] if len(seen) == 1 else seen
        if self.versions:
            found["anthropic_version"] = ", ".join(sorted(self.versions))
        return found


def connect(model: LanguageModel, *, max_connections: int) -> tuple[Model, Wire]:
    """Prepare to ask a model; nothing is sent yet.

    Raises:
        MissingExtra: Inspect is not installed.
        UsageError: The provider is unknown, or lacks its key.
    """
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError:
        raise MissingExtra("language models", "llm") from None
    from tellapart.llm import offline  # noqa: F401  # registers its provider

    config = GenerateConfig(
        max_connections=max_connections,
        max_retries=model.max_retries,
        attempt_timeout=model.attempt_timeout_s,
        max_tokens=model.max_tokens,
        seed=model.seed,
        cache_prompt=False,
    )
    args: dict[str, Any] = {}
    if model.provider == "anthropic":
        args["default_headers"] = {"anthropic-version": model.anthropic_version}
        if model.temperature is not None and model.anthropic_version < "2026-10-21":
            args["extra_body"] = {"temperature": model.temperature}
    else:
        config.temperature = model.temperature
    try:
        connected = get_model(model.name, config=config, base_url=model.base_url, memoize=False, **args)
    except Exception as error:
        raise UsageError(f"the model {model.name!r} cannot be used: {error}") from None
    wire = Wire()
    _watch(connected, wire)
    return connected, wire


def _watch(model: Model, wire: Wire) -> None:
    """Let ``wire`` see every request, and leave retrying to Inspect alone: two that retry multiply."""
    client = getattr(model.api, "client", None)
    if client is not None:
        client.max_retries = 0
        client._client.event_hooks["request"].append(wire.saw)
