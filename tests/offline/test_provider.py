import asyncio
import time
from importlib import import_module

import anyio
import pytest

from llm.calls import effective
from tellapart.errors import UsageError
from tellapart.llm.connection import connect
from tellapart.llm.failures import failure_of, failure_of_output
from tellapart.llm.models import LanguageModel


@pytest.fixture
def respond():
    """Register a model, beside no other until the test ends."""
    # Loaded by the first connection otherwise, with its models among those of the first test.
    import_module("tellapart.inspect_registry")
    from tellapart.offline.responders import RESPONDERS, respond

    kept = dict(RESPONDERS)
    RESPONDERS.clear()
    yield respond
    RESPONDERS.clear()
    RESPONDERS.update(kept)


def generate(name, prompt="twelve chars", **asked):
    connected, wire = connect(LanguageModel(f"offline/{name}", **asked), max_connections=1)
    return asyncio.run(connected.generate(prompt)), wire


def test_a_function_replies(respond):
    respond("shout")(str.upper)
    output, wire = generate("shout", seed=3)
    assert (output.completion, output.model, output.stop_reason) == ("TWELVE CHARS", "shout", "stop")
    assert (output.usage.input_tokens, output.usage.output_tokens, output.usage.total_tokens) == (3, 3, 6)
    assert effective(wire) == {"temperature": 0, "max_tokens": 500, "seed": 3}


def test_a_part_of_a_token_is_one(respond):
    respond("short")(lambda _: "abcde")
    usage = generate("short", "a")[0].usage
    assert (usage.input_tokens, usage.output_tokens) == (1, 2)


def test_the_last_function_of_a_name_replies(respond):
    respond("same")(lambda _: "first")
    respond("same")(lambda _: "second")
    assert generate("same")[0].completion == "second"


def test_a_function_may_take_its_time(respond):
    @respond("slow")
    async def slow(prompt):
        await anyio.sleep(0.2)
        return prompt[:6]

    begun = time.monotonic()
    assert generate("slow")[0].completion == "twelve"
    assert time.monotonic() - begun >= 0.2


def test_as_slow_as_a_network(respond):
    respond("far", latency_s=0.2)(lambda _: "ok")
    begun = time.monotonic()
    assert generate("far")[0].completion == "ok"
    assert time.monotonic() - begun >= 0.2


def test_a_function_may_refuse_with_usage_of_its_own(respond):
    from inspect_ai.model import ModelOutput, ModelUsage

    @respond("refuses")
    def refuses(_):
        output = ModelOutput.from_content("m", "no", stop_reason="content_filter")
        output.usage = ModelUsage(input_tokens=7, output_tokens=1, total_tokens=8)
        return output

    output, _ = generate("refuses")
    assert failure_of_output(output).kind == "refusal"
    assert output.usage.total_tokens == 8


def test_a_function_may_read_the_whole_conversation(respond):
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    from tellapart.offline import respond_to_all

    seen = []

    @respond_to_all("listener", latency_s=0.2)
    async def listener(turns):
        seen.extend(turns)
        return turns[1][1]

    said = [
        ChatMessageSystem(content="be brief"),
        ChatMessageUser(content="one"),
        ChatMessageAssistant(content="two"),
        ChatMessageUser(content="three"),
    ]
    begun = time.monotonic()
    assert generate("listener", said)[0].completion == "one"
    assert time.monotonic() - begun >= 0.2
    assert seen == [("system", "be brief"), ("user", "one"), ("assistant", "two"), ("user", "three")]


def test_a_function_may_fail(respond):
    @respond("fails")
    def fails(_):
        raise ConnectionResetError("gone")

    with pytest.raises(ConnectionResetError) as error:
        generate("fails")
    assert failure_of(error.value).kind == "connection"


def test_a_name_that_there_is_not(respond):
    respond("overlap")(str)
    respond("first")(str)
    with pytest.raises(UsageError) as error:
        generate("overlop")
    assert str(error.value) == (
        "there is no model 'offline/overlop'. Did you mean 'offline/overlap'? "
        "There are: offline/overlap, offline/first."
    )
