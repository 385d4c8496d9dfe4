"""Whatever a provider does ends as a kind of its own: through the real ones, the journal and the session."""

import json
from types import SimpleNamespace

import pytest
from inspect_ai.log import read_eval_log

from llm.calls import MODELS, Choice, at
from support.loopback import Cut, LoopbackServer, Page, Reply, Status
from tellapart.errors import ProviderError
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.failures import failure_of
from tellapart.llm.questions import Question
from tellapart.llm.run_models import RunCalls

pytestmark = pytest.mark.usefixtures("keys")

WHOLE = '{"selected": 1}'
BEHAVIOURS = {
    "429": (Status(429), "provider", "rate_limit", 2),
    "500": (Status(500), "provider", "server_error", 2),
    "529": (Status(529), "provider", "overloaded", 2),
    "503": (Status(503), "provider", "overloaded", 2),
    "a proxy": (Page("<html>", code=502), "provider", "server_error", 2),
    "cut before": (Cut("before"), "provider", "connection", 2),
    "cut within": (Cut("within"), "provider", "connection", 2),
    "408": (Status(408), "timeout", "timeout", 2),
    "400": (Status(400), "provider", "bad_request", 1),
    "too long (Anthropic)": (Status(400, "prompt is too long: 9 > 3"), "truncated", "context_length", 1),
    "too long (vLLM)": (Status(400, "maximum context length is 3"), "truncated", "context_length", 1),
    "too long (OpenAI)": (Status(400, type="context_length_exceeded"), "truncated", "context_length", 1),
    "413": (Status(413), "truncated", "context_length", 1),
    "refusal": (Reply(WHOLE, stop="refusal"), "refusal", "refusal", 1),
    "filter": (Reply(WHOLE, stop="content_filter"), "refusal", "refusal", 1),
    # A whole answer, and still not read: what came after it is not known.
    "max_tokens": (Reply(WHOLE, stop="max_tokens"), "truncated", "max_tokens", 1),
    # What can be said better is asked once more.
    "empty": (Reply(""), "parse", "empty", 2),
    "half": (Reply('{"selected": '), "parse", "not_json", 2),
    "more": (Reply('{"selected": 1, "why": ""}'), "parse", "schema", 2),
    "another choice": (Reply('{"selected": 3}'), "parse", "out_of_range", 2),
}
ANSWERED = 3


def in_range(choice):
    return None if choice.selected in (1, 2) else f"'selected' is {choice.selected}, expected 1 or 2"


WIRES = ["anthropic", "openai", "openai-responses"]


def first_message(request):
    return request.messages[0][1]


def provider_of(wire):
    return MODELS[wire].partition("/")[0]


def respond(request):
    planned = BEHAVIOURS.get(first_message(request))
    return planned[0] if planned else WHOLE


def ask(directory, model, *questions, limits=NO_LIMITS):
    """The answers by id; read before the journal is closed."""
    with RunCalls(directory, limits, logs="logs").opened() as calls:
        return dict(calls.ask(questions, model).by_id)


@pytest.mark.slow
@pytest.mark.parametrize("wire", WIRES[::2])
def test_every_failure_is_of_its_own_kind_and_none_is_an_answer(wire, tmp_path):
    prompts = [*(f"question {i}" for i in range(ANSWERED)), *BEHAVIOURS]
    questions = [Question(f"q{i}", prompt, Choice, in_range) for i, prompt in enumerate(prompts)]
    with LoopbackServer(respond) as server:
        limits = Limits(max_connections=len(questions), max_failures=0)
        answers = ask(tmp_path, at(server, MODELS[wire]), *questions, limits=limits)
        found = {question.prompt: answers[question.id] for question in questions}
        failed = {prompt: answer.failure for prompt, answer in found.items() if answer.failure}
    expected = {prompt: (cause, kind) for prompt, (_, cause, kind, _) in BEHAVIOURS.items()}
    assert {prompt: (failure.cause, failure.kind) for prompt, failure in failed.items()} == expected
    assert all(failure.detail for prompt, failure in failed.items() if prompt != "empty")
    assert [answer.value for answer in found.values() if answer.value] == [Choice(selected=1)] * ANSWERED
    arrived = [first_message(request) for request in server.requests]
    requests = {prompt: planned[3] for prompt, planned in BEHAVIOURS.items()}
    assert {prompt: arrived.count(prompt) for prompt in BEHAVIOURS} == requests


def response(**said):
    text = {"type": "output_text", "text": WHOLE, "annotations": []}
    message = {"id": "msg_1", "type": "message", "role": "assistant"}
    message |= {"status": "incomplete", "content": [text]}
    whole = {"id": "resp_1", "object": "response", "model": "gpt-5-mini", "output": [message], **said}
    return Page(json.dumps(whole), content_type="application/json")


def failed(code):
    return response(status="failed", error={"code": code, "message": "no"}, output=[])


HALF = response(status="incomplete", incomplete_details={"reason": "anything new"})
# What arrives with status 200, and what Inspect would take for a whole reply.
RESPONSES = {
    "rate limit": (failed("rate_limit_exceeded"), "provider", "rate_limit", 2),
    "server error": (failed("server_error"), "provider", "server_error", 2),
    "prompt": (failed("invalid_prompt"), "refusal", "refusal", 1),
    "too long": (failed("context_length_exceeded"), "truncated", "context_length", 1),
    "incomplete": (HALF, "truncated", "max_tokens", 1),
}


@pytest.mark.parametrize(("page", "cause", "kind", "requests"), RESPONSES.values(), ids=RESPONSES)
def test_responses_that_failed_or_are_incomplete(page, cause, kind, requests, tmp_path):
    with LoopbackServer(lambda _: page) as server:
        model = at(server, MODELS["openai-responses"])
        failure = ask(tmp_path, model, Question("q", "Which?", Choice))["q"].failure
    assert (failure.cause, failure.kind) == (cause, kind)
    assert len(server.requests) == requests


HOPELESS = [
    (Status(401, "bad key"), "does not accept the key (401 authentication_error: bad key). Set {key} to"),
    (Status(402, "broke"), "has no credit left (402 billing_error: broke). Add credit, or set {key} to"),
    (
        Status(429, "broke", type="insufficient_quota"),
        "has no credit left (429 insufficient_quota: broke). Add credit, or set {key} to a key",
    ),
    (Status(403, "no"), "does not allow this (403 permission_error: no). Set {key} to a key that may"),
    (Status(404, "m?"), "does not know this model (404 not_found_error: m?). Check the model's name"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wire", "status", "says"),
    [(WIRES[i % len(WIRES)], status, says) for i, (status, says) in enumerate(HOPELESS)],
)
def test_what_would_fail_every_time_is_asked_no_further(wire, status, says, tmp_path):
    questions = [Question(f"q{i}", f"question {i}", Choice) for i in range(30)]
    with LoopbackServer(lambda _: status) as server, pytest.raises(ProviderError) as error:
        ask(tmp_path, at(server, MODELS[wire]), *questions, limits=Limits(max_connections=2))
    said, key = str(error.value), f"{provider_of(wire).upper()}_API_KEY"
    assert f"{MODELS[wire]}: the provider {says.format(key=key)}" in said
    assert said.endswith("What was answered is kept, and the same command continues from there.")
    assert 1 <= len(server.requests) <= 2


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RuntimeError("of our own making"), "server_error"),
        (type("ReadTimeout", (Exception,), {})(), "timeout"),
        (type("RemoteProtocolError", (Exception,), {})(), "connection"),
        (type("Google", (Exception,), {"code": 429})(), "rate_limit"),
        (type("Other", (Exception,), {"code": 7})(), "server_error"),
        (type("Aws", (Exception,), {"response": SimpleNamespace(status_code=400)})(), "bad_request"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_of_other_providers(error, kind):
    assert failure_of(error).kind == kind


@pytest.mark.parametrize("wire", WIRES[:2])
def test_prompts_are_not_sent_to_another_server(wire, tmp_path, monkeypatch):
    key = "sk-proj-Zq7Lw2Nf9Tb4Rk8Vd3Hm6Ys1Gc5Px0Wj"
    monkeypatch.setenv(f"{provider_of(wire).upper()}_API_KEY", key)
    with LoopbackServer() as other:
        moved = Status(307, f"moved, {key}", location=f"{other.url}/v1/messages")
        with LoopbackServer([moved] * 3) as server, pytest.raises(ProviderError) as caught:
            ask(tmp_path, at(server, MODELS[wire]), Question("q", "private code", Choice))
    assert other.requests == [] and len(server.requests) == 1
    assert f"redirects to {moved.location}, another server, to which nothing was sent" in str(caught.value)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and key.encode() in _unpacked(path)] == []


@pytest.mark.parametrize("wire", WIRES[:2])
def test_a_key_that_comes_back_in_replies_and_errors_is_in_no_file(wire, tmp_path, monkeypatch):
    key = "sk-proj-Zq7Lw2Nf9Tb4Rk8Vd3Hm6Ys1Gc5Px0Wj"
    monkeypatch.setenv(f"{provider_of(wire).upper()}_API_KEY", key)
    says = [f"my key is {key}", Status(400, f"wrong: Bearer {key}"), Status(500, f"broken at {key}")]
    with LoopbackServer(says) as server:
        questions = [Question(f"q{i}", f"question {i}", Choice) for i in range(4)]
        model = at(server, MODELS[wire], max_retries=1, first_wait_s=0.01)
        ask(tmp_path, model, *questions)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".eval" for path in files)
    assert [path for path in files if key.encode() in _unpacked(path)] == []
    assert b"my key is (secret)" in (tmp_path / "calls.db").read_bytes()


def _unpacked(path):
    return read_eval_log(path).model_dump_json().encode() if path.suffix == ".eval" else path.read_bytes()
