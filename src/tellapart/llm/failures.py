"""What went wrong between us and a provider, as one of our causes; and what would go wrong every time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tellapart.errors import ProviderError
from tellapart.llm.models import LanguageModel
from tellapart.llm.providers import key_variable
from tellapart.llm.questions import Failure

_OF_STATUS = {429: "rate_limit", 529: "overloaded"}
_TOO_LONG = ("context length", "context window", "context_length", "prompt is too long", "input is too long")
_NO_MONEY = ("insufficient_quota", "credit balance", "billing")
_KEPT = "What was answered is kept, and the same command goes on from there"


def failure_of(error: BaseException) -> Failure:
    """Name what a provider's client raised, after all retries.

    Whatever is not known is ``provider``, ``connection``: no exception is without a cause.
    """
    first = _first(error)
    detail = _detail(first)
    status = _status(first)
    if status == 408 or any("timeout" in type(link).__name__.lower() for link in _chain(first)):
        return Failure("timeout", "timeout", detail)
    if status == 413 or (status == 400 and _says(first, _TOO_LONG)):
        return Failure("truncated", "context_length", detail)
    if status is None:
        return Failure("provider", "connection", detail)
    return Failure("provider", _OF_STATUS.get(status, _family(status)), detail)


def failure_of_output(output: Any) -> Failure | None:
    """Name why an output of Inspect is no reply that could be read, or None when it is one."""
    if output.stop_reason == "content_filter":
        return Failure("refusal", "refusal", output.completion[:500])
    if output.stop_reason == "max_tokens":
        return Failure("truncated", "max_tokens", f"cut off after {output.completion[-100:]!r}")
    if output.stop_reason == "model_length":
        return Failure("truncated", "context_length", str(output.error or output.completion)[:500])
    return None


def fatal_error(error: BaseException, model: LanguageModel) -> ProviderError | None:
    """What to stop with when every further question would fail in the same way.

    That is: a key that is refused (401), an account that cannot pay (402, or a quota that is used up), an
    access that is not granted (403), a model or an address that is not there (404), and a server that
    accepts no connection.

    Args:
        error: What a provider's client raised, after all retries.
        model: Who was asked.

    Returns:
        The error to raise, or None where another question may fare better.
    """
    first = _first(error)
    status = _status(first)
    key = key_variable(model.name)
    its_key = f"Set {key} to a key that" if key else "Give it a key that"
    if status == 402 or (status in (400, 403, 429) and _says(first, _NO_MONEY)):
        what, then = "has no credit left", f"Add credit, or {its_key[0].lower()}{its_key[1:]} has some"
    elif status == 401:
        what, then = "does not accept the key", f"{its_key} it accepts"
    elif status == 403:
        what, then = "does not allow this", f"{its_key} may use this model"
    elif status == 404:
        what, then = "does not know this model", "Check the model's name, and the base URL if you gave one"
    elif status is None and any(type(link).__name__ == "ConnectError" for link in _chain(first)):
        what, then = "cannot be reached", "Check the base URL, that the server runs, and the network"
    else:
        return None
    return ProviderError(
        f"the provider {what}: {_detail(first)}", where=model.name, next_step=f"{then}. {_KEPT}"
    )


def _family(status: int) -> str:
    return "server_error" if status >= 500 else "bad_request"


def _first(error: BaseException) -> BaseException:
    attempt = getattr(error, "last_attempt", None)
    inner = attempt.exception() if attempt is not None else None
    return inner if inner is not None else error


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__


def _status(error: BaseException) -> int | None:
    """The HTTP status, by the names that providers' clients use."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int):
                return value
    return None


def _detail(error: BaseException) -> str:
    message = getattr(error, "provider_message", None) or str(error)
    return f"{type(error).__name__}: {message}"[:500]


def _says(error: BaseException, words: tuple[str, ...]) -> bool:
    text = _detail(error).lower()
    return any(word in text for word in words)
