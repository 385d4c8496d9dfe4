"""What a system under test replies to a turn: read strictly, or a failure with its cause."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tellapart.errors import quoted
from tellapart.files import JsonError, parse_json
from tellapart.llm.calls import Call, Turn
from tellapart.llm.questions import Cause, Failure, Kind

EXPECTED = 'one line of JSON such as {"content": "…"}'
"""What a command is to write for each turn."""

MOST_OF_A_REPLY = 4 * 2**20
"""Bytes of a line that a command writes, and characters of what an object of Python replies."""

Tokens = Annotated[int, Field(ge=0)]


class TurnFailed(Exception):
    """A turn brought no reply."""

    def __init__(self, cause: Cause, kind: Kind, detail: str) -> None:
        """Say why."""
        super().__init__(detail)
        self.failure = Failure(cause, kind, detail)


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ToolCallForm(_Form):
    """Something that the system did before it replied; arguments and result are any JSON."""

    name: str
    arguments: Any = None
    result: Any = None


class UsageForm(_Form):
    """Tokens of the model calls of one turn, all of them together; what else providers count is ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)

    prompt_tokens: Tokens
    completion_tokens: Tokens


class SystemReply(_Form):
    """A reply: ``content``, or ``error`` where there is none; to history an empty object will do.

    Attributes:
        content: What the user would see.
        id: Of the step that is replied to; checked where it is given.
        usage: None where the system does not count.
        steps: What it did before, in order.
        error: Why there is no content, in its own words.
    """

    content: str | None = None
    id: str | None = None
    usage: UsageForm | None = None
    steps: list[ToolCallForm] = []
    error: str | None = None


def call_of_line(line: bytes, turn: Turn) -> Call:
    """Read the line that a command wrote for a turn."""
    try:
        value = parse_json(line, "the line", finite=True)
    except JsonError:
        value = None
    if not isinstance(value, dict):
        text = line.decode(errors="replace").strip()
        raise TurnFailed(
            "parse",
            "not_json",
            f"wrote what is no JSON object to stdout at {turn.facts.id}: {quoted(text)}; expected "
            f"{EXPECTED}. Write everything else to stderr",
        )
    return _read(value, turn)


def call_of_value(value: Any, turn: Turn) -> Call:
    """Read what ``reply`` of a Python object returned for a turn: a text, or a dictionary of that form."""
    if not isinstance(value, str | dict):
        shown = f": {quoted(value)}" if isinstance(value, int | float | bytes) else ""
        raise TurnFailed(
            "parse",
            "schema",
            f"reply() gave {type(value).__name__} at {turn.facts.id}{shown}; expected a text, or a "
            "dictionary with 'content'",
        )
    value = {"content": value} if isinstance(value, str) else value
    _check_size(value, turn)
    return _read(value, turn)


def _check_size(value: dict[str, Any], turn: Turn) -> None:
    """Refuse what could not be kept; what is no JSON at all is refused where it is read."""
    size, content = 0, value.get("content")
    try:
        size = len(content) if isinstance(content, str) else 0
        size = size if size > MOST_OF_A_REPLY else len(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        raise TurnFailed(
            "parse",
            "schema",
            f"replied to {turn.facts.id} with lists nested too deep to keep",
        ) from None
    except (TypeError, ValueError):
        return
    if size > MOST_OF_A_REPLY:
        raise TurnFailed(
            "parse",
            "schema",
            f"replied to {turn.facts.id} with {size:,} characters, expected {MOST_OF_A_REPLY:,} at most",
        )


def _read(value: dict[str, Any], turn: Turn) -> Call:
    try:
        reply = SystemReply.model_validate(value)
    except ValidationError as errors:
        error = errors.errors()[0]
        field = ".".join(str(part) for part in error["loc"]) or "the reply"
        got = f", got {quoted(error['input'])}" if error["type"] != "missing" else ""
        raise TurnFailed(
            "parse",
            "schema",
            f"replied to {turn.facts.id} in another form: {field}: {error['msg']}{got}; expected an object "
            f"with the keys {', '.join(SystemReply.model_fields)}, of which only 'content' is needed",
        ) from None
    if reply.id is not None and reply.id != turn.facts.id:
        raise TurnFailed(
            "parse",
            "schema",
            f"replied to {reply.id!r} where {turn.facts.id!r} was asked: a late reply, or one too many; "
            "expected one reply to each turn, in their order",
        )
    if reply.error is not None:
        raise TurnFailed("provider", "reported", f"reported an error at {turn.facts.id}: {reply.error[:500]}")
    if reply.content is None and turn.facts.reply is None:
        raise TurnFailed(
            "parse",
            "schema",
            f"replied to {turn.facts.id} with neither 'content' nor 'error'; expected {EXPECTED}",
        )
    # What was replied when it was said stays the reply, whatever is said to it now.
    given = turn.facts.reply
    call: Call = {"reply": reply.content if given is None else given, "stop_reason": "stop"}
    if reply.usage is not None:
        usage = reply.usage
        call["usage"] = {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens}
    if reply.steps:
        steps = [step.model_dump() for step in reply.steps]
        try:
            json.dumps(steps, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise TurnFailed(
                "parse", "schema", f"the steps of {turn.facts.id} cannot be kept as JSON: {error}"
            ) from None
        call["steps"] = steps
    return call
