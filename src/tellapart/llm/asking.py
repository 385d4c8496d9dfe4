"""Questions to a model: each is put once, and once more to repair a reply that cannot be used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from tellapart.core.fingerprint import sha256_of_json
from tellapart.llm.calls import Call, Messages, Request
from tellapart.llm.conversation import Speaker
from tellapart.llm.journal import NotRecorded, RecordedCalls, Unknown, without_waiting
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import NOT_RECORDED, Answer, Failure, Question, Reply
from tellapart.llm.replies import JSON_AGAIN, parse, repair_turns


def call_key(question: Question[Any], model: LanguageModel, messages: Messages) -> str:
    """Hash of everything that reaches the wire, and of which attempt it is."""
    reply: Any = question.reply
    schema = None if question.form else _schema(reply)
    return sha256_of_json([model.requested(), messages, schema, question.replica])


async def ask(
    question: Question[Reply], model: LanguageModel, speaker: Speaker
) -> tuple[Answer[Reply], list[str]]:
    """Put a question, and once more when the reply cannot be used; the answer and its calls' keys."""
    keys: list[str] = []

    async def call(messages: Messages) -> Call:
        keys.append(call_key(question, model, messages))
        schema = None if question.form else question.reply
        line = {"messages": messages}
        request = Request(keys[-1], question.id, question.replica, lambda: messages, line, schema)
        return await speaker.caller.call(request)

    return await converse(question, call), keys


def recorded(question: Question[Reply], model: LanguageModel, calls: RecordedCalls) -> Answer[Reply] | None:
    """The answer that is recorded, read anew; None where a call is missing."""
    try:
        return without_waiting(ask(question, model, Speaker(calls)))[0]
    except Unknown:
        return None


def known(question: Question[Reply], model: LanguageModel, calls: RecordedCalls) -> Answer[Reply] | None:
    """The answer that need not be asked for: as this run has it, or else an earlier one."""
    if not calls.only_usable:
        return recorded(question, model, calls)
    answer = recorded(question, model, RecordedCalls(calls.own))
    for other in calls.earlier if answer is None else ():
        found = recorded(question, model, RecordedCalls(calls.own, [other]))
        if found is not None and found.value is not None:
            return recorded(question, model, RecordedCalls(calls.own, [other], copied_to=calls.copied_to))
    return answer


async def converse(question: Question[Reply], call: Callable[[Messages], Awaitable[Call]]) -> Answer[Reply]:
    """Put a question, read the reply, and put it once more with what was wrong when that can be repaired."""
    messages = [{"role": "user", "content": question.prompt}]
    try:
        reply = await call(messages)
    except NotRecorded:
        return Answer(question.id, None, NOT_RECORDED)
    answer = _read(question, reply, repaired=False)
    if answer.failure is None or answer.failure.cause != "parse":
        return answer
    again = question.form.again if question.form else JSON_AGAIN
    try:
        repair = await call([*messages, *repair_turns(reply["reply"], answer.failure, again)])
    except NotRecorded:
        # A recording says nothing more; how the first reply failed is all that is known.
        return answer
    return _read(question, repair, repaired=True)


def _read(question: Question[Reply], call: Call, *, repaired: bool) -> Answer[Reply]:
    """Read a call anew: its value, or why there is none."""
    if "failure" in call:
        return Answer(question.id, None, Failure(**call["failure"]))
    value = Failure(**call["unread"]) if "unread" in call else parse(call["reply"], question)
    if isinstance(value, Failure):
        return Answer(question.id, None, value, repaired)
    return Answer(question.id, value, None, repaired)


@cache
def _schema(reply: Any) -> dict[str, Any]:
    schema: dict[str, Any] = reply.model_json_schema()
    return schema
