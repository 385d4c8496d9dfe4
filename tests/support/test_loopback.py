import http.client
import json

import pytest

from support.loopback import Cut, LoopbackServer, Reply, ToolCall

ASKED = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
MESSAGES, CHAT, RESPONSES = "/v1/messages", "/v1/chat/completions", "/v1/responses"
INPUT = {"model": "m", "max_output_tokens": 16, "input": "hi"}
KEYS = {"x-api-key": "k", "anthropic-version": "2023-06-01"}


def send(server, path=MESSAGES, body=ASKED, headers=KEYS, connection=None):
    """Status, headers and body of a response."""
    own = connection or http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=5)
    try:
        own.request("POST", path, json.dumps(body), dict(headers))
        response = own.getresponse()
        return response.status, dict(response.getheaders()), response.read().decode()
    finally:
        if connection is None:
            own.close()


def sent(*arguments, **keywords):
    status, _, body = send(*arguments, **keywords)
    return status, json.loads(body)


@pytest.mark.parametrize(
    ("body", "headers", "path", "code", "message"),
    [
        ({}, {"anthropic-version": "2023-06-01"}, MESSAGES, 401, "no API key was sent"),
        ({}, {"authorization": "Bearer "}, CHAT, 401, "no API key was sent"),
        ({"model": None}, {}, CHAT, 400, "model: field required"),
        ({"messages": []}, {}, MESSAGES, 400, "messages: field required"),
        ({"max_tokens": None}, {}, MESSAGES, 400, "max_tokens: field required"),
        ({}, {"anthropic-version": "2024-01-01"}, MESSAGES, 400, "'2024-01-01' is not a valid version"),
        ({"temperature": 0}, {"anthropic-version": "2026-10-21"}, MESSAGES, 400, "temperature: extra inputs"),
        ({"thinking": {"type": "enabled", "budget_tokens": 9}}, {}, MESSAGES, 400, "must be greater"),
        ({"thinking": {"type": "adaptive"}, "temperature": 0}, {}, MESSAGES, 400, "only be set to 1"),
        ({}, {}, "/v1/elsewhere", 404, "nothing at /v1/elsewhere"),
    ],
)
def test_what_no_provider_would_take(body, headers, path, code, message):
    own = headers if code == 401 else KEYS | headers
    with LoopbackServer() as server:
        status, _, said = send(server, path, ASKED | body, own)
        assert status == code
        assert message in said
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"input": []}, "input: field required"),
        ({"messages": [{}]}, "'messages' has moved to 'input'"),
        ({"max_tokens": 16}, "'max_tokens' has moved to 'max_output_tokens'"),
        ({"max_output_tokens": 15}, "max_output_tokens is 15, expected a value >= 16"),
        ({"model": "gpt-5-mini", "temperature": 0}, "'temperature' is not supported with this model"),
        ({"model": "o3", "temperature": 0}, "'temperature' is not supported with this model"),
    ],
)
def test_what_openais_responses_would_not_take(body, message):
    with LoopbackServer() as server:
        status, _, said = send(server, RESPONSES, INPUT | body)
    assert status == 400
    assert message in said


@pytest.mark.parametrize("model", ["gpt-5.1", "gpt-4o"])
def test_models_of_openais_responses_that_take_a_temperature(model):
    with LoopbackServer() as server:
        assert send(server, RESPONSES, INPUT | {"model": model, "temperature": 0})[0] == 200


@pytest.mark.parametrize("path", [MESSAGES, CHAT, RESPONSES])
@pytest.mark.parametrize("stream", [False, True])
def test_a_connection_that_is_cut(path, stream):
    body = (INPUT if path == RESPONSES else ASKED) | {"stream": stream}
    with LoopbackServer([Cut("before"), Cut("within"), "whole"]) as server:
        with pytest.raises(http.client.RemoteDisconnected):
            send(server, path, body)
        with pytest.raises(http.client.IncompleteRead) as cut:
            send(server, path, body)
        assert cut.value.partial
        assert send(server, path, body)[0] == 200


def test_an_error_of_the_plan_comes_out_and_is_told_at_once(caplog):
    def respond(request):
        raise KeyError(request.prompt)

    with pytest.raises(KeyError, match="hi"), LoopbackServer(respond) as server:
        status, body = sent(server)
        assert status == 500
        assert body["error"]["message"] == "the plan of the loopback server failed: KeyError('hi')"
        (told,) = caplog.records
        assert (told.name, told.levelname) == ("support.loopback", "ERROR")
        assert told.getMessage() == "the plan of the loopback server failed on request 1"
        assert "in respond" in caplog.text


def test_streams_as_the_clients_read_them():
    anthropic, openai = pytest.importorskip("anthropic"), pytest.importorskip("openai")
    reply = Reply("some text", stop="end", tool_calls=(ToolCall("look", {"at": 1}),), usage=(7, 3))
    messages = ASKED["messages"]
    with (
        LoopbackServer(lambda _: reply) as server,
        anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0) as one,
        openai.OpenAI(api_key="k", base_url=server.base_url("openai"), max_retries=0) as other,
    ):
        with one.messages.stream(model="m", max_tokens=9, messages=messages) as stream:
            message = stream.get_final_message()
        chunks = list(other.chat.completions.create(model="m", messages=messages, stream=True))
        with other.responses.stream(model="m", input="hi") as stream:
            kinds = [event.type for event in stream]
            response = stream.get_final_response()
    assert (response.output_text, response.usage.output_tokens) == ("some text", 3)
    assert [item.type for item in response.output] == ["message", "function_call"]
    assert response.output[1].arguments == '{"at": 1}'
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    assert {"response.output_text.delta", "response.function_call_arguments.delta"} <= set(kinds)
    assert [block.type for block in message.content] == ["text", "tool_use"]
    assert (message.content[0].text, message.content[1].input) == ("some text", {"at": 1})
    assert (message.stop_reason, message.usage.output_tokens) == ("tool_use", 3)
    delta = chunks[0].choices[0].delta
    assert (delta.content, delta.tool_calls[0].function.arguments) == ("some text", '{"at": 1}')
    assert chunks[1].choices[0].finish_reason == "tool_calls"
    assert chunks[2].usage.total_tokens == 10
