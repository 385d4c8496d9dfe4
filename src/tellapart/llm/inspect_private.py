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

from tellapart.environment.redirects import refuse_elsewhere_async

if TYPE_CHECKING:
    from inspect_ai.model import Model

__all__ = [
    "PrerequisiteError",
    "provider_names",
    "replace_generate",
    "require_package",
    "set_logged_address",
    "set_retries",
    "watch_requests",
]


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


def set_logged_address(model: Model, address: str | None) -> None:
    """Set the address that Inspect's log holds for a model; requests go to the real one all the same."""
    model._explicit_base_url = address


def set_retries(
    model: Model, wait: Callable[[], Any], wrap: Callable[[Callable[[BaseException], Any]], Any]
) -> None:
    """Decide how long Inspect waits before a retry, and after which errors there is one."""
    api: Any = model.api
    api.retry_wait = wait
    api.should_retry = wrap(api.should_retry)


def replace_generate(model: Model, wrap: Callable[[Callable[..., Awaitable[Any]]], Any]) -> None:
    """Replace the provider's ``generate``, awaited by each attempt, by what ``wrap`` makes of it."""
    api: Any = model.api
    api.generate = wrap(api.generate)


def watch_requests(
    model: Model, *, request: Callable[[Any], Awaitable[None]], response: Callable[[Any], Awaitable[None]]
) -> bool:
    """Await ``request`` and ``response`` with each of httpx's, and leave retrying to Inspect alone.

    The providers' packages retry on their own as well, and two that retry multiply. They also follow
    redirects to wherever those lead, with all that was sent; here they do so on the same server only.
    """
    client: Any = getattr(model.api, "client", None)
    hooks = getattr(getattr(client, "_client", None), "event_hooks", None)
    if not isinstance(hooks, dict):
        return False
    client.max_retries = 0
    hooks["request"].append(request)
    hooks["response"] += [refuse_elsewhere_async, response]
    return True
