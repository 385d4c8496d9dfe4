"""``http:URL``: a service to which each issue is posted, and which replies as a program prints."""

from __future__ import annotations

import asyncio
import json
import os
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.systems.system import MOST_OUTPUT_BYTES, TOKEN, SearchSystem, SystemAnswer
from tellapart.core.addresses import on_this_machine, without_password
from tellapart.environment.secrets import without_secrets
from tellapart.environment.threads import in_thread
from tellapart.errors import UsageError

_QUOTED_CHARACTERS = 300


class _Elsewhere(Exception):
    """The service redirects; an issue is sent to the address that was named, and to no other."""


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        raise _Elsewhere(without_password(newurl))


class HttpSystem(SearchSystem):
    """Posts to a service what a program gets on standard input, with ``top_k`` where one is given."""

    @property
    def name(self) -> str:
        """Its kind and the address, without its query, in which there may be a key."""
        return f"http:{self._address}"

    @property
    def _address(self) -> str:
        return without_password(self.request.argument)

    def check(self) -> None:
        """See that the address is one; the service is not asked yet."""
        address = self.request.argument
        parts = urlsplit(address)
        if "@" in parts.netloc:
            # It would end up in shell histories and process lists.
            raise UsageError(
                f"the address of {self._address} has a user or a password in it",
                next_step=f"Leave them out; the value of ${TOKEN} is sent as a bearer token",
            )
        if parts.scheme not in ("http", "https") or not parts.hostname or "{" in address:
            raise UsageError(
                f"the address of the search service is {address!r}, expected http://HOST:PORT/PATH, to which "
                "each issue is posted",
                next_step="Write for instance --system http:http://localhost:8000/search",
            )

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Ask the service."""
        timeout_s, body = self.request.timeout_s, self.request.facts(conversation)
        if self.request.top_k is not None:
            body["top_k"] = self.request.top_k
        headers = {"Accept": "application/json, text/plain;q=0.9, */*;q=0.1", "User-Agent": "tellapart"}
        if token := os.environ.get(TOKEN):
            headers["Authorization"] = f"Bearer {token}"
        headers["Content-Type"] = "application/json"
        sent = Request(self.request.argument, json.dumps(body).encode(), headers, method="POST")
        try:
            async with asyncio.timeout(timeout_s):
                reply = await in_thread(lambda: _send(sent, timeout_s))
        except TimeoutError:
            return Failed("timeout", "timeout", f"{self._address} took more than {timeout_s:g} s")
        if isinstance(reply, Failed):
            return Failed(reply.cause, reply.kind, f"{self._address} {reply.detail}")
        return SystemAnswer(reply)


def _send(sent: Request, timeout_s: float) -> bytes | Failed:
    """Send a request: the reply's body, or what went wrong, as the end of a sentence on the service."""
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
        return Failed("provider", "status", f"replied with status {error.code}{quoted}")
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
