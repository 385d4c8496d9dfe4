"""What the real providers of Inspect send for a call of ours, to the byte, and what is recorded of it."""

import pytest

from llm.calls import MODELS, call, effective
from tellapart.llm.models import key_variable

pytestmark = pytest.mark.usefixtures("keys")

ASKED = [{"role": "user", "content": "Which?"}]
OPENAI = {"messages": ASKED, "max_tokens": 500, "temperature": 0}
EFFECTIVE = {"include": ["reasoning.encrypted_content"], "max_output_tokens": 500, "store": False}
SAID = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Which?"}]}]
RESPONSES = EFFECTIVE | {"input": SAID}
OPENAI_LIKE = ["openai", "openai-api", "deepseek", "ollama"]
SCHEMA = {
    "type": "object",
    "properties": {"selected": {"type": "integer"}},
    "additionalProperties": False,
    "required": ["selected"],
}
# Of no interest to a provider: who connects with what, and Inspect's own number of the request.
TECHNICAL = {"host", "accept", "accept-encoding", "connection", "user-agent", "content-length", "x-irid"}


def body(provider, **asked):
    """The one request, without the name of the model."""
    called = call(MODELS[provider], **asked)
    (request,) = called.server.requests
    assert called.output.completion == "ok"
    sent = dict(request.body)
    assert MODELS[provider].endswith(f"/{sent.pop('model')}")
    return sent, called


def headers(called):
    kept = dict(called.server.requests[0].headers)
    return {name: kept[name] for name in kept if name not in TECHNICAL and "stainless" not in name}


def test_a_judge_call_to_anthropic():
    sent, called = body("anthropic")
    # No cache_control: it would change what is paid for. No tools and no stream are said, not left out.
    judge = {"messages": ASKED, "max_tokens": 500, "temperature": 0}
    assert sent == judge | {"tools": [], "stream": False}
    assert called.server.requests[0].path == "/v1/messages"
    assert headers(called) == {
        "anthropic-version": "2023-06-01",
        "authorization": "Bearer not-a-key",
        "content-type": "application/json",
    }
    assert called.model.requested() == {
        "model": "anthropic/claude-haiku-4-5",
        "base_url": called.model.base_url,
        "temperature": 0,
        "max_tokens": 500,
        "seed": None,
        "reasoning_effort": None,
        "response_schema": False,
        "anthropic_version": "2023-06-01",
    }
    assert effective(called.wire) == {
        "anthropic_version": "2023-06-01",
        "max_tokens": 500,
        "temperature": 0,
    }


@pytest.mark.parametrize(
    ("provider", "path"),
    [
        ("openai", "/v1/chat/completions"),
        ("openai-api", "/v1/chat/completions"),
        ("deepseek", "/chat/completions"),
        ("ollama", "/v1/chat/completions"),
    ],
)
def test_a_judge_call_to_a_server_like_openai(provider, path):
    sent, called = body(provider)
    assert sent == OPENAI
    assert called.server.requests[0].path == path
    key = "ollama" if provider == "ollama" else "not-a-key"
    assert headers(called) == {"authorization": f"Bearer {key}", "content-type": "application/json"}
    assert "anthropic_version" not in called.model.requested()
    assert effective(called.wire) == {"max_tokens": 500, "temperature": 0}


def test_a_judge_call_to_a_model_of_openai_that_thinks():
    sent, called = body("openai-responses", seed=1)
    # The only request: left to itself, Inspect makes one more to see whether thoughts are summarised.
    assert sent == RESPONSES
    assert called.server.requests[0].path == "/v1/responses"
    assert headers(called) == {"authorization": "Bearer not-a-key", "content-type": "application/json"}
    requested = called.model.requested()
    assert (requested["temperature"], requested["max_tokens"], requested["seed"]) == (0, 500, 1)
    assert effective(called.wire) == EFFECTIVE


def test_the_newer_api_of_anthropic_takes_no_temperature_and_no_seed():
    sent, called = body("anthropic", anthropic_version="2026-10-21", seed=1)
    assert sent == {"messages": ASKED, "max_tokens": 500, "tools": [], "stream": False}
    assert headers(called)["anthropic-version"] == "2026-10-21"
    requested = called.model.requested()
    assert (requested["temperature"], requested["seed"]) == (0, 1)
    assert effective(called.wire) == {"anthropic_version": "2026-10-21", "max_tokens": 500}


def test_anthropic_drops_a_seed_without_a_word():
    assert "seed" not in body("anthropic", seed=1)[0]


@pytest.mark.parametrize("provider", OPENAI_LIKE)
def test_others_take_a_seed(provider):
    sent, called = body(provider, seed=1)
    assert sent == OPENAI | {"seed": 1}
    assert effective(called.wire) == {"max_tokens": 500, "temperature": 0, "seed": 1}


def test_a_schema_for_anthropic():
    sent, called = body("anthropic", response_schema=True)
    # Inspect forbids further properties of a number too, which says nothing.
    number = {"type": "integer", "additionalProperties": False}
    schema = SCHEMA | {"properties": {"selected": number}}
    assert sent["output_format"] == {"type": "json_schema", "schema": schema}
    assert headers(called)["anthropic-beta"] == "structured-outputs-2025-11-13"
    assert effective(called.wire)["output_format"] == "json_schema"


@pytest.mark.parametrize("provider", ["openai", "openai-api", "ollama"])
def test_a_schema_for_a_server_like_openai(provider):
    sent, called = body(provider, response_schema=True)
    schema = {"name": "Choice", "schema": SCHEMA, "description": None, "strict": True}
    assert sent == OPENAI | {"response_format": {"type": "json_schema", "json_schema": schema}}
    assert effective(called.wire)["response_format"] == "json_schema"


def test_deepseek_is_only_told_to_reply_with_json():
    sent, called = body("deepseek", response_schema=True)
    assert sent == OPENAI | {"response_format": {"type": "json_object"}}
    assert effective(called.wire)["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize(
    ("provider", "sent"),
    [
        ("openai", {}),
        ("openai-api", {"reasoning_effort": "low"}),
        ("deepseek", {"reasoning_effort": "low"}),
        ("ollama", {"reasoning": {"effort": "low"}}),
    ],
)
def test_reasoning_effort_in_the_words_of_each_provider(provider, sent):
    found, called = body(provider, reasoning_effort="low")
    assert found == OPENAI | sent
    assert called.model.requested()["reasoning_effort"] == "low"
    assert effective(called.wire) == {"max_tokens": 500, "temperature": 0} | sent


def test_anthropic_thinks_without_a_temperature_and_streams():
    sent, called = body("anthropic", reasoning_effort="low", max_tokens=8000)
    assert sent.pop("thinking")["type"] == "enabled"
    assert sent == {"messages": ASKED, "max_tokens": 8000, "tools": [], "stream": True}
    assert called.model.requested()["temperature"] == 0


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
