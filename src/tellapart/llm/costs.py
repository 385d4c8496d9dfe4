"""What asking will take before a model is asked: calls, tokens, and US dollars where a price is given.

Nothing is sent, journals stay as they are, and neither a key nor Inspect is needed. With calls that were
made the error is that of a sample. Without any see ``CHARACTERS_A_TOKEN``; and a model that thinks before it
replies takes far more than its reply, though never more than ``max_tokens``. All figures leave out what a
provider wraps around messages (some ten tokens a call), a schema that is sent as a parameter, and attempts
that failed: one that was given up after its time limit may still be charged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

from tellapart.llm.asking import first_key, recorded
from tellapart.llm.budget import Price, cost
from tellapart.llm.calls import Call, Request
from tellapart.llm.conversation import Speaker
from tellapart.llm.journal import NotRecorded, RecordedCalls, reading, without_waiting
from tellapart.llm.models import LanguageModel, Respondent
from tellapart.llm.plays import Play
from tellapart.llm.questions import Questions
from tellapart.llm.replay import calls_file

CHARACTERS_A_TOKEN = 3.0
"""Length of a token where no call has shown it.

Four is the usual rule for English, and too long for code: WordPiece, as all-MiniLM-L6-v2 has it, makes 240
prompts of ``contrastive`` on this package's own source into tokens of 3.1 characters (2.7 to 3.6 a prompt).
"""

SHORTEST_TOKEN = 2.0
"""Length of a token in the highest estimate where no call has shown it; Chinese may have shorter ones."""

SHORTEST_CACHED = 1024
"""Tokens below which no prompt is cached: the least of OpenAI, and of Anthropic's larger models."""

REPAIR_CHARACTERS = 600
"""Room for the message that asks for a repair, and for the reason that it quotes."""


@dataclass(frozen=True)
class Rates:
    """How text turns into tokens, as calls have shown: at least one call of a model."""

    characters_a_token: float
    reply_tokens: float
    calls: int


@dataclass(frozen=True)
class Tokens:
    """Calls, tokens rounded up, and US dollars; None where calls are to be made and there is no price."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True)
class Estimate:
    """What the questions to a model will take, or the turns of conversations with it.

    Attributes:
        answered: Those whose answer is known already.
        expected: One call for each of the others, with replies as long as those so far. Where the price of a
            token from a cache is given, a turn finds there what an earlier one of its conversation has sent.
        at_most: Every reply as long as allowed, every first reply to a question in need of repair, and caches
            that have nothing.
        calibrated_on: Calls that have shown how long tokens and replies are; 0 for the rule of thumb.
    """

    questions: int
    answered: int
    expected: Tokens
    at_most: Tokens
    calibrated_on: int


def observed_rates(calls: Iterable[tuple[int, int, int]]) -> Rates | None:
    """How text turned into tokens in calls of one model: characters and tokens sent, tokens received."""
    measured = [call for call in calls if call[1] > 0]
    if not measured:
        return None
    characters, sent, received = (sum(column) for column in zip(*measured, strict=True))
    return Rates(characters / sent, received / len(measured), len(measured))


def estimate_cost(
    questions: Questions[Any],
    model: LanguageModel,
    journals: Sequence[Path],
    *,
    reply_characters: int,
    price: Price | None,
) -> Estimate:
    """Estimate what asking questions would take."""
    if model.recording is not None:
        return _estimate(len(questions), _Load(), _Load(), price, None)
    prompts: list[int] = []
    seen: list[tuple[int, int, int]] = []
    with reading(journals) as calls:
        for question in questions:
            if recorded(question, model, calls) is None:
                prompts.append(len(question.prompt))
            call = calls.get(first_key(question, model))
            if call is not None and "usage" in call:
                seen.append((len(question.prompt), *_usage(call)))
    return estimate(
        prompts,
        answered=len(questions) - len(prompts),
        max_tokens=model.max_tokens,
        reply_characters=reply_characters,
        price=price,
        rates=observed_rates(seen),
    )


def estimate(
    prompts: Collection[int],
    *,
    answered: int,
    max_tokens: int,
    reply_characters: int,
    price: Price | None,
    rates: Rates | None = None,
) -> Estimate:
    """Estimate what is left to ask of one model, by the lengths of prompts; see ``estimate_cost``."""
    count, characters = len(prompts), sum(prompts)
    expected = _Lengths.expected(rates, max_tokens, reply_characters)
    token = _Lengths.longest(rates, max_tokens).characters_a_token
    # A repair sends the prompt once more, the reply to it, and what was wrong with that.
    repaired = (2 * characters + count * REPAIR_CHARACTERS) / token + count * max_tokens
    once = _Load(count, characters / expected.characters_a_token, count * expected.reply_tokens)
    return _estimate(answered, once, _Load(2 * count, repaired, 2 * count * max_tokens), price, rates)


def estimate_conversations(
    plays: Sequence[Play[Any]],
    model: Respondent,
    journals: Sequence[Path],
    *,
    reply_characters: int,
    price: Price | None,
    caches: bool = True,
) -> Estimate:
    """Estimate what holding conversations would take, by holding them with replies that are made up.

    A question of the estimate is a turn. Expected are replies as long as those so far, or as
    ``reply_characters``; at most, replies as long as allowed, and without any call to go by the shortest
    tokens that there may be.
    """
    sources = [calls_file(model.recording)] if model.recording else journals
    with reading(sources, final=model.recording is not None) as calls:
        first = _held(plays, calls, _Lengths(CHARACTERS_A_TOKEN, 1, reply_characters))
        if model.recording is not None:
            return _estimate(first.recorded, first.load, first.load, price, None)
        rates = observed_rates(first.seen)
        once = _held(plays, calls, _Lengths.expected(rates, model.max_tokens, reply_characters))
        longest = _held(plays, calls, _Lengths.longest(rates, model.max_tokens))
    expected, at_most = once.load, longest.load
    if caches and price and len(price) > 2 and isinstance(model, LanguageModel):
        writes = model.pays_for_caching and once.cached > 0
        expected = replace(expected, cached=once.cached, written=once.written if writes else 0.0)
        at_most = replace(at_most, written=at_most.sent if writes else 0.0)
    return _estimate(once.recorded, expected, at_most, price, rates)


def count_turns(plays: Sequence[Play[Any]], *, reply_characters: int) -> int:
    """Count the calls that conversations take, by holding them with replies that are made up.

    What two conversations have in common at their beginnings is one call. Without an error, that is: one of
    a provider may end a conversation early.
    """
    with reading([]) as calls:
        return len(_held(plays, calls, _Lengths.expected(None, reply_characters, reply_characters)).keys)


@dataclass(frozen=True)
class _Lengths:
    """Of a token in characters, and of a reply in tokens and characters."""

    characters_a_token: float
    reply_tokens: float
    reply_characters: int

    @classmethod
    def expected(cls, rates: Rates | None, max_tokens: int, reply_characters: int) -> _Lengths:
        token = rates.characters_a_token if rates else CHARACTERS_A_TOKEN
        reply = min(rates.reply_tokens if rates else reply_characters / token, max_tokens)
        return cls(token, reply, round(reply * token))

    @classmethod
    def longest(cls, rates: Rates | None, max_tokens: int) -> _Lengths:
        token = rates.characters_a_token if rates else SHORTEST_TOKEN
        return cls(token, max_tokens, round(max_tokens * token))


@dataclass(frozen=True)
class _Load:
    """Calls that are left to make, and tokens sent and received; of those sent, from and into caches."""

    calls: int = 0
    sent: float = 0.0
    received: float = 0.0
    cached: float = 0.0
    written: float = 0.0


class _Imagined:
    """Answers what is not recorded as if a reply had come, and counts."""

    def __init__(self, calls: RecordedCalls, lengths: _Lengths) -> None:
        self.seen: list[tuple[int, int, int]] = []
        self.recorded, self._made_up, self._characters = 0, 0, 0
        self.cached, self.written = 0.0, 0.0
        self.keys: set[str] = set()
        self._calls, self._lengths = calls, lengths
        self._next: dict[tuple[int, str, str], int] = {}

    async def call(self, request: Request) -> Call:
        call = self._calls.get(request.key)
        self.keys.add(request.key)
        if call is None and not self._calls.final:
            return self._imagine(request)
        self.recorded += 1
        if call is None:
            raise NotRecorded
        if "usage" in call:
            self.seen.append((_characters(request), *_usage(call)))
        return call

    @property
    def load(self) -> _Load:
        """All calls that would be made."""
        sent = self._characters / self._lengths.characters_a_token
        return _Load(self._made_up, sent, self._made_up * self._lengths.reply_tokens)

    def begin(self) -> None:
        """Begin a conversation, of which no cache has anything."""
        self._next.clear()

    def _imagine(self, request: Request) -> Call:
        characters, token = _characters(request), self._lengths.characters_a_token
        self._made_up += 1
        self._characters += characters
        shared = self._sent_before(request) / token
        cached = shared if shared >= SHORTEST_CACHED else 0.0
        self.cached += cached
        self.written += characters / token - cached if characters / token >= SHORTEST_CACHED else 0.0
        usage = {"input_tokens": ceil(characters / token), "output_tokens": ceil(self._lengths.reply_tokens)}
        text = "x" * max(self._lengths.reply_characters, 1)
        return {"reply": text, "stop_reason": "stop", "usage": usage, "attempts": 0}

    def _sent_before(self, request: Request) -> int:
        """Characters of the whole messages that a call begins with and an earlier one has sent.

        Every beginning of what was sent is a node in a tree of messages.
        """
        node = shared = 0
        for message in request.messages():
            edge = (node, message["role"], message["content"])
            if edge in self._next:
                shared += len(message["content"])
            node = self._next.setdefault(edge, len(self._next) + 1)
        return shared


def _characters(request: Request) -> int:
    return sum(len(message["content"]) for message in request.messages())


def _usage(call: Call) -> tuple[int, int]:
    return call["usage"]["input_tokens"], call["usage"]["output_tokens"]


def _held(plays: Sequence[Play[Any]], calls: RecordedCalls, lengths: _Lengths) -> _Imagined:
    caller = _Imagined(calls, lengths)
    for play in plays:
        caller.begin()
        without_waiting(play(Speaker(caller)))
    return caller


def _estimate(
    answered: int, expected: _Load, most: _Load, price: Price | None, rates: Rates | None
) -> Estimate:
    # With longer replies a conversation may reach its length in fewer calls.
    at_most = replace(
        most,
        calls=max(expected.calls, most.calls),
        sent=max(expected.sent, most.sent),
        received=max(expected.received, most.received),
    )
    questions, calibrated_on = answered + expected.calls, rates.calls if rates else 0
    return Estimate(questions, answered, _tokens(expected, price), _tokens(at_most, price), calibrated_on)


def _tokens(load: _Load, price: Price | None) -> Tokens:
    sent, received = (ceil(round(tokens, 6)) for tokens in (load.sent, load.received))
    dollars = 0.0 if not load.calls else None
    if price:
        dollars = cost(price, load.sent, load.received, load.cached, load.written)
    return Tokens(load.calls, sent, received, dollars)
