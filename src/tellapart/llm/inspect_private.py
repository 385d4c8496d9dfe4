"""The names of Inspect that are not public, all of them: where an update of Inspect may break us.

No public name lists the providers or says whether one's package is installed, ends a command with one line,
sets how long to wait before a retry, or shows a request on its way out. ``tests/llm/test_inspect_private.py``
holds each of them, and says which versions of Inspect and of the providers' packages they were seen to work
with. Like all of Inspect it is imported only when a model is asked, and needs the extra ``llm``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from inspect_ai._util.entrypoints import ensure_entry_points
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.registry import registry_find, registry_unqualified_name

from tellapart.environment.replies import refuse_elsewhere_async

if TYPE_CHECKING:
    from inspect_ai.model import Model

__all__ = ["PrerequisiteError", "provider_names", "require_package", "take_over"]


def provider_names() -> list[str]:
    """List the providers that Inspect knows, ours and those of other packages included, in order."""
    ensure_entry_points()
    entries = registry_find(lambda info: info.type == "modelapi")
    return sorted({registry_unqualified_name(entry) for entry in entries} - {"none", "mockllm"})


def require_package(provider: str) -> None:
    """See that a provider's own package is installed and new enough, which Inspect does when it connects."""
    for entry in registry_find(lambda info: info.type == "modelapi"):
        if registry_unqualified_name(entry) == provider:
            # Before it misses the name of a model, an entry checks the package and imports it.
            with suppress(TypeError):
                cast(Callable[..., Any], entry)()


def take_over(
    model: Model,
    *,
    logged_address: str | None,
    wait: Callable[[], Any],
    should_retry: Callable[[Callable[[BaseException], Any]], Any],
    generate: Callable[[Callable[..., Awaitable[Any]]], Any],
    on_request: Callable[[Any], Awaitable[None]],
    on_response: Callable[[Any], Awaitable[None]],
) -> None:
    """Decide on attempts of a model and see its requests, where its client is one of httpx's.

    The providers' packages retry on their own as well, and two that retry multiply. They follow redirects,
    with all that was sent; here they do so on the same server only. The log has ``logged_address``.
    """
    model._explicit_base_url = logged_address
    api: Any = model.api
    api.retry_wait = wait
    api.should_retry = should_retry(api.should_retry)
    api.generate = generate(api.generate)
    client: Any = getattr(api, "client", None)
    hooks = getattr(getattr(client, "_client", None), "event_hooks", None)
    if isinstance(hooks, dict):
        client.max_retries = 0
        hooks["request"].append(on_request)
        hooks["response"] += [refuse_elsewhere_async, on_response]
