"""One question to one model: the journal first, then the model, then one attempt to repair the reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.llm.failures import failure_of, failure_of_output
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer, Failure, Question, Reply
from tellapart.llm.replies import parse

if TYPE_CHECKING:
    from inspect_ai.model import Model

Messages = list[dict[str, str]]
Call = dict[str, Any]

_REPAIR = (
    "Your reply could not be used: {reason}. Reply again with nothing but the JSON object that was asked for."
)


def call_key(model: LanguageModel, messages: Messages, schema: dict[str, Any], replica: int) -> str:
    """Hash of everything that reaches the wire, and of which asking it is."""
    return sha256(canonical_json([model.requested(), messages, schema, replica]))


def recorded(question: Question[Reply], model: LanguageModel, journal: CallJournal) -> Answer[Reply] | None:
    """The answer that the journal already holds, read anew, or None where something has to be asked."""
    messages: Messages = [{"role": "user", "content": question.prompt}]
    call = journal.get(_key(question, model, messages))
    answer = _read(question, call, repaired=False)
    if answer is None or not _repairable(answer.failure):
        return answer
    again = _with_repair(messages, call or {}, answer.failure)
    return _read(question, journal.get(_key(question, model, again)), repaired=True)


async def ask(
    question: Question[Reply], model: LanguageModel, connected: Model, journal: CallJournal
) -> Answer[Reply]:
    """Ask a question, and once more when the reply cannot be used; every call goes into the journal."""

    async def call(messages: Messages) -> Call:
        key = _key(question, model, messages)
        known = journal.get(key)
        if known is not None and "failure" not in known:
            return known
        made = await make_call(connected, messages)
        call = {"question": question.id, "replica": question.replica, "messages": messages, **made}
        journal.append(key, call)
        return call

    return await converse(question, call)


async def converse(question: Question[Reply], call: Callable[[Messages], Awaitable[Call]]) -> Answer[Reply]:
    """Put a question, read the reply, and put it once more with what was wrong when that can be repaired.

    Args:
        question: What is asked.
        call: From messages to what came back, as ``make_call`` gives it.
    """
    messages: Messages = [{"role": "user", "content": question.prompt}]
    made = await call(messages)
    answer = _read(question, made, repaired=False) or _failed(question, made)
    if not _repairable(answer.failure):
        return answer
    made = await call(_with_repair(messages, made, answer.failure))
    return _read(question, made, repaired=True) or _failed(question, made)


async def make_call(connected: Model, messages: Messages) -> Call:
    """Send messages and say what came back: a reply and its facts, or the failure of the provider."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    kinds = {"user": ChatMessageUser, "assistant": ChatMessageAssistant}
    try:
        output = await connected.generate([kinds[m["role"]](content=m["content"]) for m in messages])
    except Exception as error:
        failure = failure_of(error)
        return {"failure": {"cause": failure.cause, "kind": failure.kind, "detail": failure.detail}}
    call: Call = {"reply": output.completion, "stop_reason": output.stop_reason, "served": output.model}
    unread = failure_of_output(output)
    if unread is not None:
        call["unread"] = {"cause": unread.cause, "kind": unread.kind, "detail": unread.detail}
    if output.usage:
        call["usage"] = [output.usage.input_tokens, output.usage.output_tokens]
    return call


def _key(question: Question[Any], model: LanguageModel, messages: Messages) -> str:
    return call_key(model, messages, question.reply.model_json_schema(), question.replica)


def _read(question: Question[Reply], call: Call | None, *, repaired: bool) -> Answer[Reply] | None:
    if call is None or "failure" in call:
        return None
    if "unread" in call:
        return Answer(question.id, None, Failure(**call["unread"]), repaired)
    value = parse(call["reply"], question)
    if isinstance(value, Failure):
        return Answer(question.id, None, value, repaired)
    return Answer(question.id, value, None, repaired)


def _failed(question: Question[Reply], call: Call) -> Answer[Reply]:
    return Answer(question.id, None, Failure(**call["failure"]))


def _repairable(failure: Failure | None) -> bool:
    return failure is not None and failure.cause == "parse"


def _with_repair(messages: Messages, call: Call, failure: Failure | None) -> Messages:
    reason = failure.detail if failure else ""
    return [
        *messages,
        {"role": "assistant", "content": call["reply"] or "(no text)"},
        {"role": "user", "content": _REPAIR.format(reason=reason)},
    ]
