"""Connect to a model: what is sent to its provider, and what is made of what comes back."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tellapart.core.addresses import without_password
from tellapart.environment.secrets import (
    remember_address,
    remember_secret,
    without_secrets,
    without_secrets_in,
)
from tellapart.errors import MissingExtra, TellapartError, UsageError, near_match
from tellapart.llm.failures import fit_for_log
from tellapart.llm.models import LanguageModel

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model, ModelOutput
    from pydantic import BaseModel

    from tellapart.llm.wire import Wire

__all__ = ["check_provider", "connect", "reply_config"]

_MARKUP = re.compile(r"\[/?(?:bold|blue|red|yellow|green)\]")
_NO_KEY = re.compile(r"\bNo ([A-Z_]+_(?:KEY|TOKEN))\b")


def connect(model: LanguageModel, *, max_connections: int, caches: bool = False) -> tuple[Model, Wire]:
    """Prepare to ask a model in one event loop, with whose end its connections close; nothing is sent yet."""
    try:
        from inspect_ai.model import GenerateConfig
    except ImportError:
        raise MissingExtra("asking a language model", "llm") from None
    check_provider(model)
    config = GenerateConfig(
        max_connections=max_connections,
        max_retries=model.max_retries,
        attempt_timeout=model.attempt_timeout_s,
        max_tokens=model.max_tokens,
        seed=model.seed,
        reasoning_effort=model.reasoning_effort,  # type: ignore[arg-type]
        cache_prompt=caches,
    )
    args: dict[str, Any] = {}
    if model.provider == "anthropic":
        args["default_headers"] = {"anthropic-version": model.anthropic_version}
        if model.sends_temperature:
            args["extra_body"] = {"temperature": model.temperature}
        if caches:
            # Left open, Inspect may change to caches of an hour, which cost more than is budgeted.
            args["cache_ttl"] = "5m"
    else:
        config.temperature = model.temperature
    if model.provider == "openai":
        # Left open, Inspect finds out by a call of its own, which nobody asked for, whether there are any.
        config.reasoning_summary = "none"
    remember_address(model.base_url)
    connected = _constructed(model, config=config, base_url=model.base_url, **args)
    # A login may have brought the key, and the environment the address.
    remember_secret(connected.api.api_key)
    remember_address(connected.api.base_url)
    return connected, _watched(connected, model)


def reply_config(model: LanguageModel, reply: type[BaseModel]) -> GenerateConfig:
    """Parameters of one call: the schema of its reply, if the model is to be sent schemas."""
    from inspect_ai.model import GenerateConfig, ResponseSchema
    from inspect_ai.util import json_schema

    if not model.response_schema:
        return GenerateConfig()
    schema = ResponseSchema(name=reply.__name__, json_schema=json_schema(reply), strict=True)
    return GenerateConfig(response_schema=schema)


def check_provider(model: LanguageModel) -> None:
    """See that Inspect knows a model's provider and has its package, and an offline model; no key is read."""
    try:
        from tellapart.llm.inspect_private import PrerequisiteError, provider_names, require_package
    except ImportError:
        raise MissingExtra("asking a language model", "llm") from None
    providers = provider_names()
    if model.provider not in providers or not model.name.partition("/")[2]:
        raise UsageError(
            f"the model is {model.name!r}, expected PROVIDER/MODEL with a provider that Inspect knows",
            next_step=near_match(model.provider, providers),
        )
    try:
        require_package(model.provider)
    except PrerequisiteError as error:
        raise _unusable(model, error) from None
    if model.is_offline:
        _constructed(model)


def _constructed(model: LanguageModel, **arguments: Any) -> Model:
    """The model as Inspect makes it; ``arguments`` are those of ``get_model``."""
    from inspect_ai.model import get_model

    try:
        return get_model(model.name, memoize=False, **arguments)
    except Exception as error:
        if isinstance(error.__cause__, TellapartError):
            raise error.__cause__ from None
        raise _unusable(model, error) from None


def _unusable(model: LanguageModel, error: BaseException) -> UsageError:
    """Say in one line what Inspect says with marks for a terminal."""
    plain = " ".join(_MARKUP.sub("", str(error)).removeprefix("ERROR: ").split())
    if key := _NO_KEY.search(plain):
        return UsageError(
            f"the model {model.name!r} needs a key, and {key[1]} is not set",
            next_step=f"Set it in the environment: export {key[1]}=…",
        )
    return UsageError(f"the model {model.name!r} cannot be used: {without_secrets(plain)}")


def _watched(connected: Model, model: LanguageModel) -> Wire:
    """Let a wire see every request, and decide on every attempt."""
    from tellapart.llm.inspect_private import take_over
    from tellapart.llm.wire import Wait, Wire, worth_retrying

    wire, wait = Wire(), Wait(model.first_wait_s)
    open_until = list[AsyncIterator[None]]()

    def watched(generate: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def attempt(*args: Any, **kwargs: Any) -> Any:
            if not open_until:
                open_until.append(_open(connected))
                await anext(open_until[0])
            try:
                result = await generate(*args, **kwargs)
            except Exception as error:
                raise fit_for_log(error)  # noqa: B904  # the causes it has are all there is to say
            output, call = result if isinstance(result, tuple) else (result, None)
            wire.called(getattr(call, "request", None) or {})
            if isinstance(output, Exception):
                fit_for_log(output)
            else:
                output = _repeating_no_secret(output)
                _complete(output, getattr(call, "response", None) or {})
            if call is None:
                return output
            # Inspect logs those that failed.
            call.request, call.response = without_secrets_in(call.request), without_secrets_in(call.response)
            return output, call

        return attempt

    take_over(
        connected,
        # The log is read by others.
        logged_address=without_password(model.base_url) if model.base_url else None,
        wait=lambda: wait,
        should_retry=lambda decide: worth_retrying(decide, model, wire),
        generate=watched,
        on_request=wire.saw,
        on_response=wire.heard,
    )
    return wire


def _repeating_no_secret(output: ModelOutput) -> ModelOutput:
    """What came back, without what is secret here, should the server repeat it."""
    received = output.model_dump()
    kept = without_secrets_in(received)
    return output if kept == received else type(output).model_validate(kept)


def _complete(output: ModelOutput, response: Any) -> None:
    """Say what Inspect leaves out: unknown reasons why it is incomplete, and tokens from a cache."""
    if response.get("status") == "incomplete" and output.stop_reason == "stop":
        output.choices[0].stop_reason = "max_tokens"
    usage = response.get("usage")
    if (
        output.usage is None
        or output.usage.input_tokens_cache_read is not None
        or not isinstance(usage, dict)
    ):
        return
    details = usage.get("input_tokens_details") or usage.get("prompt_tokens_details") or {}
    cached = details.get("cached_tokens", usage.get("prompt_cache_hit_tokens"))
    if isinstance(cached, int):
        output.usage.input_tokens_cache_read = cached
        output.usage.input_tokens -= cached


async def _open(connected: Model) -> AsyncIterator[None]:
    """Close a model's connections when the event loop ends, which closes its asynchronous generators."""
    try:
        yield
    finally:
        await connected.api.aclose()
