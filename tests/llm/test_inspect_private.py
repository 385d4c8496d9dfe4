"""Seen to work with inspect-ai 0.3.283 and 0.3.285, anthropic 2.0.0 and 2.11.0, openai 3.4.0 and 3.52.0."""

import asyncio
import sys

import inspect_ai._util.version
import pytest
from inspect_ai.model import GenerateConfig, get_model
from tenacity import wait_none

from llm.calls import MODELS
from support.loopback import LoopbackServer, Status, in_turn
from tellapart.llm import inspect_private

pytestmark = pytest.mark.usefixtures("keys")


@pytest.mark.parametrize(("package", "provider"), [("anthropic", "anthropic"), ("openai", "ollama")])
def test_a_package_that_is_not_there_or_too_old_is_named(package, provider, monkeypatch):
    monkeypatch.setattr(inspect_ai._util.version, "version", lambda _: "0.9.0")
    with pytest.raises(inspect_private.PrerequisiteError, match=f"package {package} "):
        inspect_private.require_package(provider)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(inspect_private.PrerequisiteError, match=f"pip install {package}"):
        inspect_private.require_package(provider)


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "openai-api"])
def test_attempts_retries_and_requests_are_seen_and_decided_by_us(provider):
    seen = {"requests": [], "responses": [], "attempts": 0, "errors": []}

    async def request(sent):
        seen["requests"].append(sent.url.host)

    async def response(received):
        seen["responses"].append(received.status_code)

    def count(generate):
        async def attempt(*arguments, **keywords):
            seen["attempts"] += 1
            return await generate(*arguments, **keywords)

        return attempt

    def decide(of_inspect):
        def again(error):
            seen["errors"].append(error)
            return of_inspect(error)

        return again

    with LoopbackServer(in_turn(Status(500), then="ok")) as server:
        address = server.base_url(MODELS[provider].partition("/")[0])
        # Left open, Inspect finds out by a call of its own whether OpenAI's model gives summaries.
        config = GenerateConfig(max_retries=5, reasoning_summary="none")
        model = get_model(MODELS[provider], base_url=address, config=config, memoize=False)
        inspect_private.take_over(
            model,
            logged_address="http://shown",
            wait=wait_none,
            should_retry=decide,
            generate=count,
            on_request=request,
            on_response=response,
        )

        async def ask():
            output = await model.generate("hi")
            await model.api.aclose()
            return output

        assert asyncio.run(ask()).completion == "ok"
        assert len(server.requests) == 2
    assert seen["requests"] == ["127.0.0.1"] * 2
    assert seen["responses"] == [500, 200]
    assert (seen["attempts"], len(seen["errors"])) == (2, 1)
