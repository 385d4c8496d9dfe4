import asyncio
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from llm.calls import MODELS, at, call
from support.loopback import LoopbackServer, Page, Status
from tellapart.llm.connection import connect
from tellapart.llm.failures import failure_of, fatal_error
from tellapart.llm.wire import LONGEST_WAIT_S, Wait, retry_after_s

pytestmark = pytest.mark.usefixtures("keys")


def with_headers(**headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error = RuntimeError()
    error.response = SimpleNamespace(headers=named)
    return error


@pytest.mark.parametrize("provider", ["anthropic", "openai", "deepseek"])
def test_a_body_that_breaks_off_is_asked_for_again(provider):
    half = Page('{"id": "x", "choi', content_type="application/json")
    called = call(f"{provider}/m", [half, "ok"], max_retries=2)
    assert (called.output.completion, len(called.server.requests)) == ("ok", 2)
    never = call(f"{provider}/m", lambda _: half, max_retries=1)
    assert (failure_of(never.error).kind, len(never.server.requests)) == ("server_error", 2)


def test_as_long_as_the_provider_asks_for_is_waited():
    called = call(
        MODELS["anthropic"], [Status(429, retry_after=0.6), Status(500, retry_after=0.3), "ok"], max_retries=2
    )
    first, second, third = (request.at_s for request in called.server.requests)
    assert second - first >= 0.6
    assert third - second >= 0.3


@pytest.mark.parametrize(("answered", "requests"), [(False, 1), (True, 3)])
def test_a_server_that_was_there_may_come_back_and_one_that_never_was_will_not(answered, requests):
    with ExitStack() as until_gone:
        server = until_gone.enter_context(LoopbackServer())
        model = at(server, "openai/gpt-4o", max_retries=2)
        connected, wire = connect(model, max_connections=1)

        async def ask():
            if answered:
                await connected.generate("hi")
            until_gone.close()
            try:
                await connected.generate("hi")
            except Exception as error:
                return error

        gone = asyncio.run(ask())
    assert wire.requests == requests + answered
    assert failure_of(gone).kind == "connection"
    assert str(fatal_error(gone, model)) == (
        "openai/gpt-4o: the provider cannot be reached (APIConnectionError: Connection error.). "
        "Check the base URL, that the server runs, and the network. "
        "What was answered is kept, and the same command continues from there."
    )


def test_without_a_word_of_the_provider_each_wait_is_twice_as_long(monkeypatch):
    monkeypatch.setattr("random.uniform", lambda low, high: high)
    wait = Wait(3)
    states = [SimpleNamespace(outcome=None, attempt_number=n) for n in (1, 2, 3, 20)]
    assert [wait(state) for state in states] == [6, 9, 15, LONGEST_WAIT_S + 3]


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (RuntimeError(), None),
        (with_headers(retry_after="2"), 2),
        (with_headers(retry_after="-2"), 0),
        (with_headers(retry_after="nan"), 0),
        (with_headers(retry_after="soon"), None),
        (with_headers(retry_after_ms="1500", retry_after="2"), 1.5),
        (with_headers(retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), 0),
    ],
)
def test_how_long_a_provider_asks_to_wait(error, seconds):
    assert retry_after_s(error) == seconds
