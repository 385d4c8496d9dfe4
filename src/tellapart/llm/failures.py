"""What went wrong between us and a provider, as one of our causes; and what would go wrong every time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from tellapart.core.failure_words import is_too_long, refused_call
from tellapart.environment.replies import NEXT_STEP, refused_location
from tellapart.environment.secrets import without_secrets, without_secrets_in
from tellapart.errors import ProviderError
from tellapart.llm.models import LanguageModel, key_variable
from tellapart.llm.questions import Cause, Failure, Kind

BY_STATUS: dict[int, tuple[Cause, Kind]] = {
    408: ("timeout", "timeout"),
    413: ("truncated", "context_length"),
    429: ("provider", "rate_limit"),
    503: ("provider", "overloaded"),
    504: ("timeout", "timeout"),
    529: ("provider", "overloaded"),
}
_UNREACHED = ("connecterror", "unsupportedprotocol", "localprotocolerror")
_DROPPED = (
    "connection",
    "network",
    "readerror",
    "writeerror",
    "remoteprotocol",
    "transport",
    "closedresource",
)
"""Parts of the names of errors without a status: no connection was made, or one ended."""

_ADVICE = {
    "rate_limit": "Wait, or ask less at the same time (--max-connections)",
    "timeout": "See whether the model works, or give it more time (--timeout), or ask less at the same time "
    "(--max-connections)",
    "bad_request": "Change what it does not take, such as the temperature, or try again later",
    "reported": "See what it reports",
    "exited": "See why the program ends, in its stderr",
    "raised": "See why it raises that",
    "max_tokens": "Allow it longer replies (--max-tokens)",
} | dict.fromkeys(
    ("empty", "not_json", "quoted", "schema", "out_of_range", "too_long", "refusal"),
    "See whether the model or the server before it works, or name another model",
)
KEPT = "What was answered is kept, and the same command continues from there"
"""The next step of whatever stops a run that can go on."""


def advice_for(kind: str) -> str:
    """What to do about many failures of a kind."""
    return _ADVICE.get(kind, "See whether the provider works, or try again later")


def failure_of(error: BaseException) -> Failure:
    """Name what a provider's client raised, after all retries; what is not known is a ``server_error``."""
    first = _first(error)
    status, detail, names = _status(first), _detail(first), _names(first)
    if status == 400 and is_too_long(detail):
        status = 413
    elif "timeout" in names:
        status = 408
    elif getattr(first, "code", None) == "rate_limit_exceeded":
        status = 429
    if status in BY_STATUS:
        return Failure(*BY_STATUS[status], detail)
    if status is None and any(name in names for name in (*_DROPPED, *_UNREACHED)):
        return Failure("provider", "connection", detail)
    return Failure("provider", "bad_request" if status and status < 500 else "server_error", detail)


def status_of(error: BaseException) -> int | None:
    """HTTP status with which a provider turned a call down, after all retries; None where none arrived."""
    return _status(_first(error))


def failure_of_output(output: Any) -> Failure | None:
    """Name why an output of Inspect is no reply that could be read, or None when it is one."""
    if output.stop_reason == "content_filter" or _refuses(output):
        return Failure("refusal", "refusal", output.completion[:500])
    if output.stop_reason == "max_tokens":
        return Failure("truncated", "max_tokens", f"cut off after {output.completion[-100:]!r}")
    if output.stop_reason == "model_length":
        return Failure("truncated", "context_length", output.completion[:500])
    return None


def fatal_error(error: BaseException, model: LanguageModel) -> ProviderError | None:
    """What to stop with when every further question would fail in the same way; None where others may not."""
    first = _first(error)
    if isinstance(first, ProviderError):
        what, step = first.what, first.next_step or f"Look at the server. {KEPT}"
        return ProviderError(what, where=first.where or model.name, next_step=step)
    if (elsewhere := refused_location(first)) is not None:
        what = f"the server redirects to {elsewhere}, another server, to which nothing was sent"
        return ProviderError(what, where=model.name, next_step=f"{NEXT_STEP}. {KEPT}")
    status, detail = _status(first), _detail(first)
    fatal = refused_call(status, detail, key_variable(model.name))
    if fatal is None and status is None and any(name in _UNREACHED for name in _names(first).split()):
        fatal = "cannot be reached", "Check the base URL, that the server runs, and the network"
    if fatal is None:
        return None
    what = f"the provider {fatal[0]} ({detail})"
    return ProviderError(what, where=model.name, next_step=f"{fatal[1]}. {KEPT}")


def fit_for_log(error: Exception) -> Exception:
    """Take what is secret from an error and its causes, and tracebacks, which Inspect would draw."""
    for link in _chain(error):
        link.__traceback__ = None
        link.__context__ = None
        link.args = tuple(
            without_secrets(argument) if isinstance(argument, str) else argument for argument in link.args
        )
        for name in ("message", "body"):
            value = getattr(link, name, None)
            with suppress(AttributeError):
                if isinstance(value, str):
                    setattr(link, name, without_secrets(value))
                elif isinstance(value, dict):
                    setattr(link, name, without_secrets_in(value))
    return error


def _refuses(output: Any) -> bool:
    """Whether a message says by itself that it is a refusal, as OpenAI's do."""
    content = output.message.content if output.choices else ""
    return isinstance(content, list) and any(getattr(part, "refusal", None) for part in content)


def _first(error: BaseException) -> BaseException:
    attempt = getattr(error, "last_attempt", None)
    inner = attempt.exception() if attempt is not None else None
    return inner if inner is not None else error


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__


def _names(error: BaseException) -> str:
    return " ".join(type(link).__name__.lower() for link in _chain(error))


def _status(error: BaseException) -> int | None:
    """The HTTP status, by the names that providers' clients use."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and 400 <= value < 600:
                return value
    return None


def _detail(error: BaseException) -> str:
    """Status, type and message as the provider says them, or else the name of the exception and its text."""
    said = f"{type(error).__name__}: {getattr(error, 'provider_message', None) or error}"
    for link in _chain(error):
        body = getattr(link, "body", None)
        details = body.get("error", body) if isinstance(body, dict) else None
        if isinstance(details, dict) and details.get("message"):
            kind = details.get("code") or details.get("type")
            facts = (_status(error), kind if isinstance(kind, str) else None)
            said = f"{' '.join(str(fact) for fact in facts if fact)}: {details['message']}"
            break
    # Servers may repeat the key that they were sent.
    return without_secrets(said)[:500]
