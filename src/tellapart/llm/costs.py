"""What asking will take before a model is asked: calls, tokens, and US dollars where a price is given.

Nothing is sent or written, and neither a key nor Inspect is needed. Left out are what a provider wraps around
messages (some ten tokens a call), schemas that are sent as parameters, and attempts that failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from tellapart.llm.asking import known
from tellapart.llm.budget import Price, cost
from tellapart.llm.calls import Call, Request
from tellapart.llm.conversation import Speaker
from tellapart.llm.journal import NotRecorded, RecordedCalls, calls_file, reading, without_waiting
from tellapart.llm.models import LanguageModel, Respondent
from tellapart.llm.plays import Play
from tellapart.llm.questions import Questions

CHARACTERS_A_TOKEN = 3.0
"""Length of a token. Four, the usual rule for English, is too long for code: 3.1 are those of WordPiece in
prompts of ``contrastive`` on this package's own source."""

SHORTEST_TOKEN = 2.0
"""Length of a token in the highest estimate; Chinese may have shorter ones."""

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
    """What the questions to a model, or the turns of conversations, will take that are not answered.

    ``expected`` has one call each and replies of the usual length; where there is a price of cached tokens, a
    turn finds what the turn before it sent. ``at_most`` has the longest replies, a repair of each question,
    short tokens, and no caches.
    """

    questions: int
    answered: int
    expected: Tokens
    at_most: Tokens


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
    with reading(journals, reuse, only_usable=only_usable) as calls:
        asked = () if model.recording else questions
        left = [len(each.prompt) for each in asked if known(each, model, calls) is None]
    count, characters = len(left), sum(left)
    reply = min(reply_characters / CHARACTERS_A_TOKEN, model.max_tokens)
    longest = count * model.max_tokens
    # A repair sends the prompt once more, the reply to it, and what was wrong with that.
    repaired = (2 * characters + count * REPAIR_CHARACTERS) / SHORTEST_TOKEN + longest
    return Estimate(
        len(questions),
        len(questions) - count,
        _tokens(count, characters / CHARACTERS_A_TOKEN, count * reply, price),
        _tokens(2 * count, repaired, 2 * longest, price),
    )


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
    reply = min(reply_characters / CHARACTERS_A_TOKEN, model.max_tokens)
    with reading(sources, final=model.recording is not None) as calls:
        once = _held(plays, _Imagined(calls, CHARACTERS_A_TOKEN, reply))
        most = _held(plays, _Imagined(calls, SHORTEST_TOKEN, model.max_tokens))
    cached = once.cached if caches and price and len(price) > 2 else 0.0
    # With longer replies a conversation may reach its length in fewer calls.
    return Estimate(
        once.recorded + once.made_up,
        once.recorded,
        _tokens(once.made_up, once.sent, once.made_up * once.reply, price, cached),
        _tokens(
            max(once.made_up, most.made_up),
            max(once.sent, most.sent),
            max(once.made_up * once.reply, most.made_up * most.reply),
            price,
        ),
    )


@dataclass
class _Imagined:
    """Answers what is not recorded with ``reply`` tokens, each ``token`` characters long, and counts."""

    calls: RecordedCalls
    token: float
    reply: float
    recorded: int = 0
    made_up: int = 0
    sent: float = 0.0
    cached: float = 0.0

    async def call(self, request: Request) -> Call:
        call = self.calls.get(request.key)
        if call is None and not self.calls.final:
            return self._imagine(request)
        self.recorded += 1
        if call is None:
            raise NotRecorded
        return call

    def _imagine(self, request: Request) -> Call:
        tokens = [len(message["content"]) / self.token for message in request.messages()]
        # The turn before sent all but its reply and this turn.
        before = sum(tokens[:-2]) if request.turn and request.turn.after else 0.0
        self.made_up += 1
        self.sent += sum(tokens)
        self.cached += before if before >= SHORTEST_CACHED else 0.0
        usage = {"input_tokens": ceil(sum(tokens)), "output_tokens": ceil(self.reply)}
        text = "x" * max(round(self.reply * self.token), 1)
        return {"reply": text, "stop_reason": "stop", "usage": usage, "attempts": 0}


def _held(plays: Sequence[Play[Any]], caller: _Imagined) -> _Imagined:
    for play in plays:
        without_waiting(play(Speaker(caller)))
    return caller


def _tokens(calls: int, sent: float, received: float, price: Price | None, cached: float = 0.0) -> Tokens:
    dollars = None if calls else 0.0
    if price:
        dollars = cost(price, sent, received, cached)
    return Tokens(calls, ceil(round(sent, 6)), ceil(round(received, 6)), dollars)
