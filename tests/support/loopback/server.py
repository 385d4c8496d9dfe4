"""The loopback server: HTTP/1.1 with connections that stay open, in a thread of its own."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from support.loopback.behaviours import (
    Behaviour,
    Cut,
    Hang,
    Page,
    Reply,
    Request,
    Respond,
    Status,
    WireName,
    in_turn,
)
from support.loopback.wires import Response, error_response, objection, reply_response

_LOG = logging.getLogger("support.loopback")
# Of its own, since Inspect sets the level of all loggers while a model is asked.
_LOG.setLevel(logging.ERROR)

_WIRES: dict[str, WireName] = {
    "/v1/messages": "anthropic",
    "/v1/chat/completions": "openai",
    "/chat/completions": "openai",
    "/v1/responses": "openai-responses",
}


class LoopbackServer:
    """Stands in for a provider while the ``with`` block runs.

        with LoopbackServer(lambda request: request.prompt.upper()) as server:
            model = LanguageModel("anthropic/any", base_url=server.base_url("anthropic"))
            ...
        assert server.requests[0].body["max_tokens"] == 500

    Requests that no provider would take (no key, no messages, a temperature with a version of the API or a
    model that has none) are answered as a provider does, and recorded all the same.

    Attributes:
        requests: Everything that arrived, in order; complete once a response has arrived.
        most_at_once: How many requests waited for their response at the same time, at most.
        connections: How many connections were opened.
    """

    def __init__(
        self, respond: Respond | Sequence[Behaviour | str] | str = "ok", *, latency_s: float = 0.0
    ) -> None:
        """Plan what happens."""
        self.requests: list[Request] = []
        self.most_at_once = 0
        self.connections = 0
        self._respond: Respond
        if callable(respond):
            self._respond = respond
        else:
            self._respond = in_turn(then=respond) if isinstance(respond, str) else in_turn(*respond)
        self._latency_s = latency_s
        self._at_once = 0
        self._started_s = 0.0
        self._error: BaseException | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="loopback server", daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    def __enter__(self) -> Self:
        """Start to listen on a free port of 127.0.0.1."""
        self._started_s = time.monotonic()
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection; an error of ``respond`` comes out here, or as a note on the block's own."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if self._error is None:
            return
        if error is None:
            raise self._error
        error.add_note(f"The plan of the loopback server failed before: {self._error!r}")

    @property
    def url(self) -> str:
        """Address without a path."""
        if self._server is None:
            raise RuntimeError("the server listens only within its 'with' block")
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def base_url(self, provider: str) -> str:
        """Address as a provider of Inspect wants it: with ``/v1`` for all but Anthropic and DeepSeek."""
        return self.url if provider in ("anthropic", "deepseek") else f"{self.url}/v1"

    def environment(self, *servers: str) -> dict[str, str]:
        """Environment variables that lead the providers here, with keys that are none."""
        providers = ("anthropic", "openai", "deepseek", "ollama", *servers)
        names = {provider: provider.upper().replace("-", "_") for provider in providers}
        urls = {f"{name}_BASE_URL": self.base_url(provider) for provider, name in names.items()}
        return urls | {f"{name}_API_KEY": "not-a-key" for name in names.values()}

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024)

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        except Exception as error:
            self._error = self._error or error
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its response; False when the connection is over."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in head[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        path = head[0].split(" ")[1].partition("?")[0]
        at_s, wire = time.monotonic() - self._started_s, _WIRES.get(path, "openai")
        request = Request(len(self.requests) + 1, path, headers, _object(content), at_s, wire)
        self.requests.append(request)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await self._act(request, reader, writer)
        finally:
            self._at_once -= 1

    async def _act(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        does: Behaviour | str
        if request.path not in _WIRES:
            does = Status(404, f"there is nothing at {request.path}")
        else:
            does = objection(request) or self._planned(request)
        does = Reply(does) if isinstance(does, str) else does
        wait_s = self._latency_s + getattr(does, "after_s", 0.0)
        if wait_s:
            await asyncio.sleep(wait_s)
        if isinstance(does, Cut | Hang):
            if does.when == "within":
                await _send_half(writer, reply_response(request, does.reply))
            if isinstance(does, Hang):
                # Ends when the client hangs up.
                await reader.read()
            elif does.when == "within":
                writer.close()
            return False
        await _send(writer, _response(request, does))
        return True

    def _planned(self, request: Request) -> Behaviour | str:
        """What ``respond`` says; its error is told at once, since a client may try on for long."""
        try:
            return self._respond(request)
        except Exception as error:
            _LOG.exception("the plan of the loopback server failed on request %d", request.number)
            self._error = self._error or error
            return Status(500, f"the plan of the loopback server failed: {error!r}")


def _object(content: bytes) -> dict[str, Any]:
    """A JSON object, or an empty one for what is none, which is then answered as a bad request."""
    try:
        body = json.loads(content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _response(request: Request, does: Reply | Status | Page) -> Response:
    if isinstance(does, Page):
        return Response(does.code, [does.body.encode()], {"content-type": does.content_type})
    return error_response(request, does) if isinstance(does, Status) else reply_response(request, does)


def _head(response: Response) -> bytes:
    lines = [f"HTTP/1.1 {response.code} -", *(f"{name}: {value}" for name, value in response.headers.items())]
    if len(response.parts) > 1:
        lines.append("transfer-encoding: chunked")
    else:
        lines.append(f"content-length: {len(response.parts[0])}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _chunk(part: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(part), part)


async def _send(writer: asyncio.StreamWriter, response: Response) -> None:
    writer.write(_head(response))
    if len(response.parts) == 1:
        writer.write(response.parts[0])
    else:
        for part in response.parts:
            writer.write(_chunk(part))
        writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _send_half(writer: asyncio.StreamWriter, response: Response) -> None:
    writer.write(_head(response))
    if len(response.parts) == 1:
        writer.write(response.parts[0][: len(response.parts[0]) // 2])
    else:
        for part in response.parts[: len(response.parts) // 2]:
            writer.write(_chunk(part))
    await writer.drain()
