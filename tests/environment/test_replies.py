import asyncio
import contextlib
import gzip
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from tracemalloc import get_traced_memory, start, stop

import pytest

from tellapart.environment.replies import ask_for_gzip, bounded
from tellapart.errors import ProviderError

httpx = pytest.importorskip("httpx")

BOMB = gzip.compress(bytes(300 << 20), 1)
WORDS = b"some words " * 300_000


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.strip("/")
        body = {"bomb": BOMB, "gzip": gzip.compress(WORDS), "plain": WORDS, "br": b"x"}[name]
        self.send_response(200)
        if name != "plain":
            self.send_header("Content-Encoding", "gzip" if name in ("bomb", "gzip") else name)
        self.send_header("X-Asked", self.headers["Accept-Encoding"])
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def get(address, name, most_bytes=64 << 20):
    hooks = {"request": [ask_for_gzip], "response": [bounded(most_bytes, 60.0)]}
    with httpx.Client(event_hooks=hooks, trust_env=False) as client:
        return client.get(f"{address}/{name}")


@pytest.mark.parametrize("name", ["plain", "gzip"])
def test_replies_arrive_unpacked(address, name):
    reply = get(address, name)
    assert reply.content == WORDS
    assert reply.headers["X-Asked"] == "gzip"


@pytest.mark.parametrize("name", ["plain", "gzip"])
def test_the_limit_is_of_what_is_unpacked(address, name):
    assert get(address, name, len(WORDS)).content == WORDS
    with pytest.raises(ProviderError, match="the server sent more than 3,299,999 bytes in one reply"):
        get(address, name, len(WORDS) - 1)


def test_a_bomb_takes_no_more_memory_than_the_limit(address):
    start()
    with pytest.raises(ProviderError, match="more than 8,388,608 bytes"):
        get(address, "bomb", 8 << 20)
    peak = get_traced_memory()[1]
    stop()
    assert peak < 32 << 20


def test_a_packing_that_was_not_asked_for_is_refused(address):
    with pytest.raises(ProviderError, match="packed its reply with 'br'"):
        get(address, "br")


def test_asynchronous_clients_are_limited_too(address):
    async def get_there(name):
        async def request(value):
            ask_for_gzip(value)

        async def response(value):
            bounded(8 << 20, 60.0)(value)

        hooks = {"request": [request], "response": [response]}
        async with httpx.AsyncClient(event_hooks=hooks, trust_env=False) as client:
            return (await client.get(f"{address}/{name}")).content

    assert asyncio.run(get_there("gzip")) == WORDS
    with pytest.raises(ProviderError, match="more than 8,388,608 bytes"):
        asyncio.run(get_there("bomb"))
