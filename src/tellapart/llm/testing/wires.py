"""Bodies of responses as Anthropic's Messages API and OpenAI's chat completions write them, and of errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tellapart.llm.testing.behaviours import Reply, Request, Status
from tellapart.llm.testing.responses_wire import response_events, response_object, responses_objection

ANTHROPIC_VERSIONS = ("2023-06-01", "2026-10-21")
"""Versions of the Messages API; the later one no longer takes ``temperature``, ``top_p`` and ``top_k``."""

_SAMPLING = ("temperature", "top_p", "top_k")

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Response:
    """What goes back over HTTP.

    Attributes:
        code: HTTP status.
        parts: The body; several parts are the events of a stream and travel as one chunk each.
        headers: All but the length.
    """

    code: int
    parts: list[bytes]
    headers: Mapping[str, str]


def objection(request: Request) -> Status | None:
    """Say what a real provider would not accept about a request, or None."""
    if request.key is None:
        return Status(401, "no API key was sent")
    field = "input" if request.wire == "openai-responses" else "messages"
    missing = [name for name in ("model", field) if not request.body.get(name)]
    if missing:
        return Status(400, f"{', '.join(missing)}: field required")
    if request.wire == "openai-responses":
        return responses_objection(request)
    return _anthropic_objection(request) if request.wire == "anthropic" else None


def _anthropic_objection(request: Request) -> Status | None:
    version = request.headers.get("anthropic-version")
    if version not in ANTHROPIC_VERSIONS:
        return Status(400, f"anthropic-version: {version!r} is not a valid version")
    if not request.body.get("max_tokens"):
        return Status(400, "max_tokens: field required")
    extra = [name for name in _SAMPLING if name in request.body]
    if version == ANTHROPIC_VERSIONS[-1] and extra:
        return Status(400, f"{', '.join(extra)}: extra inputs are not permitted")
    return _thinking_objection(request.body)


def _thinking_objection(body: Mapping[str, Any]) -> Status | None:
    thinking = body.get("thinking") or {}
    if thinking.get("type") in ("enabled", "adaptive") and body.get("temperature", 1) != 1:
        return Status(400, "temperature may only be set to 1 when thinking is enabled")
    if thinking.get("budget_tokens", 0) >= body["max_tokens"]:
        return Status(400, "max_tokens must be greater than thinking.budget_tokens")
    return None


def error_response(request: Request, status: Status) -> Response:
    """Write an error."""
    kind = status.type or _TYPES.get(status.code, "api_error")
    error: dict[str, Any] = {"type": kind, "message": status.message}
    if request.wire == "anthropic":
        body: dict[str, Any] = {"type": "error", "error": error, "request_id": f"req_{request.number}"}
    else:
        body = {"error": error | {"param": None, "code": status.type}}
    headers = {} if status.retry_after is None else {"retry-after": f"{status.retry_after:g}"}
    return Response(status.code, [json.dumps(body).encode()], {"content-type": "application/json", **headers})


def reply_response(request: Request, reply: Reply) -> Response:
    """Write a reply, as a stream of events if the request asked for that."""
    write, write_events = _WRITERS[request.wire]
    whole = write(request, reply, _usage(request, reply))
    if not request.body.get("stream"):
        return Response(200, [json.dumps(whole).encode()], {"content-type": "application/json"})
    return Response(200, write_events(whole), {"content-type": "text/event-stream"})


def _usage(request: Request, reply: Reply) -> tuple[int, int]:
    if reply.usage is not None:
        return reply.usage
    messages = request.body.get("input") or request.body["messages"]
    return len(json.dumps(messages)) // 4 + 1, len(reply.text) // 4 + 1


def _anthropic_message(request: Request, reply: Reply, usage: tuple[int, int]) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for i, call in enumerate(reply.tool_calls):
        name = f"toolu_{request.number}_{i}"
        content.append({"type": "tool_use", "id": name, "name": call.name, "input": dict(call.arguments)})
    stop = {"end": "end_turn", "content_filter": "refusal"}.get(reply.stop, reply.stop)
    return {
        "id": f"msg_{request.number}",
        "type": "message",
        "role": "assistant",
        "model": request.body["model"],
        "content": content,
        "stop_reason": "tool_use" if reply.tool_calls else stop,
        "stop_sequence": None,
        "usage": _anthropic_usage(usage, reply.cached),
    }


def _anthropic_usage(usage: tuple[int, int], cached: tuple[int, int] | None) -> dict[str, int]:
    """Tokens in that have nothing to do with a cache are counted apart from those that do."""
    (sent, back), (read, written) = usage, cached or (0, 0)
    counts = {"input_tokens": sent - read - written, "output_tokens": back}
    if cached is None:
        return counts
    return counts | {"cache_read_input_tokens": read, "cache_creation_input_tokens": written}


def _anthropic_events(message: dict[str, Any]) -> list[bytes]:
    begun = message | {"content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}]
    for i, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": i, "content_block": start},
            {"type": "content_block_delta", "index": i, "delta": delta},
            {"type": "content_block_stop", "index": i},
        ]
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": message["usage"]["output_tokens"]}
    events += [{"type": "message_delta", "delta": ended, "usage": usage}, {"type": "message_stop"}]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]


def _completion(request: Request, reply: Reply, usage: tuple[int, int]) -> dict[str, Any]:
    refused = reply.stop == "refusal"
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if refused else reply.text,
        "refusal": reply.text if refused else None,
    }
    if reply.tool_calls:
        message["tool_calls"] = [
            {
                "id": f"call_{request.number}_{i}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for i, call in enumerate(reply.tool_calls)
        ]
    stop = {"end": "stop", "refusal": "stop", "max_tokens": "length"}.get(reply.stop, reply.stop)
    return {
        "id": f"chatcmpl-{request.number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": request.body["model"],
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": "tool_calls" if reply.tool_calls else stop,
            }
        ],
        "usage": _completion_usage(usage, reply.cached),
    }


def _completion_usage(usage: tuple[int, int], cached: tuple[int, int] | None) -> dict[str, Any]:
    """With a cache as DeepSeek counts it too, where what was not in the cache is what went into it."""
    sent, back = usage
    counts = {"prompt_tokens": sent, "completion_tokens": back, "total_tokens": sent + back}
    if cached is None:
        return counts
    own = {"prompt_cache_hit_tokens": cached[0], "prompt_cache_miss_tokens": sent - cached[0]}
    return counts | own | {"prompt_tokens_details": {"cached_tokens": cached[0]}}


def _chunks(whole: dict[str, Any]) -> list[bytes]:
    choice = whole["choices"][0]
    delta = {name: value for name, value in choice["message"].items() if value is not None}
    if "tool_calls" in delta:
        delta["tool_calls"] = [call | {"index": i} for i, call in enumerate(delta["tool_calls"])]
    top = {name: whole[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    chunks: list[dict[str, Any]] = [
        top | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        top | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
        top | {"choices": [], "usage": whole["usage"]},
    ]
    return [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks] + [b"data: [DONE]\n\n"]


_WRITERS = {
    "anthropic": (_anthropic_message, _anthropic_events),
    "openai": (_completion, _chunks),
    "openai-responses": (response_object, response_events),
}
