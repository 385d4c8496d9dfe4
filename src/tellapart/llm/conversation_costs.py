"""What conversations will take before they are held: every call sends all that was said before."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from tellapart.llm.budget import Price, cost
from tellapart.llm.conversation import Conversation, TokenCounts, TurnReply, after, reply_of_call
from tellapart.llm.costs import CHARACTERS_A_TOKEN, SHORTEST_TOKEN, Estimate, Rates, Tokens, observed_rates
from tellapart.llm.dry_run import Reading
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.recorded_calls import Calls
from tellapart.llm.talking import Play, Recorded, awaited


def estimate_conversations(
    plays: Sequence[Play[Any]],
    model: LanguageModel,
    journals: Sequence[Path],
    *,
    reply_characters: int,
    price: Price | None,
) -> Estimate:
    """Estimate what holding conversations would take, by holding them with replies that are made up.

    A question of the estimate is a turn. Expected are replies as long as those so far, or as
    ``reply_characters``; at most, replies as long as allowed, and without any call to go by the shortest
    tokens that there may be. Discounts for what a provider has cached, attempts that failed, and what it
    wraps around messages are left out.

    Args:
        plays: All of them; each is played several times.
        model: Who would be asked. One that answers from a recording is asked nothing.
        journals: Of this run and of one that is taken over; those that are not there hold nothing.
        reply_characters: Length of an ordinary reply.
        price: US dollars for a million tokens in, and out.

    Raises:
        InputError: A journal cannot be read.
    """
    with ExitStack() as stack:
        if model.recording is not None:
            journal = stack.enter_context(CallJournal(model.recording, read_only=True))
            return _estimate(*_recorded(plays, Reading([journal])), price)
        recorded = Reading(
            [stack.enter_context(CallJournal(path, read_only=True)) for path in journals if path.exists()]
        )
        seen = _hold(plays, recorded, _Lengths(reply_characters, CHARACTERS_A_TOKEN, 1)).seen
        rates = observed_rates(seen)
        expected = _hold(plays, recorded, _expected(rates, model.max_tokens, reply_characters))
        token = rates.characters_a_token if rates else SHORTEST_TOKEN
        longest = _Lengths(round(model.max_tokens * token), token, model.max_tokens)
        most = _hold(plays, recorded, longest)
    return _estimate(expected, most, price, rates)


@dataclass(frozen=True)
class _Lengths:
    """Of replies, in characters and in tokens, and of a token in characters."""

    reply_characters: int
    characters_a_token: float
    reply_tokens: float


def _expected(rates: Rates | None, max_tokens: int, reply_characters: int) -> _Lengths:
    token = rates.characters_a_token if rates else CHARACTERS_A_TOKEN
    reply = min(rates.reply_tokens if rates else reply_characters / token, max_tokens)
    return _Lengths(round(reply * token), token, reply)


class _Imagined:
    """Says what is not known as if a reply had come, and counts."""

    def __init__(self, recorded: Calls, lengths: _Lengths) -> None:
        self.seen: list[tuple[int, int, int]] = []
        self.recorded, self.calls, self.characters = 0, 0, 0
        self._calls, self.lengths = recorded, lengths

    async def say(self, conversation: Conversation, text: str, name: str) -> tuple[TurnReply, Conversation]:
        call = self._calls.get(conversation.key(text))
        characters = sum(len(message["content"]) for message in conversation.messages(text))
        if call is None:
            self.calls += 1
            self.characters += characters
            reply = self._made_up(characters)
        else:
            self.recorded += 1
            reply = reply_of_call(call)
            if reply.tokens is not None:
                self.seen.append((characters, reply.tokens.prompt, reply.tokens.completion))
        return reply, after(conversation, text, reply)

    @property
    def tokens(self) -> tuple[float, float]:
        """Sent and received by all calls that would be made."""
        return self.characters / self.lengths.characters_a_token, self.calls * self.lengths.reply_tokens

    def _made_up(self, characters: int) -> TurnReply:
        sent = ceil(characters / self.lengths.characters_a_token)
        tokens = TokenCounts(sent, ceil(self.lengths.reply_tokens))
        return TurnReply("x" * max(self.lengths.reply_characters, 1), None, 200, "stop", tokens)


def _hold(plays: Sequence[Play[Any]], recorded: Calls, lengths: _Lengths) -> _Imagined:
    speaker = _Imagined(recorded, lengths)
    for play in plays:
        asyncio.run(awaited(play(speaker)))
    return speaker


def _recorded(plays: Sequence[Play[Any]], reading: Reading) -> tuple[_Imagined, _Imagined]:
    """Nothing is asked of a recording, not even what it lacks."""
    speaker = _Imagined(reading, _Lengths(0, 1.0, 0.0))
    reading.final = True
    counted = _Counted(Recorded(reading))
    for play in plays:
        asyncio.run(awaited(play(counted)))
    speaker.recorded = counted.turns
    return speaker, speaker


class _Counted:
    def __init__(self, speaker: Recorded) -> None:
        self.turns = 0
        self._speaker = speaker

    async def say(self, conversation: Conversation, text: str, name: str) -> tuple[TurnReply, Conversation]:
        self.turns += 1
        return await self._speaker.say(conversation, text, name)


def _estimate(
    expected: _Imagined, most: _Imagined, price: Price | None, rates: Rates | None = None
) -> Estimate:
    first = _tokens(expected.calls, *expected.tokens, price)
    # With longer replies a conversation may reach its length in fewer calls.
    (sent, back), (long_sent, long_back) = expected.tokens, most.tokens
    longest = _tokens(max(expected.calls, most.calls), max(sent, long_sent), max(back, long_back), price)
    turns = expected.recorded + expected.calls
    return Estimate(turns, expected.recorded, first, longest, rates.calls if rates else 0)


def _tokens(calls: int, sent: float, back: float, price: Price | None) -> Tokens:
    dollars = cost(price, sent, back) if price else None if calls else 0.0
    return Tokens(calls, ceil(round(sent, 6)), ceil(round(back, 6)), dollars)
