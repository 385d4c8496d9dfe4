"""The server behind the page: JSON about a folder, for whoever has the token."""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tellapart.errors import TellapartError, UsageError
from tellapart.files import JsonError, parse_json
from tellapart.readers.settings import ReadingSettings
from tellapart.view.loaded import NO_SETTINGS
from tellapart.view.viewer import Viewer

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_SCRIPTS = ("view.js", "kit.js", "history.js", "label.js", "code.js", "export.js")
_ASSETS = dict.fromkeys(_SCRIPTS, "text/javascript") | {"view.css": "text/css", "screen.css": "text/css"}
_MOST_BODY = 64 * 1024
_NO_TOKEN = (401, "open the address that 'tellapart view' printed: it has the token")

Endpoint = Callable[[Request], Awaitable[Response]]


class _Guard:
    """Lets in who has the token, speaks to us by our own name, and comes from our own page."""

    def __init__(self, app: ASGIApp, token: str, hosts: frozenset[str]) -> None:
        self._app, self._token, self._hosts = app, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refusal = self._refusal(request)
        response: Response | None = None
        if refusal == _NO_TOKEN and request.url.path == "/":
            response = Response(_read("no_token.html"), 401, _HEADERS, "text/html")
        elif refusal is not None:
            response = _json({"error": refusal[1]}, status=refusal[0])
        await (response or self._app)(scope, receive, send)

    def _refusal(self, request: Request) -> tuple[int, str] | None:
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if host not in self._hosts:
            return 403, "this server answers to its own address alone"
        if origin is not None and origin != f"http://{host}":
            return 403, "this server answers its own page alone"
        if request.url.path.startswith("/assets/"):
            return None
        given = request.headers.get("x-tellapart-token") or request.query_params.get("token", "")
        if not secrets.compare_digest(given.encode(), self._token.encode()):
            return _NO_TOKEN
        return None


def _json(value: Any, status: int = 200) -> Response:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)
    body = text.encode("utf-8", "replace")
    return Response(body, status, _HEADERS, "application/json")


async def _body(request: Request) -> Any:
    """The JSON of a request."""
    if request.headers.get("content-type") != "application/json":
        raise UsageError("expected application/json")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BODY:
            raise UsageError(f"expected at most {_MOST_BODY:,} bytes")
    try:
        return parse_json(body, "the request")
    except JsonError as error:
        raise UsageError(f"expected a JSON object: {error}") from None


def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _ASSETS:
        return _json({"error": "there is no such file"}, 404)
    package = "tellapart.report" if name == "screen.css" else "tellapart.view"
    return Response(_read(name, package), 200, _HEADERS, _ASSETS[name])


def _page(request: Request) -> Response:
    return Response(_read("view.html"), 200, _HEADERS, "text/html")


def _finite(value: Any) -> Any:
    """The same with None for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def application(root: Path, token: str, port: int, reading: ReadingSettings = NO_SETTINGS) -> ASGIApp:
    """The server of a folder."""
    viewer = Viewer(root.resolve(), reading)

    def answering(answer: Callable[[Request], Any]) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            return await run_in_threadpool(_answered, partial(answer, request))

        return endpoint

    def keeping(keep: Callable[[Any], Any]) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            try:
                body = await _body(request)
            except UsageError as error:
                return _json({"error": str(error)}, 400)
            except ClientDisconnect:
                return _json({"error": "the request did not arrive"}, 400)
            return await run_in_threadpool(_answered, partial(keep, body))

        return endpoint

    read = {
        "runs": viewer.runs,
        "compare": viewer.compare,
        "plan": viewer.plan,
        "items": viewer.items,
        "item": viewer.item,
        "modes": viewer.modes,
        "history": viewer.history,
        "exclude": viewer.exclusions,
        "notes": viewer.notes,
        "label": viewer.label,
    }
    written = {"notes": viewer.note, "label": viewer.keep_label, "sheet": viewer.sheet}
    routes = [
        Route("/", _page),
        Route("/assets/{name}", _asset),
        *(Route(f"/api/{name}", answering(answer)) for name, answer in read.items()),
        *(Route(f"/api/{name}", keeping(keep), methods=["POST"]) for name, keep in written.items()),
    ]
    names = ("127.0.0.1", "localhost")
    hosts = frozenset({f"{name}:{port}" for name in names} | (set(names) if port == 80 else set()))
    return _Guard(Starlette(routes=routes), token, hosts)


def _answered(answer: Callable[[], Any]) -> Response:
    try:
        value = answer()
    except TellapartError as error:
        status = 404 if isinstance(error, UsageError) else 422
        return _json({"error": str(error)}, status)
    except Exception as error:  # One view that cannot be drawn ends no server.
        return _json({"error": f"this is a bug in tellapart: {type(error).__name__}: {error}"}, 500)
    if isinstance(value, Response):
        value.headers.update(_HEADERS)
        return value
    return _json(value)


def _read(name: str, package: str = "tellapart.view") -> bytes:
    return files(package).joinpath("assets", name).read_bytes()
