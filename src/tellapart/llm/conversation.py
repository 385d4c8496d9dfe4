"""A conversation that grows: what has been said, and what came back of the next turn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from tellapart.core.fingerprint import sha256_of_json
from tellapart.llm.calls import Call, Caller, Messages, Request, Turn, TurnFacts
from tellapart.llm.journal import NotRecorded
from tellapart.llm.models import Respondent
from tellapart.llm.questions import NOT_RECORDED, Failure

NO_FACTS = TurnFacts()


@dataclass(frozen=True)
class Conversation:
    """What has been said after the system prompt, oldest first. One that has grown is another.

    ``last`` is the key of the call that brought the last reply. The ``name`` is unique within a run among
    those of one model and one ``replica``. With ``own_history`` whoever answers is sent the last turn alone.
    """

    system: str | None
    replica: int
    turns: tuple[tuple[str, str], ...] = ()
    last: str | None = None
    name: str = ""
    own_history: bool = False
    _state: str = field(default="", repr=False)

    @classmethod
    def begin(
        cls, model: Respondent, system: str | None, *, replica: int = 0, name: str = ""
    ) -> Conversation:
        """Begin one; those with a model that begin alike share their calls, those with systems do not."""
        identity = [name] if model.own_history else []
        state = sha256_of_json([model.requested(), system, replica, *identity])
        return cls(system, replica, name=name, own_history=model.own_history, _state=state)

    def key(self, text: str, facts: TurnFacts = NO_FACTS) -> str:
        """Hash of everything that saying ``text`` now would send: parameters, all turns, and the replica."""
        # Of the state before and of the turn, so that a long conversation is not read over and over.
        own_facts = [asdict(facts)] if self.own_history else []
        return sha256_of_json([self._state, "user", text, *own_facts])

    def messages(self, text: str) -> Messages:
        """What saying ``text`` now would send."""
        if self.own_history:
            return [{"role": "user", "content": text}]
        system = [("system", self.system)] if self.system is not None else []
        turns = [*system, *self.turns, ("user", text)]
        return [{"role": role, "content": content} for role, content in turns]

    def request(self, text: str, id: str, facts: TurnFacts = NO_FACTS) -> Request:
        """The call that says ``text`` now; the journal has the key of the call before, not its turns."""
        begins = {"system": self.system} if self.last is None else {}
        line = {**begins, "after": self.last, "turn": text}
        turn = Turn(self.name, text, self.last, self.system, facts)
        return Request(self.key(text, facts), id, self.replica, lambda: self.messages(text), line, turn=turn)

    def grown(self, text: str, reply: str, facts: TurnFacts = NO_FACTS) -> Conversation:
        """The conversation after ``text`` was said and ``reply`` came back."""
        key = self.key(text, facts)
        turns = (*self.turns, ("user", text), ("assistant", reply))
        return replace(self, turns=turns, last=key, _state=sha256_of_json([key, "assistant", reply]))

    def with_given(self, text: str, reply: str) -> Conversation:
        """The conversation with a turn and a reply that the case provides."""
        return replace(self.grown(text, reply), last=self.last)


@dataclass(frozen=True)
class TokenCounts:
    """Tokens of one call; of ``prompt`` what came from a cache and went into one, where the provider says."""

    prompt: int
    completion: int
    cache_hit: int | None = None
    cache_written: int | None = None

    @property
    def cache_miss(self) -> int | None:
        """The rest of ``prompt``; None where the provider says nothing of a cache."""
        return None if self.cache_hit is None else self.prompt - self.cache_hit


@dataclass(frozen=True)
class TurnReply:
    """What came back of one turn: a text, also one that was cut off or refuses, or why there is none.

    An empty reply is none, since no provider takes it back as a turn. ``status`` is that of HTTP,
    ``stop_reason`` is in Inspect's words, times are in milliseconds since 1970, and ``tool_calls`` are what a
    system under test did before it replied.
    """

    text: str | None
    failure: Failure | None
    status: int | None = None
    stop_reason: str | None = None
    tokens: TokenCounts | None = None
    sent_ms: int | None = None
    received_ms: int | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Speaker:
    """Says turns to whoever answers calls."""

    caller: Caller

    async def say(
        self, conversation: Conversation, text: str, name: str, facts: TurnFacts = NO_FACTS
    ) -> tuple[TurnReply, Conversation]:
        """Say something; the reply, and the conversation with it if there is one."""
        try:
            reply = reply_of_call(await self.caller.call(conversation.request(text, name, facts)))
        except NotRecorded:
            reply = TurnReply(None, NOT_RECORDED)
        return reply, after(conversation, text, reply, facts)


def after(
    conversation: Conversation, text: str, reply: TurnReply, facts: TurnFacts = NO_FACTS
) -> Conversation:
    """The conversation once ``reply`` came back of ``text``."""
    return conversation if reply.text is None else conversation.grown(text, reply.text, facts)


def reply_of_call(call: Call) -> TurnReply:
    """Read a call as it is in the journal."""
    made = bool(call["attempts"])
    sent, received = (_milliseconds(call[name]) if made else None for name in ("sent", "time"))
    if "failure" in call:
        why = Failure(**call["failure"])
        return TurnReply(None, why, call.get("status"), sent_ms=sent, received_ms=received)
    text, stop, turned_down = call["reply"], call["stop_reason"], _turned_down(call)
    failure = None
    if turned_down is not None or not text.strip():
        empty = Failure("parse", "empty", f"the reply was empty, and ended with {stop!r}")
        failure = Failure(**call["unread"]) if "unread" in call else empty
    return TurnReply(
        None if failure else text,
        failure,
        # Of a system under test there is no HTTP to have a status.
        turned_down or (None if "session" in call else 200),
        None if turned_down else stop,
        _tokens(call),
        sent,
        received,
        tuple(call.get("steps", ())),
    )


_BAD_REQUEST = 400


def _turned_down(call: Call) -> int | None:
    """HTTP status of a prompt turned down, which Inspect makes into a reply without usage; or None."""
    if "status" in call:
        return int(call["status"])
    if call["stop_reason"] not in ("model_length", "content_filter") or "usage" in call:
        return None
    status = re.search(r"error code: (4\d\d)", call["reply"], re.I)
    return int(status[1]) if status else _BAD_REQUEST


def _tokens(call: Call) -> TokenCounts | None:
    if "usage" not in call:
        return None
    usage, cached = call["usage"], call.get("cached", {})
    counts = usage["input_tokens"], usage["output_tokens"]
    return TokenCounts(*counts, cached.get("read_tokens"), cached.get("written_tokens"))


def _milliseconds(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1000)
