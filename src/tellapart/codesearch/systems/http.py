"""``http:URL``: a service that is sent each issue, and replies as a program prints."""

from __future__ import annotations

import asyncio
import json
import os
from base64 import b64encode
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.systems.placeholders import check_placeholders, filled, placeholders_in
from tellapart.codesearch.systems.processes import MOST_OUTPUT_BYTES
from tellapart.codesearch.systems.system import TOKEN, SystemAnswer, SystemRequest
from tellapart.core.addresses import on_this_machine, same_server, without_password
from tellapart.environment.secrets import remember_address, without_secrets
from tellapart.environment.threads import in_thread
from tellapart.errors import UsageError

_QUOTED_CHARACTERS = 300
_OF_THE_ISSUE = (400, 413, 414, 422)
"""Statuses that say that this issue is not accepted, and nothing of the next one."""


class _Elsewhere(Exception):
    """The service sends us to another host, or to another method."""


class _SameServer(HTTPRedirectHandler):
    """Follows a redirect on the server that was named, with all that was sent: it was meant for no other."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        # Of the others a POST comes back as a GET, without what it said.
        kept = req.get_method() == "GET" or code in (307, 308)
        if not kept or not same_server(req.full_url, newurl):
            raise _Elsewhere(without_password(newurl))
        if req.data is None:
            return super().redirect_request(req, fp, code, msg, headers, newurl)
        return Request(newurl, req.data, req.headers, req.origin_req_host, True, method=req.get_method())


@dataclass(frozen=True)
class HttpSystem:
    """Sends each issue to a service.

    With ``{issue}`` in its address that is a GET, the issue in its place; else a POST of what a program gets
    on standard input, as JSON, with ``top_k`` where one is given. The reply is read as a program's output is.
    """

    request: SystemRequest

    @property
    def name(self) -> str:
        """Its kind and the address, without a password."""
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
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"the address of the search service is {address!r}, expected http://HOST:PORT/PATH",
                next_step="Write for instance --system http:http://localhost:8000/search",
            )
        check_placeholders(address)
        remember_address(address)
        if self._is_get and self.request.at_base and "repos_path" not in placeholders_in(address):
            raise UsageError(
                f"with --at-base every issue has a tree of its own, of which {self._address} is not told",
                next_step="Put {repos_path} into the address, or leave {issue} out of it: a POST tells it",
            )

    def prepare(self) -> None:
        """Nothing is read before the first issue."""

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Ask the service."""
        timeout_s = self.request.timeout_s
        sent = self._request(conversation)
        try:
            async with asyncio.timeout(timeout_s):
                reply = await in_thread(lambda: _reply(sent, timeout_s))
        except TimeoutError:
            return Failed("timeout", "timeout", f"{self._address} took more than {timeout_s:g} s")
        if isinstance(reply, Failed):
            return Failed(reply.cause, reply.kind, f"{self._address} {reply.detail}")
        return SystemAnswer(reply)

    async def close(self) -> None:
        """Nothing stays open."""

    def _request(self, conversation: Conversation) -> Request:
        address, signed_in = _apart(self.request.argument)
        headers = {"Accept": "application/json, text/plain;q=0.9, */*;q=0.1", "User-Agent": "tellapart"}
        if signed_in:
            headers["Authorization"] = f"Basic {signed_in}"
        elif token := os.environ.get(TOKEN):
            headers["Authorization"] = f"Bearer {token}"
        if self._is_get:
            values = {
                name: quote(value, safe="") for name, value in self.request.values(conversation).items()
            }
            return Request(filled([address], values)[0], headers=headers)
        body = self.request.facts(conversation)
        if self.request.top_k is not None:
            body["top_k"] = self.request.top_k
        headers["Content-Type"] = "application/json"
        return Request(address, json.dumps(body).encode(), headers, method="POST")


def _apart(address: str) -> tuple[str, str]:
    """The address without user and password, and these as HTTP's basic authentication has them."""
    parts = urlsplit(address)
    user, at, host = parts.netloc.rpartition("@")
    encoded = b64encode(unquote(user).encode()).decode() if at else ""
    return parts._replace(netloc=host).geturl(), encoded


def _reply(sent: Request, timeout_s: float) -> bytes | Failed:
    """The body of the reply, or what went wrong, as the end of a sentence that begins with the service."""
    try:
        handlers = [ProxyHandler({})] if on_this_machine(sent.full_url) else []
        with build_opener(_SameServer, *handlers).open(sent, timeout=timeout_s) as reply:
            content: bytes = reply.read(MOST_OUTPUT_BYTES + 1)
            missing = reply.length or 0
    except _Elsewhere as elsewhere:
        return Failed(
            "provider",
            "redirect",
            f"redirects to {elsewhere}, which is not followed; give that address if it is right",
        )
    except HTTPError as error:
        with error:
            # Cut where a key is, its rest would still be shown.
            body = without_secrets(error.read(4 * _QUOTED_CHARACTERS).decode("utf-8", "replace"))
            quoted = body.strip()[:_QUOTED_CHARACTERS]
        kind = "bad_request" if error.code in _OF_THE_ISSUE else "status"
        return Failed(
            "provider", kind, f"replied with status {error.code}" + (f": {quoted}" if quoted else "")
        )
    except TimeoutError:
        raise
    except (OSError, HTTPException) as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, TimeoutError):
            raise TimeoutError from None
        return Failed(
            "provider", "connection", f"cannot be reached, or broke off: {reason}; see whether it runs there"
        )
    if len(content) > MOST_OUTPUT_BYTES:
        return Failed("parse", "output", f"sent more than {MOST_OUTPUT_BYTES:,} bytes")
    if missing:
        return Failed("provider", "connection", f"broke off: {missing:,} bytes of its reply are missing")
    return content


def load(request: SystemRequest) -> HttpSystem:
    """Make the system."""
    return HttpSystem(request)
