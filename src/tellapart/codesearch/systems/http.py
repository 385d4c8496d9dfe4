"""``http:URL``: a service that is sent each issue, and replies as a program prints."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.systems.system import (
    MOST_OUTPUT_BYTES,
    TOKEN,
    SearchSystem,
    SystemAnswer,
    check_placeholders,
    filled,
    placeholders_in,
)
from tellapart.core.addresses import on_this_machine, without_password
from tellapart.environment.secrets import without_secrets
from tellapart.environment.threads import in_thread
from tellapart.errors import UsageError

_QUOTED_CHARACTERS = 300
_OF_THE_ISSUE = (400, 413, 414, 422)
"""Statuses that say that this issue is not accepted, and nothing of the next one."""


def check_no_password(address: str) -> None:
    """Refuse a password in an address, which would end up in shell histories and process lists."""
    if "@" in urlsplit(address).netloc:
        raise UsageError(
            f"the address of {without_password(address)} has a user or a password in it",
            next_step=f"Leave them out; the value of ${TOKEN} is sent as a bearer token",
        )


class _Elsewhere(Exception):
    """The service redirects; an issue is sent to the address that was named, and to no other."""


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        raise _Elsewhere(without_password(newurl))


class HttpSystem(SearchSystem):
    """Sends each issue to a service.

    With ``{issue}`` in its address that is a GET, the issue in its place; else a POST of what a program gets
    on standard input, as JSON, with ``top_k`` where one is given. The reply is read as a program's output is.
    """

    @property
    def name(self) -> str:
        """Its kind and the address, without its query, in which there may be a key."""
        return f"http:{self._address}"

    @property
    def _address(self) -> str:
        return without_password(self.request.argument)

    @property
    def _is_get(self) -> bool:
        return "issue" in placeholders_in(self.request.argument)

    def check(self) -> None:
        """See that the address is one; the service is not asked yet."""
        address = self.request.argument
        parts = urlsplit(address)
        check_no_password(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"the address of the search service is {address!r}, expected http://HOST:PORT/PATH",
                next_step="Write for instance --system http:http://localhost:8000/search",
            )
        check_placeholders(address)
        if self._is_get and self.request.at_base and "repos_path" not in placeholders_in(address):
            raise UsageError(
                f"with --at-base every issue has a tree of its own, of which {self._address} is not told",
                next_step="Put {repos_path} into the address, or leave {issue} out of it: a POST tells it",
            )

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Ask the service."""
        timeout_s = self.request.timeout_s
        sent = self._request(conversation)
        try:
            async with asyncio.timeout(timeout_s):
                reply = await in_thread(_sending(sent, timeout_s))
        except TimeoutError:
            return Failed("timeout", "timeout", f"{self._address} took more than {timeout_s:g} s")
        if isinstance(reply, Failed):
            return Failed(reply.cause, reply.kind, f"{self._address} {reply.detail}")
        return SystemAnswer(reply)

    def _request(self, conversation: Conversation) -> Request:
        address = self.request.argument
        headers = {"Accept": "application/json, text/plain;q=0.9, */*;q=0.1", "User-Agent": "tellapart"}
        if token := os.environ.get(TOKEN):
            headers["Authorization"] = f"Bearer {token}"
        if self._is_get:
            values = {n: quote(v, safe="") for n, v in self.request.values(conversation).items()}
            return Request(filled(address, values), headers=headers)
        body = self.request.facts(conversation)
        if self.request.top_k is not None:
            body["top_k"] = self.request.top_k
        headers["Content-Type"] = "application/json"
        return Request(address, json.dumps(body).encode(), headers, method="POST")


def _sending(sent: Request, timeout_s: float) -> Callable[[], bytes | Failed]:
    """Make what sends it: the reply's body, or what went wrong, as the end of a sentence on the service."""

    def send() -> bytes | Failed:
        try:
            handlers = [ProxyHandler({})] if on_this_machine(sent.full_url) else []
            with build_opener(_NoRedirects, *handlers).open(sent, timeout=timeout_s) as reply:
                content: bytes = reply.read(MOST_OUTPUT_BYTES + 1)
                missing = reply.length or 0
        except _Elsewhere as elsewhere:
            why = f"redirects to {elsewhere}, which is not followed; give that address if it is right"
            return Failed("provider", "redirect", why)
        except HTTPError as error:
            with error:
                # Cut where a key is, its rest would still be shown.
                body = without_secrets(error.read(4 * _QUOTED_CHARACTERS).decode("utf-8", "replace"))
            quoted = f": {text}" if (text := body.strip()[:_QUOTED_CHARACTERS]) else ""
            kind = "bad_request" if error.code in _OF_THE_ISSUE else "status"
            return Failed("provider", kind, f"replied with status {error.code}{quoted}")
        except TimeoutError:
            raise
        except (OSError, HTTPException) as error:
            reason = error.reason if isinstance(error, URLError) else error
            if isinstance(reason, TimeoutError):
                raise TimeoutError from None
            why = f"cannot be reached, or broke off: {reason}; see whether it runs there"
            return Failed("provider", "connection", why)
        if len(content) > MOST_OUTPUT_BYTES:
            return Failed("parse", "output", f"sent more than {MOST_OUTPUT_BYTES:,} bytes")
        if missing:
            return Failed("provider", "connection", f"broke off: {missing:,} bytes of its reply are missing")
        return content

    return send
