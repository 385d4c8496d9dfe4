"""What a system under test is sent at each turn, and its reply: read strictly, or a failure with its cause.

A command reads a line of JSON for each turn and writes one back. The line to it is an object with ``type``
(``message`` gives material, ``probe`` asks for it, ``history`` was said before), ``id`` of the step,
``conversation`` (the name that stands for ``{session}`` in the command) and ``content``; where they are known
``system`` (the system prompt, with the first turn only), ``session`` (in which session of the user it is
said), ``date`` (when), and of history ``reply``, which was given to it then. See ``SystemReply`` for the line
back; an object of Python returns the same as a dictionary, or a text.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from tellapart.errors import InputError, quoted
from tellapart.files import JsonError, check_record, parse_json
from tellapart.llm.calls import Call, Turn
from tellapart.llm.questions import Cause, Failure, Kind

EXPECTED = 'one line of JSON such as {"content": "…"}'
"""What a command writes for each turn."""

MOST_OF_A_REPLY = 4 * 2**20
"""Bytes of a line that a command writes, and characters of what an object of Python replies."""

Tokens = Annotated[int, Field(ge=0)]


class TurnFailed(Exception):
    """A turn brought no reply."""

    def __init__(self, cause: Cause, kind: Kind, detail: str) -> None:
        super().__init__(detail)
        self.failure = Failure(cause, kind, detail)


class SystemStep(BaseModel):
    """Something that the system did before it replied; arguments and result are any JSON."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    arguments: Any = None
    result: Any = None


class SystemUsage(BaseModel):
    """Tokens of the model calls of one turn, all of them together; what else providers count is ignored."""

    model_config = ConfigDict(strict=True)

    prompt_tokens: Tokens
    completion_tokens: Tokens


class SystemReply(BaseModel):
    """A reply: ``content``, or ``error`` where there is none; to history an empty object will do.

    Attributes:
        content: What the user would see.
        id: Of the step that is replied to; checked where it is given.
        steps: What it did before, in order.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    content: str | None = None
    id: str | None = None
    usage: SystemUsage | None = None
    steps: list[SystemStep] = []
    error: str | None = None


def call_of_value(value: Any, turn: Turn) -> Call:
    """Read what ``reply`` of a Python object returned for a turn: a text, or a dictionary of that form."""
    try:
        fields = {"content": value} if isinstance(value, str) else value
        line = json.dumps(fields, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise _misshapen(f"the reply to {turn.facts.id} cannot be kept as JSON: {why}") from None
    if len(line) > MOST_OF_A_REPLY:
        what = f"replied to {turn.facts.id} with {len(line):,} characters, expected {MOST_OF_A_REPLY:,}"
        raise _misshapen(f"{what} at most")
    return call_of_line(line, turn)


def call_of_line(line: str | bytes, turn: Turn) -> Call:
    """Read the line of JSON that came for a turn."""
    step = turn.facts.id
    try:
        value = parse_json(line, "the line", finite=True)
    except JsonError:
        value = None
    if not isinstance(value, dict):
        text = line if isinstance(line, str) else line.decode(errors="replace")
        what = f"replied to {step} with what is no JSON object: {quoted(text.strip())}; expected {EXPECTED}"
        raise TurnFailed("parse", "not_json", f"{what}. A program writes everything else to stderr")
    try:
        reply = check_record(value, SystemReply, "the line")
    except InputError as error:
        known = ", ".join(SystemReply.model_fields)
        what = f"replied to {step} in another form: {error.what}; expected an object with the keys {known}"
        raise _misshapen(f"{what}, of which only 'content' is needed") from None
    if reply.id not in (None, step):
        raise _misshapen(f"replied to {reply.id!r} where {step!r} was asked; expected one reply to each turn")
    if reply.error is not None:
        raise TurnFailed("provider", "reported", f"reported an error at {step}: {reply.error[:500]}")
    # What was replied when it was said stays the reply, whatever is said to it now.
    content = reply.content if turn.facts.reply is None else turn.facts.reply
    if content is None:
        raise _misshapen(f"replied to {step} with neither 'content' nor 'error'; expected {EXPECTED}")
    call: Call = {"reply": content, "stop_reason": "stop"}
    if (usage := reply.usage) is not None:
        call["usage"] = {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens}
    if reply.steps:
        call["steps"] = [step.model_dump() for step in reply.steps]
    return call


def _misshapen(detail: str) -> TurnFailed:
    return TurnFailed("parse", "schema", detail)


def line_of(turn: Turn, session: str) -> bytes:
    """The line that a command is sent for a turn."""
    facts = turn.facts
    fields = {
        "type": facts.type,
        "id": facts.id,
        "conversation": session,
        "session": facts.session,
        "date": facts.date,
        "system": turn.system if turn.after is None else None,
        "content": turn.text,
        "reply": facts.reply,
    }
    return json.dumps({name: value for name, value in fields.items() if value is not None}).encode() + b"\n"
