"""One question to one model: a conversation of one turn, and of a second one to repair the reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from tellapart.core.fingerprint import sha256_of_json
from tellapart.llm.calls import Call, Caller, Messages, Request
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer, Failure, Question, Reply
from tellapart.llm.recorded_calls import Calls, NotRecorded, RecordedCaller, Unknown, without_waiting
from tellapart.llm.replies import JSON_AGAIN, parse, repair_turns


def call_key(question: Question[Any], model: LanguageModel, messages: Messages) -> str:
    """Hash of everything that reaches the wire, and of which asking it is."""
    reply: Any = question.reply
    schema = None if question.form else _schema(reply)
    return sha256_of_json([model.requested(), messages, schema, question.replica])


async def ask(question: Question[Reply], model: LanguageModel, caller: Caller) -> tuple[Answer[Reply], str]:
    """Put a question, and once more when the reply cannot be used."""
    keys: list[str] = []

    async def call(messages: Messages) -> Call:
        key = call_key(question, model, messages)
        call = await caller.call(
            Request(
                key,
                question.id,
                question.replica,
                lambda: messages,
                {"messages": messages},
                None if question.form else question.reply,
            )
        )
        keys.append(key)
        return call

    return await converse(question, call), keys[-1]


def recorded(
    question: Question[Reply], model: LanguageModel, calls: Calls
) -> tuple[Answer[Reply], str] | None:
    """The answer that is known already, read anew, and its call's key; None where a call is missing."""
    try:
        return without_waiting(ask(question, model, RecordedCaller(calls)))
    except Unknown:
        return None


async def converse(question: Question[Reply], call: Callable[[Messages], Awaitable[Call]]) -> Answer[Reply]:
    """Put a question, read the reply, and put it once more with what was wrong when that can be repaired."""
    messages: Messages = [{"role": "user", "content": question.prompt}]
    reply = await call(messages)
    answer = read(question, reply)
    if answer.failure is None or answer.failure.cause != "parse":
        return answer
    again = question.form.again if question.form else JSON_AGAIN
    try:
        repair = await call([*messages, *repair_turns(reply["reply"], answer.failure, again)])
    except NotRecorded:
        # A recording says nothing more; how the first reply failed is all that is known.
        return answer
    return read(question, repair, repaired=True)


def read(question: Question[Reply], call: Call, *, repaired: bool = False) -> Answer[Reply]:
    """Read a call anew: its value, or why there is none."""
    for why in ("failure", "unread"):
        if why in call:
            return Answer(question.id, None, Failure(**call[why]), repaired and why == "unread")
    value = parse(call["reply"], question)
    if isinstance(value, Failure):
        return Answer(question.id, None, value, repaired)
    return Answer(question.id, value, None, repaired)


@cache
def _schema(reply: Any) -> dict[str, Any]:
    schema: dict[str, Any] = reply.model_json_schema()
    return schema
