"""One call to a model: what is sent, and what came back, as the journal holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import BaseModel

from tellapart.environment import clock
from tellapart.llm.connection import reply_config
from tellapart.llm.failures import failure_of, failure_of_output, fatal_error, status_of
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Failure

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage

Messages = list[dict[str, str]]
"""Role and content of each message, the oldest first."""

Call = dict[str, Any]
"""A call as the journal has it."""


@dataclass(frozen=True)
class TurnFacts:
    """What a turn is, for systems that keep the history themselves; a bare model is sent its text alone.

    Attributes:
        id: Of the step, such as ``M1``.
        type: ``message`` gives material, ``probe`` asks for it, ``history`` was said before.
        session: In which session of the user it is said; None where there is one session only.
        date: When it was said, as the case writes it.
        reply: What was replied to it then; None where a reply is requested now.
    """

    id: str = ""
    type: Literal["message", "probe", "history"] = "message"
    session: str | None = None
    date: str | None = None
    reply: str | None = None


@dataclass(frozen=True)
class Turn:
    """A turn of a conversation that is about to be said; ``after`` is the key of the call before it."""

    conversation: str
    text: str
    after: str | None
    system: str | None
    facts: TurnFacts


@dataclass(frozen=True)
class Request:
    """A call that may be made, or found in a journal.

    Attributes:
        key: Hash of everything that would be sent, and of which attempt it is.
        id: Of the question or the turn, for people and for the journal.
        messages: Gives what would be sent.
        line: What the journal says of what was sent.
        reply: What the reply must be, for models that are sent schemas.
        turn: Which turn of a conversation it is; None of a question.
    """

    key: str
    id: str
    replica: int
    messages: Callable[[], Messages]
    line: Mapping[str, Any]
    reply: type[BaseModel] | None = None
    turn: Turn | None = None


class Caller(Protocol):
    """Who answers calls: a journal, the wire, or an estimate."""

    async def call(self, request: Request) -> Call:
        """The call with everything that came back."""


@dataclass(frozen=True)
class Unanswered:
    """A call that brought no reply, after all retries; ``status`` is the HTTP status, if one arrived."""

    failure: Failure
    status: int | None


def now() -> str:
    """The time, as journals have it."""
    return clock.now().isoformat(timespec="milliseconds")


async def make_call(
    connected: Model,
    messages: Messages,
    model: LanguageModel | None = None,
    reply: type[BaseModel] | None = None,
) -> Call:
    """Send messages and give what came back: a reply and its facts, or the failure of the provider."""
    from inspect_ai.log import transcript
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    config = reply_config(model, reply) if model and reply else None
    before = transcript().history.event_count
    output = await generate(
        connected, [kinds[m["role"]](content=m["content"]) for m in messages], model, config=config
    )
    call = _without_reply(output) if isinstance(output, Unanswered) else replied(output)
    events = transcript().history.events_from(before)
    return {**call, "attempts": max(sum(event.event == "model" for event in events), 1)}


async def generate(
    connected: Model,
    messages: Sequence[ChatMessage],
    model: LanguageModel | None,
    *,
    config: GenerateConfig | None = None,
    tools: Any = (),
) -> ModelOutput | Unanswered:
    """Send messages of Inspect, and give its output or why there is none."""
    from inspect_ai.model import GenerateConfig

    try:
        return await connected.generate(list(messages), tools=tools, config=config or GenerateConfig())
    except Exception as error:
        fatal = fatal_error(error, model) if model else None
        if fatal is not None:
            raise fatal from None
        return Unanswered(failure_of(error), status_of(error))


def replied(output: ModelOutput) -> Call:
    """Give what a model of Inspect replied as the journal has it."""
    call: Call = {"reply": output.completion, "stop_reason": output.stop_reason, "served": output.model}
    unread = failure_of_output(output)
    if unread is not None:
        call["unread"] = asdict(unread)
    return call | (usage_of(output.usage) if output.usage else {})


def _without_reply(unanswered: Unanswered) -> Call:
    why, status = asdict(unanswered.failure), unanswered.status
    details = {} if status is None else {"status": status}
    if unanswered.failure.kind != "context_length":
        return {"failure": why, **details}
    # The same prompt will never fit, so this is final, as where a provider says it in a reply.
    return {"reply": "", "stop_reason": "model_length", "served": "", "unread": why, **details}


def usage_of(usage: ModelUsage) -> Call:
    """Tokens in, those from and into a cache included, and out; and those caches, where they are reported."""
    read, written = usage.input_tokens_cache_read, usage.input_tokens_cache_write
    tokens_in = usage.input_tokens + (read or 0) + (written or 0)
    call: Call = {"usage": {"input_tokens": tokens_in, "output_tokens": usage.output_tokens}}
    if read is not None or written is not None:
        call["cached"] = {"read_tokens": read or 0, "written_tokens": written or 0}
    return call
