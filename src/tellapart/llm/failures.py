"""What went wrong between us and a provider, as one of our causes."""

from __future__ import annotations

from typing import Any

from tellapart.llm.questions import Failure

_OF_STATUS = {408: "timeout", 413: "context_length", 429: "rate_limit", 529: "overloaded"}


def failure_of(error: BaseException) -> Failure:
    """Name what a provider's client raised, after all retries."""
    first = _first(error)
    detail = f"{type(first).__name__}: {first}"[:500]
    status = getattr(first, "status_code", None)
    if "timeout" in type(first).__name__.lower() or status == 408:
        return Failure("timeout", "timeout", detail)
    if isinstance(status, int):
        return Failure("provider", _OF_STATUS.get(status, _family(status)), detail)
    return Failure("provider", "connection", detail)


def failure_of_output(output: Any) -> Failure | None:
    """Name why an output of Inspect is no reply that could be read, or None when it is one."""
    if output.stop_reason == "content_filter":
        return Failure("refusal", "refusal", output.completion[:500])
    if output.stop_reason == "max_tokens":
        return Failure("truncated", "max_tokens", f"cut off after {output.completion[-100:]!r}")
    if output.stop_reason == "model_length":
        return Failure("truncated", "context_length", str(output.error or output.completion)[:500])
    return None


def _family(status: int) -> str:
    return "server_error" if status >= 500 else "bad_request"


def _first(error: BaseException) -> BaseException:
    attempt = getattr(error, "last_attempt", None)
    inner = attempt.exception() if attempt is not None else None
    return inner if inner is not None else error
