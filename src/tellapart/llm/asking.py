"""One question to one model: the journal first, then the model, then one attempt to repair the reply."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel

from tellapart.core.fingerprint import sha256
from tellapart.llm.budget import Budget, Exhausted
from tellapart.llm.connection import reply_config
from tellapart.llm.failures import failure_of, failure_of_output, fatal_error, status_of
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer, Failure, Question, Reply
from tellapart.llm.recorded_calls import Calls, RecordedCalls
from tellapart.llm.replies import JSON_AGAIN, parse, repair_turns
from tellapart.llm.traffic import Wire

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelUsage


class Pace:
    """Keeps calls that are made one at a time apart, whatever becomes of them."""

    def __init__(self, delay_s: float) -> None:
        """Leave ``delay_s`` seconds between the end of one call and the beginning of the next."""
        self._delay_s = delay_s
        self._ended_s: float | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for one's turn, and have it while the block lasts; the first call waits for nothing."""
        import anyio

        if self._ended_s is not None:
            await anyio.sleep(max(0.0, self._ended_s + self._delay_s - time.monotonic()))
        try:
            yield
        finally:
            self._ended_s = time.monotonic()


Messages = list[dict[str, str]]
Call = dict[str, Any]


@dataclass(frozen=True)
class Asking:
    """How questions are put to one model: who is asked, and what is known, kept and allowed.

    Attributes:
        model: What is asked for.
        recorded: Calls that need not be made.
        budget: What calls may cost.
        connected: The model of Inspect.
        wire: Sees what goes out.
        pace: Keeps calls apart.
        closes: Whether a call that does not fit into the budget has failed; otherwise it raises.
    """

    model: LanguageModel
    recorded: RecordedCalls
    budget: Budget
    connected: Model
    wire: Wire
    pace: Pace
    closes: bool = False

    async def ask(self, question: Question[Reply]) -> tuple[Answer[Reply], str]:
        """Ask a question, and once more when the reply cannot be used; every call goes into the journal.

        Returns:
            The answer, and the key of the call that it was read from.

        Raises:
            Exhausted: A call does not fit into the budget, and ``closes`` is not set.
            ProviderError: No question would be answered.
            StorageError: The journal cannot be written.
        """
        keys: list[str] = []

        async def call(messages: Messages) -> Call:
            keys.append(call_key(question, self.model, messages))
            try:
                return self.recorded.get(keys[-1]) or await self._make(question, messages, keys[-1])
            except Exhausted:
                if not self.closes:
                    raise
                return self._close(question, keys[-1])

        return await converse(question, call), keys[-1]

    async def _make(self, question: Question[Any], messages: Messages, key: str) -> Call:
        size = sum(len(message["content"].encode(errors="replace")) for message in messages)
        async with self.budget.room_for(size), self.pace.turn():
            begun = time.perf_counter()
            reply = await make_call(
                self.connected, messages, self.model, None if question.form else question.reply
            )
            call: Call = {
                "time": _now(),
                "model": self.model.name,
                "question": question.id,
                "replica": question.replica,
                "messages": messages,
                **reply,
                "seconds": round(time.perf_counter() - begun, 3),
            }
            if "usage" in reply:
                self.budget.learn(size, reply["usage"]["input_tokens"])
            self.recorded.journal.note_sent(self.model.name, sent_over(self.wire))
            self.recorded.journal.append(key, call)
        return call

    def _close(self, question: Question[Any], key: str) -> Call:
        """A call that is not made, without its messages: nobody was sent them."""
        call: Call = {
            "time": _now(),
            "model": self.model.name,
            "question": question.id,
            "replica": question.replica,
            "failure": {"cause": "budget", "kind": "max_cost", "detail": "not asked: the budget ran out"},
            "attempts": 0,
        }
        self.recorded.journal.append(key, call)
        return call


def call_key(question: Question[Any], model: LanguageModel, messages: Messages) -> str:
    """Hash of everything that reaches the wire, and of which asking it is."""
    reply: Any = question.reply
    schema = None if question.form else _schema(reply)
    parts = [model.requested(), messages, schema, question.replica]
    # Escapes, since UTF-8 cannot say half a surrogate pair.
    return sha256(json.dumps(parts, sort_keys=True).encode())


def recorded(
    question: Question[Reply], model: LanguageModel, calls: Calls
) -> tuple[Answer[Reply], str] | None:
    """The answer that is known already, read anew, and its call's key; None where a call is missing."""
    messages: Messages = [{"role": "user", "content": question.prompt}]
    key = call_key(question, model, messages)
    call = calls.get(key)
    if call is None:
        return None
    answer = read(question, call)
    if not _repairable(answer.failure):
        return answer, key
    again = call_key(question, model, _with_repair(messages, call, answer.failure, question))
    repair = calls.get(again)
    if repair is None:
        # A recording says nothing more; how the first reply failed is all that is known.
        return (answer, key) if calls.final else None
    return read(question, repair, repaired=True), again


async def converse(question: Question[Reply], call: Callable[[Messages], Awaitable[Call]]) -> Answer[Reply]:
    """Put a question, read the reply, and put it once more with what was wrong when that can be repaired.

    Args:
        question: What is asked.
        call: From messages to what came back, as ``make_call`` gives it.
    """
    messages: Messages = [{"role": "user", "content": question.prompt}]
    reply = await call(messages)
    answer = read(question, reply)
    if not _repairable(answer.failure):
        return answer
    reply = await call(_with_repair(messages, reply, answer.failure, question))
    return read(question, reply, repaired=True)


async def make_call(
    connected: Model,
    messages: Messages,
    model: LanguageModel | None = None,
    reply: type[BaseModel] | None = None,
) -> Call:
    """Send messages and say what came back: a reply and its facts, or the failure of the provider.

    Args:
        connected: Who is asked.
        messages: What is sent.
        model: As whom ``connected`` was asked for; then what would fail with every question is raised.
        reply: What the reply must be, for models that are sent schemas.

    Raises:
        ProviderError: No question would be answered, and ``model`` was given.
    """
    from inspect_ai.log import transcript
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    config = reply_config(model, reply) if model and reply else GenerateConfig()
    before = transcript().history.event_count
    try:
        output = await connected.generate(
            [kinds[m["role"]](content=m["content"]) for m in messages], config=config
        )
    except Exception as error:
        fatal = fatal_error(error, model) if model else None
        if fatal is not None:
            raise fatal from None
        call = _without_reply(error, connected)
    else:
        call = {"reply": output.completion, "stop_reason": output.stop_reason, "served": output.model}
        unread = failure_of_output(output)
        if unread is not None:
            call["unread"] = {"cause": unread.cause, "kind": unread.kind, "detail": unread.detail}
        if output.usage:
            call["usage"] = token_usage(output.usage)
            call |= _cached(output.usage)
    events = transcript().history.events_from(before)
    return {**call, "attempts": max(sum(event.event == "model" for event in events), 1)}


def _without_reply(error: Exception, connected: Model) -> Call:
    failure, status = failure_of(error), status_of(error)
    detail = without_secrets(failure.detail, connected)
    why = {"cause": failure.cause, "kind": failure.kind, "detail": detail}
    details = {} if status is None else {"status": status}
    if failure.kind != "context_length":
        return {"failure": why, **details}
    # The same prompt will never fit, so this is final, as where a provider says it in a reply.
    return {"reply": "", "stop_reason": "model_length", "served": "", "unread": why, **details}


def _cached(usage: ModelUsage) -> Call:
    """Tokens in that came from a cache, and that went into one, where the provider says."""
    read, written = usage.input_tokens_cache_read, usage.input_tokens_cache_write
    if read is None and written is None:
        return {}
    return {"cached": {"read_tokens": read or 0, "written_tokens": written or 0}}


def token_usage(usage: ModelUsage) -> dict[str, int]:
    """Tokens in, those from and into a cache included, and out."""
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return {"input_tokens": usage.input_tokens + cached, "output_tokens": usage.output_tokens}


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


def _repairable(failure: Failure | None) -> bool:
    return failure is not None and failure.cause == "parse"


def _with_repair(
    messages: Messages, call: Call, failure: Failure | None, question: Question[Any]
) -> Messages:
    again = question.form.again if question.form else JSON_AGAIN
    return [*messages, *(repair_turns(call["reply"], failure, again) if failure else ())]


def sent_over(wire: Wire) -> dict[str, set[str]]:
    """Values of parameters that went out so far, as JSON each."""
    versions = {json.dumps(version) for version in wire.versions}
    return wire.parameters | ({"anthropic_version": versions} if versions else {})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def without_secrets(text: str, connected: Model) -> str:
    """What a provider says, without the key or the password of its address, should it repeat them."""
    address = urlsplit(connected.api.base_url or "")
    for secret in (connected.api.api_key, address.password):
        text = text.replace(secret, "(secret)") if secret else text
    return text
