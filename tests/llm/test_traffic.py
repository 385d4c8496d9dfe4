import asyncio
import json
from types import SimpleNamespace

from llm.calls import effective
from tellapart.llm.wire import Wire


def saw(wire, body, **headers):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    asyncio.run(wire.saw(SimpleNamespace(headers=named, content=content)))


def test_parameters_of_requests_without_what_is_said():
    wire = Wire()
    said = {"messages": [], "system": "s", "input": "i", "tools": [], "model": "m", "stream": False}
    saw(wire, {**said, "temperature": 0, "response_format": {"type": "json_schema", "json_schema": {}}})
    saw(wire, {"temperature": 0}, anthropic_version="2023-06-01")
    saw(wire, b"no JSON")
    assert effective(wire) == {
        "anthropic_version": "2023-06-01",
        "response_format": "json_schema",
        "temperature": 0,
    }
    assert wire.requests == 3


def test_of_a_schema_only_the_kind_at_whatever_depth():
    wire = Wire()
    saw(wire, {"text": {"format": {"type": "json_schema", "schema": {"type": "object"}}, "verbosity": "low"}})
    assert effective(wire) == {"text": {"format": "json_schema", "verbosity": "low"}}


def test_a_provider_without_a_client_shows_what_inspect_records():
    wire = Wire()
    wire.called({"model": "m", "messages": [], "temperature": 0, "seed": None})
    assert effective(wire) == {"temperature": 0}


def test_parameters_that_varied_are_all_there():
    wire = Wire()
    for seed in (2, 1, 2):
        wire.called({"seed": seed})
    assert effective(wire) == {"seed": [1, 2]}
