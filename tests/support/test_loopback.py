import http.client
import json
import socket
import threading
import time

import pytest

from support.loopback import Cut, Hang, LoopbackServer, Page, Reply, Status, ToolCall, in_turn

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


def test_a_reply_on_the_wire_of_anthropic():
    with LoopbackServer(lambda request: Reply(request.prompt.upper(), usage=(7, 3))) as server:
        assert sent(server) == (
            200,
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "m",
                "content": [{"type": "text", "text": "HI"}],
                "stop_reason": "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": 7, "output_tokens": 3},
            },
        )


@pytest.mark.parametrize("path", [CHAT, "/chat/completions"])
def test_a_reply_on_the_wire_of_openai(path):
    with LoopbackServer(["first", Reply("second", usage=(7, 3))]) as server:
        sent(server, path)
        status, body = sent(server, path)
    assert status == 200
    assert body["usage"] == {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    message = {"role": "assistant", "content": "second", "refusal": None}
    assert body["choices"] == [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}]


def test_a_reply_on_the_wire_of_openais_responses():
    with LoopbackServer(lambda request: Reply(request.prompt.upper(), usage=(7, 3))) as server:
        status, body = sent(server, RESPONSES, INPUT)
    assert (status, body["object"], body["model"], body["error"]) == (200, "response", "m", None)
    (message,) = body["output"]
    assert (message["type"], message["role"]) == ("message", "assistant")
    assert message["content"] == [{"type": "output_text", "text": "HI", "annotations": []}]
    usage = body["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == (7, 3, 10)


@pytest.mark.parametrize(
    ("stop", "anthropic", "openai", "response"),
    [
        ("max_tokens", "max_tokens", ("length", "text", None), ("max_output_tokens", "output_text")),
        ("refusal", "refusal", ("stop", None, "text"), (None, "refusal")),
        ("content_filter", "refusal", ("content_filter", "text", None), ("content_filter", "output_text")),
    ],
)
def test_why_a_reply_ended(stop, anthropic, openai, response):
    with LoopbackServer(lambda _: Reply("text", stop=stop)) as server:
        assert sent(server)[1]["stop_reason"] == anthropic
        choice = sent(server, CHAT)[1]["choices"][0]
        body = sent(server, RESPONSES, INPUT)[1]
    reason, kind = response
    status = "incomplete" if reason else "completed"
    assert (body["status"], body["incomplete_details"]) == (status, {"reason": reason} if reason else None)
    assert (body["output"][0]["status"], body["output"][0]["content"][0]["type"]) == (status, kind)
    assert (choice["finish_reason"], choice["message"]["content"], choice["message"]["refusal"]) == openai


def test_calls_of_tools():
    with LoopbackServer(lambda _: Reply(tool_calls=(ToolCall("look", {"at": 1}),))) as server:
        message = sent(server)[1]
        choice = sent(server, CHAT)[1]["choices"][0]
        response = sent(server, RESPONSES, INPUT)[1]
    call = {"type": "function_call", "id": "fc_3_0", "call_id": "call_3_0", "status": "completed"}
    assert response["output"] == [call | {"name": "look", "arguments": '{"at": 1}'}]
    assert message["content"] == [{"type": "tool_use", "id": "toolu_1_0", "name": "look", "input": {"at": 1}}]
    assert (message["stop_reason"], choice["finish_reason"]) == ("tool_use", "tool_calls")
    function = {"name": "look", "arguments": '{"at": 1}'}
    assert choice["message"]["tool_calls"] == [{"id": "call_2_0", "type": "function", "function": function}]


def test_an_empty_reply_has_no_content():
    with LoopbackServer("") as server:
        assert sent(server)[1]["content"] == []
        assert sent(server, CHAT)[1]["choices"][0]["message"]["content"] == ""
        assert sent(server, RESPONSES, INPUT)[1]["output"] == []


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (402, "billing_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (529, "overloaded_error"),
    ],
)
def test_errors_of_all_wires(code, kind):
    with LoopbackServer(lambda _: Status(code, "no")) as server:
        error = {"type": kind, "message": "no"}
        assert sent(server) == (code, {"type": "error", "error": error, "request_id": "req_1"})
        for path, body in ((CHAT, ASKED), (RESPONSES, INPUT)):
            assert sent(server, path, body) == (code, {"error": error | {"param": None, "code": None}})


def test_how_long_to_wait_is_a_header():
    with LoopbackServer([Status(429, retry_after=1.5), Status(429)]) as server:
        assert send(server)[1]["retry-after"] == "1.5"
        assert "retry-after" not in send(server)[1]


def test_a_page_is_no_json():
    with LoopbackServer([Page("<html>", code=502)]) as server:
        status, headers, body = send(server)
    assert (status, headers["content-type"], body) == (502, "text/html", "<html>")


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


def test_a_body_that_is_no_json_is_a_bad_request():
    with LoopbackServer() as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=5)
        connection.request("POST", CHAT, "{", {"authorization": "Bearer k"})
        assert connection.getresponse().status == 400
        connection.close()


@pytest.mark.parametrize(("body", "version"), [({"temperature": 0}, "2023-06-01"), ({}, "2026-10-21")])
def test_both_versions_of_anthropics_api(body, version):
    with LoopbackServer() as server:
        assert send(server, body=ASKED | body, headers=KEYS | {"anthropic-version": version})[0] == 200


def test_what_arrived_is_recorded():
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    with LoopbackServer() as server:
        send(server)
        send(server, CHAT, ASKED | {"messages": [{"content": parts}]}, {"Authorization": "Bearer secret"})
        first, second = server.requests
    assert (first.number, first.path, first.wire, first.key, first.prompt) == (
        1,
        MESSAGES,
        "anthropic",
        "k",
        "hi",
    )
    assert (second.number, second.path, second.wire, second.key) == (2, CHAT, "openai", "secret")
    assert second.prompt == "ab"
    assert first.messages == [("user", "hi")]
    assert first.body == ASKED
    assert first.headers["anthropic-version"] == "2023-06-01"
    assert 0 < first.at_s < second.at_s


def test_what_was_said_on_the_wire_of_openais_responses():
    turns = [
        {"role": "user", "content": [{"type": "input_text", "text": "one"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "two"}]},
    ]
    with LoopbackServer() as server:
        send(server, RESPONSES, INPUT)
        send(server, RESPONSES, INPUT | {"input": turns})
        first, second = server.requests
    assert (first.wire, first.messages, first.prompt) == ("openai-responses", [("user", "hi")], "hi")
    assert (second.messages, second.prompt) == ([("user", "one"), ("assistant", "two")], "two")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (MESSAGES, ASKED | {"system": "be brief"}),
        (MESSAGES, ASKED | {"system": [{"type": "text", "text": "be brief"}]}),
        (CHAT, ASKED | {"messages": [{"role": "system", "content": "be brief"}, *ASKED["messages"]]}),
        (RESPONSES, INPUT | {"instructions": "be brief"}),
    ],
)
def test_instructions_are_the_first_message_on_every_wire(path, body):
    with LoopbackServer() as server:
        send(server, path, body)
    assert server.requests[0].messages == [("system", "be brief"), ("user", "hi")]


def test_behaviours_in_turn():
    then = in_turn("a", Status(500), then=lambda request: str(request.number))
    with LoopbackServer(then) as server:
        said = [sent(server) for _ in range(4)]
    assert [status for status, _ in said] == [200, 500, 200, 200]
    assert [said[i][1]["content"][0]["text"] for i in (0, 2, 3)] == ["a", "3", "4"]


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


@pytest.mark.parametrize("when", ["before", "within"])
def test_a_connection_that_hangs_until_the_client_gives_up(when):
    with LoopbackServer([Hang(when)]) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=0.2)
        with pytest.raises(TimeoutError):
            send(server, connection=connection)
        connection.close()


def test_a_server_that_ends_lets_nobody_hang():
    with socket.socket() as client:
        with LoopbackServer([Hang()]) as server:
            client.connect(("127.0.0.1", int(server.url.rpartition(":")[2])))
            body = json.dumps(ASKED).encode()
            head = f"POST {CHAT} HTTP/1.1\r\nauthorization: Bearer k\r\ncontent-length: {len(body)}\r\n\r\n"
            client.sendall(head.encode() + body)
            while not server.requests:
                time.sleep(0.01)
        client.settimeout(5)
        assert client.recv(1) == b""


def test_connections_stay_open():
    with LoopbackServer() as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=5)
        for _ in range(3):
            assert send(server, connection=connection)[0] == 200
        connection.close()
        assert (len(server.requests), server.connections) == (3, 1)


def test_requests_at_the_same_time_are_counted():
    with LoopbackServer(latency_s=0.3) as server:
        threads = [threading.Thread(target=send, args=[server]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        send(server)
        assert (server.most_at_once, len(server.requests)) == (4, 5)


@pytest.mark.parametrize("behaviour", [Reply("a", after_s=0.2), Status(500, after_s=0.2)])
def test_a_slow_response(behaviour):
    with LoopbackServer([behaviour]) as server:
        begun = time.monotonic()
        send(server)
        assert time.monotonic() - begun >= 0.2


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


def test_an_error_of_the_block_is_not_hidden_by_one_of_the_plan_and_says_it():
    with pytest.raises(LookupError) as error, LoopbackServer(lambda _: 1 / 0) as server:
        send(server)
        raise LookupError
    said = "The plan of the loopback server failed before: ZeroDivisionError('division by zero')"
    assert error.value.__notes__ == [said]


def test_addresses():
    server = LoopbackServer()
    with pytest.raises(RuntimeError, match="within its 'with' block"):
        _ = server.url
    with server:
        assert server.base_url("anthropic") == server.base_url("deepseek") == server.url
        assert server.base_url("ollama") == f"{server.url}/v1"
        variables = server.environment()
        assert server.environment("my-server")["MY_SERVER_BASE_URL"] == f"{server.url}/v1"
    assert variables["ANTHROPIC_BASE_URL"] == variables["OPENAI_BASE_URL"].removesuffix("/v1")
    assert variables["ANTHROPIC_API_KEY"] == variables["DEEPSEEK_API_KEY"] == "not-a-key"


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
