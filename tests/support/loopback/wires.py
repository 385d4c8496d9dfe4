"""Bodies of responses as Anthropic's Messages API and OpenAI's chat completions write them, and of errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from support.loopback.behaviours import Reply, Request, Status

SHORTEST_REPLY = 16
"""The least that ``max_output_tokens`` may be."""

# They think before every reply, and then take no temperature.
_THINKS = re.compile(r"o\d|gpt-5(?![.\d])")
_MOVED = {
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "messages": "input",
    "response_format": "text.format",
}
_INCOMPLETE = {"max_tokens": "max_output_tokens", "content_filter": "content_filter"}


def responses_objection(request: Request) -> Status | None:
    """Say what OpenAI would not accept about a request for a response, or None."""
    for name, now in _MOVED.items():
        if name in request.body:
            return Status(400, f"Unsupported parameter: {name!r} has moved to {now!r} in the Responses API")
    limit = request.body.get("max_output_tokens")
    if limit is not None and limit < SHORTEST_REPLY:
        return Status(400, f"max_output_tokens is {limit}, expected a value >= {SHORTEST_REPLY}")
    if request.body.get("temperature") is not None and _THINKS.match(str(request.body["model"])):
        return Status(400, "Unsupported parameter: 'temperature' is not supported with this model")
    return None


def response_object(request: Request, reply: Reply, usage: tuple[int, int]) -> dict[str, Any]:
    """Write a reply; ``usage`` is tokens in and out. Where there is no text, there is no message."""
    reason = _INCOMPLETE.get(reply.stop)
    output = [_message(request, reply)] if reply.text else []
    for i, call in enumerate(reply.tool_calls):
        output.append(
            {
                "id": f"fc_{request.number}_{i}",
                "type": "function_call",
                "status": "completed",
                "call_id": f"call_{request.number}_{i}",
                "name": call.name,
                "arguments": json.dumps(dict(call.arguments)),
            }
        )
    sent, back = usage
    fixed = {"object": "response", "created_at": 1_700_000_000, "error": None}
    tools = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    cached = {"cached_tokens": (reply.cached or (0, 0))[0], "cache_write_tokens": 0}
    tokens = {"input_tokens": sent, "output_tokens": back, "total_tokens": sent + back}
    details = {"input_tokens_details": cached, "output_tokens_details": {"reasoning_tokens": 0}}
    state = {"status": "incomplete" if reason else "completed", "usage": tokens | details}
    state |= {"incomplete_details": {"reason": reason} if reason else None}
    about = {"id": f"resp_{request.number}", "model": request.body["model"], "output": output}
    return about | fixed | tools | state


def response_events(whole: dict[str, Any]) -> list[bytes]:
    """Write a response as a stream of events."""
    begun = whole | {"status": "in_progress", "output": [], "incomplete_details": None, "usage": None}
    events = [{"type": "response.created", "response": begun}]
    for i, item in enumerate(whole["output"]):
        events += _item_events(i, item)
    events.append({"type": f"response.{whole['status']}", "response": whole})
    numbered = [event | {"sequence_number": i} for i, event in enumerate(events)]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in numbered]


def _message(request: Request, reply: Reply) -> dict[str, Any]:
    if reply.stop == "refusal":
        part: dict[str, Any] = {"type": "refusal", "refusal": reply.text}
    else:
        part = {"type": "output_text", "text": reply.text, "annotations": []}
    return {
        "id": f"msg_{request.number}",
        "type": "message",
        "role": "assistant",
        "status": "incomplete" if reply.stop in _INCOMPLETE else "completed",
        "content": [part],
    }


def _item_events(i: int, item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    at = {"output_index": i, "item_id": item["id"]}
    if item["type"] == "function_call":
        begun, arguments = item | {"arguments": ""}, item["arguments"]
        inner = [
            {"type": "response.function_call_arguments.delta", **at, "delta": arguments},
            {
                "type": "response.function_call_arguments.done",
                **at,
                "name": item["name"],
                "arguments": arguments,
            },
        ]
    else:
        begun, (part,) = item | {"content": []}, item["content"]
        kind = part["type"]
        field = "refusal" if kind == "refusal" else "text"
        at["content_index"] = 0
        inner = [
            {"type": "response.content_part.added", **at, "part": part | {field: ""}},
            {"type": f"response.{kind}.delta", **at, "delta": part[field]},
            {"type": f"response.{kind}.done", **at, field: part[field]},
            {"type": "response.content_part.done", **at, "part": part},
        ]
    for event in inner:
        if event["type"].startswith("response.output_text."):
            event["logprobs"] = []
    yield {"type": "response.output_item.added", "output_index": i, "item": begun | {"status": "in_progress"}}
    yield from inner
    yield {"type": "response.output_item.done", "output_index": i, "item": item}


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
    if status.location is not None:
        headers["location"] = status.location
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
