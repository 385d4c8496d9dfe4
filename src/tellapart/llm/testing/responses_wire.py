"""Bodies of responses as OpenAI's Responses API writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tellapart.llm.testing.behaviours import Reply, Request, Status

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
    return {
        "id": f"resp_{request.number}",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": "incomplete" if reason else "completed",
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "model": request.body["model"],
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": back,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sent + back,
        },
    }


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
