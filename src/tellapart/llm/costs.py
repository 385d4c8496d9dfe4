"""What asking will take before a model is asked: calls, tokens, and US dollars where a price is given.

Nothing is sent or written, and neither a key nor Inspect is needed. Left out are what a provider wraps around
messages (some ten tokens a call), schemas that are sent as parameters, and attempts that failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import Any

from tellapart.llm.asking import first_key, known
from tellapart.llm.budget import Price, cost
from tellapart.llm.calls import Call, Request
from tellapart.llm.conversation import Speaker
from tellapart.llm.journal import NotRecorded, RecordedCalls, reading, without_waiting
from tellapart.llm.models import LanguageModel, Respondent
from tellapart.llm.plays import Play
from tellapart.llm.questions import Questions
from tellapart.llm.replay import calls_file

CHARACTERS_A_TOKEN = 3.0
"""Length of a token where no call has shown it. Four, the usual rule for English, is too long for code: 3.1
are those of WordPiece in prompts of ``contrastive`` on this package's own source."""

SHORTEST_TOKEN = 2.0
"""Length of a token in the highest estimate where no call has shown it; Chinese may have shorter ones."""

SHORTEST_CACHED = 1024
"""Tokens below which no prompt is cached: the least of OpenAI, and of Anthropic's larger models."""

REPAIR_CHARACTERS = 600
"""Room for the message that asks for a repair, and for the reason that it quotes."""


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
        expected: One call for each of the others, with replies as long as those so far. Where the price of a
            token from a cache is given, a turn finds there what the turn before it has sent.
        at_most: Every reply as long as allowed, every first reply to a question in need of repair, and caches
            that have nothing.
        calibrated_on: Calls that have shown how long tokens and replies are; 0 for the rule of thumb.
    """

    questions: int
    answered: int
    expected: Tokens
    at_most: Tokens
    calibrated_on: int


@dataclass
class _Seen:
    """Calls that were made: characters and tokens sent, tokens received, and how many calls."""

    characters: int = 0
    sent: int = 0
    received: int = 0
    calls: int = 0

    def add(self, characters: int, call: Call) -> None:
        usage = call.get("usage", {})
        if usage.get("input_tokens"):
            self.characters += characters
            self.sent += usage["input_tokens"]
            self.received += usage["output_tokens"]
            self.calls += 1


@dataclass(frozen=True)
class _Lengths:
    """Of a token in characters, and of a reply in tokens."""

    characters_a_token: float
    reply_tokens: float

    @classmethod
    def expected(cls, seen: _Seen, max_tokens: int, reply_characters: int) -> _Lengths:
        if seen.calls:
            return cls(seen.characters / seen.sent, min(seen.received / seen.calls, max_tokens))
        return cls(CHARACTERS_A_TOKEN, min(reply_characters / CHARACTERS_A_TOKEN, max_tokens))

    @classmethod
    def longest(cls, seen: _Seen, max_tokens: int) -> _Lengths:
        return cls(seen.characters / seen.sent if seen.calls else SHORTEST_TOKEN, max_tokens)


@dataclass(frozen=True)
class _Load:
    """Calls that are left to make, and tokens sent and received; of those sent, from and into caches."""

    calls: int = 0
    sent: float = 0.0
    received: float = 0.0
    cached: float = 0.0
    written: float = 0.0

    def tokens(self, price: Price | None) -> Tokens:
        sent, received = (ceil(round(tokens, 6)) for tokens in (self.sent, self.received))
        dollars = None if self.calls else 0.0
        if price:
            dollars = cost(price, self.sent, self.received, self.cached, self.written)
        return Tokens(self.calls, sent, received, dollars)


def estimate_cost(
    questions: Questions[Any],
    model: LanguageModel,
    journals: Sequence[Path],
    *,
    reply_characters: int,
    price: Price | None,
    reuse: Sequence[Path] = (),
    only_usable: bool = False,
) -> Estimate:
    """Estimate what asking questions would take, of which journals of the run and earlier runs hold some."""
    if model.recording is not None:
        return _estimate(len(questions), _Load(), _Load(), price, 0)
    count, characters, seen = 0, 0, _Seen()
    with reading(journals, reuse, only_usable=only_usable) as calls:
        for question in questions:
            if known(question, model, calls) is None:
                count += 1
                characters += len(question.prompt)
            seen.add(len(question.prompt), calls.get(first_key(question, model)) or {})
    expected = _Lengths.expected(seen, model.max_tokens, reply_characters)
    longest = _Lengths.longest(seen, model.max_tokens)
    once = _Load(count, characters / expected.characters_a_token, count * expected.reply_tokens)
    # A repair sends the prompt once more, the reply to it, and what was wrong with that.
    repaired = (2 * characters + count * REPAIR_CHARACTERS) / longest.characters_a_token
    reply_tokens = count * model.max_tokens
    at_most = _Load(2 * count, repaired + reply_tokens, 2 * reply_tokens)
    return _estimate(len(questions) - count, once, at_most, price, seen.calls)


def estimate_conversations(
    plays: Sequence[Play[Any]],
    model: Respondent,
    journals: Sequence[Path],
    *,
    reply_characters: int,
    price: Price | None,
    caches: bool = True,
) -> Estimate:
    """Estimate what holding conversations would take, in turns, by holding them with replies made up."""
    sources = [calls_file(model.recording)] if model.recording else journals
    with reading(sources, final=model.recording is not None) as calls:
        guess = _Lengths.expected(_Seen(), model.max_tokens, reply_characters)
        seen = _held(plays, calls, guess).seen
        once = _held(plays, calls, _Lengths.expected(seen, model.max_tokens, reply_characters))
        expected = once.load
        at_most = _held(plays, calls, _Lengths.longest(seen, model.max_tokens)).load
    if caches and price and len(price) > 2 and isinstance(model, LanguageModel):
        written = 0.0
        if model.pays_for_caching and once.cached:
            written = once.cacheable - once.cached
            at_most = replace(at_most, written=at_most.sent)
        expected = replace(expected, cached=once.cached, written=written)
    return _estimate(once.recorded, expected, at_most, price, 0 if model.recording else seen.calls)


def count_turns(plays: Sequence[Play[Any]], *, reply_characters: int) -> int:
    """Count the calls that conversations take if none fails; what two begin with alike is one call."""
    with reading([]) as calls:
        lengths = _Lengths.expected(_Seen(), reply_characters, reply_characters)
        return len(_held(plays, calls, lengths).keys)


@dataclass
class _Imagined:
    """Answers what is not recorded as if a reply had come, and counts.

    Attributes:
        cacheable: Tokens of prompts that are long enough for a cache; of these ``cached`` were sent before.
    """

    calls: RecordedCalls
    lengths: _Lengths
    seen: _Seen = field(default_factory=_Seen)
    keys: set[str] = field(default_factory=set)
    recorded: int = 0
    made_up: int = 0
    characters: int = 0
    cached: float = 0.0
    cacheable: float = 0.0

    async def call(self, request: Request) -> Call:
        lengths = [len(message["content"]) for message in request.messages()]
        call = self.calls.get(request.key)
        self.keys.add(request.key)
        if call is None and not self.calls.final:
            return self._imagine(request, lengths)
        self.recorded += 1
        if call is None:
            raise NotRecorded
        self.seen.add(sum(lengths), call)
        return call

    @property
    def load(self) -> _Load:
        """All calls that would be made."""
        sent = self.characters / self.lengths.characters_a_token
        return _Load(self.made_up, sent, self.made_up * self.lengths.reply_tokens)

    def _imagine(self, request: Request, lengths: list[int]) -> Call:
        token, reply = self.lengths.characters_a_token, self.lengths.reply_tokens
        self.made_up += 1
        self.characters += sum(lengths)
        sent = sum(lengths) / token
        # The turn before sent all but its reply and this turn.
        before = sum(lengths[:-2]) / token if request.turn and request.turn.after else 0.0
        self.cached += before if before >= SHORTEST_CACHED else 0.0
        self.cacheable += sent if sent >= SHORTEST_CACHED else 0.0
        usage = {"input_tokens": ceil(sent), "output_tokens": ceil(reply)}
        text = "x" * max(round(reply * token), 1)
        return {"reply": text, "stop_reason": "stop", "usage": usage, "attempts": 0}


def _held(plays: Sequence[Play[Any]], calls: RecordedCalls, lengths: _Lengths) -> _Imagined:
    caller = _Imagined(calls, lengths)
    for play in plays:
        without_waiting(play(Speaker(caller)))
    return caller


def _estimate(
    answered: int, expected: _Load, most: _Load, price: Price | None, calibrated_on: int
) -> Estimate:
    # With longer replies a conversation may reach its length in fewer calls.
    at_most = replace(
        most,
        calls=max(expected.calls, most.calls),
        sent=max(expected.sent, most.sent),
        received=max(expected.received, most.received),
    )
    questions = answered + expected.calls
    return Estimate(questions, answered, expected.tokens(price), at_most.tokens(price), calibrated_on)
