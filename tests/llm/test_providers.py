"""What the real providers of Inspect send for a call of ours, to the byte, and what is recorded of it."""

import pytest

from llm.calls import MODELS, call, effective
from tellapart.llm.models import key_variable

pytestmark = pytest.mark.usefixtures("keys")

ASKED = [{"role": "user", "content": "Which?"}]
# No cache_control: it would change what is paid for. No tools and no stream are said, not left out.
ANTHROPIC = {"messages": ASKED, "max_tokens": 500, "tools": [], "stream": False}
OPENAI = {"messages": ASKED, "max_tokens": 500, "temperature": 0}
SAID = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Which?"}]}]
RESPONSES = {"include": ["reasoning.encrypted_content"], "max_output_tokens": 500, "store": False}
ZERO, OLD, NEW = {"temperature": 0}, {"anthropic_version": "2023-06-01"}, {"anthropic_version": "2026-10-21"}
KEPT = {"max_tokens": 500} | ZERO
SCHEMA = {"type": "object", "properties": {"selected": {"type": "integer"}}, "required": ["selected"]}
SCHEMA |= {"additionalProperties": False}
# Inspect forbids further properties of a number too, which says nothing.
NUMBER = {"properties": {"selected": {"type": "integer", "additionalProperties": False}}}
TYPED, JSON = {"response_schema": True}, {"response_format": {"type": "json_object"}}
FORMAT = {"name": "Choice", "schema": SCHEMA, "description": None, "strict": True}
OPENAI_LIKE = dict.fromkeys(("openai", "openai-api", "ollama"), "/v1/chat/completions")
OPENAI_LIKE |= {"deepseek": "/chat/completions"}
LOW = {"reasoning_effort": "low"}
EFFORT = {"openai": {}, "openai-api": LOW, "deepseek": LOW, "ollama": {"reasoning": {"effort": "low"}}}
# Of no interest to a provider: who connects with what, and Inspect's own number of the request.
TECHNICAL = {"host", "accept", "accept-encoding", "connection", "user-agent", "content-length", "x-irid"}

# Provider, what is asked, what goes out, and which of that is recorded as it is or in a word.
CALLS = [
    ("anthropic", {}, ANTHROPIC | ZERO, KEPT | OLD),
    # It drops a seed without a word, and the newer API takes no temperature.
    ("anthropic", {"seed": 1}, ANTHROPIC | ZERO, KEPT | OLD),
    ("anthropic", NEW | {"seed": 1}, ANTHROPIC, NEW | {"max_tokens": 500}),
    (
        "anthropic",
        TYPED,
        ANTHROPIC | ZERO | {"output_format": {"type": "json_schema", "schema": SCHEMA | NUMBER}},
        KEPT | OLD | {"output_format": "json_schema"},
    ),
    *((name, {}, OPENAI, KEPT) for name in OPENAI_LIKE),
    ("openai", {"seed": 1}, OPENAI | {"seed": 1}, KEPT | {"seed": 1}),
    *(
        (
            name,
            TYPED,
            OPENAI | {"response_format": {"type": "json_schema", "json_schema": FORMAT}},
            KEPT | {"response_format": "json_schema"},
        )
        for name in ("openai", "ollama")
    ),
    # It is only told to reply with JSON.
    ("deepseek", TYPED, OPENAI | JSON, KEPT | JSON),
    *((name, LOW, OPENAI | sent, KEPT | sent) for name, sent in EFFORT.items()),
    # The only request: left to itself, Inspect makes one more to see whether thoughts are summarised.
    ("openai-responses", {"seed": 1}, RESPONSES | {"input": SAID}, RESPONSES),
]


@pytest.mark.parametrize(("provider", "asked", "body", "recorded"), CALLS)
def test_what_goes_out_and_what_is_recorded(provider, asked, body, recorded):
    called = call(MODELS[provider], **asked)
    (request,) = called.server.requests
    sent = dict(request.body)
    assert MODELS[provider].endswith(f"/{sent.pop('model')}")
    assert (called.output.completion, sent) == ("ok", body)
    assert effective(called.wire) == recorded
    requested = called.model.requested()
    assert requested.items() >= ({"temperature": 0, "max_tokens": 500} | asked).items()
    assert ("anthropic_version" in requested) == (provider == "anthropic")


def headers(called):
    kept = dict(called.server.requests[0].headers)
    return {name: kept[name] for name in kept if name not in TECHNICAL and "stainless" not in name}


@pytest.mark.parametrize(
    ("provider", "path"),
    [("anthropic", "/v1/messages"), ("openai-responses", "/v1/responses"), *OPENAI_LIKE.items()],
)
def test_where_it_goes_and_with_which_key_and_version(provider, path):
    called = call(MODELS[provider])
    assert called.server.requests[0].path == path
    key = "ollama" if provider == "ollama" else "not-a-key"
    version = {"anthropic-version": OLD["anthropic_version"]} if provider == "anthropic" else {}
    sent = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    assert headers(called) == sent | version


def test_anthropic_thinks_without_a_temperature_and_streams():
    called = call(MODELS["anthropic"], reasoning_effort="low", max_tokens=8000)
    sent = dict(called.server.requests[0].body)
    assert (sent.pop("thinking")["type"], sent.pop("model")) == ("enabled", "claude-haiku-4-5")
    assert sent == ANTHROPIC | {"max_tokens": 8000, "stream": True}


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("anthropic/m", "ANTHROPIC_API_KEY"),
        ("openai-api/my-server/m", "MY_SERVER_API_KEY"),
        ("ollama/m", None),
        ("offline/m", None),
    ],
)
def test_where_a_key_is_looked_for(name, variable):
    assert key_variable(name) == variable
