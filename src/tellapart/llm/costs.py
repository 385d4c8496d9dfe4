"""What questions will take before they are asked: calls, tokens, and US dollars where a price is given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from tellapart.llm.budget import Price, cost

CHARACTERS_A_TOKEN = 3.0
"""Length of a token where no call has shown it.

Four is the usual rule for English, and too long for code: WordPiece, as all-MiniLM-L6-v2 has it, makes 240
prompts of ``contrastive`` on this package's own source into tokens of 3.1 characters (2.7 to 3.6 a prompt).
"""

SHORTEST_TOKEN = 2.0
"""Length of a token in the highest estimate where no call has shown it; Chinese may have shorter ones."""

REPAIR_CHARACTERS = 600
"""Room for the message that asks for a repair, and for the reason that it quotes."""


@dataclass(frozen=True)
class Rates:
    """How text turns into tokens, as calls have shown.

    Attributes:
        characters_a_token: Of prompts.
        reply_tokens: Mean of a reply, what a model thinks to itself included.
        calls: How many have shown it; at least 1.
    """

    characters_a_token: float
    reply_tokens: float
    calls: int


@dataclass(frozen=True)
class OpenQuestion:
    """A question that has no answer yet.

    Attributes:
        prompt_characters: Of the prompt.
        reply_characters: Of an ordinary reply in the right form.
    """

    prompt_characters: int
    reply_characters: int


@dataclass(frozen=True)
class Tokens:
    """Calls and tokens, and what they cost.

    Attributes:
        calls: Replies that are waited for.
        input_tokens: Sent, rounded up.
        output_tokens: Received, rounded up.
        cost: In US dollars; None where calls are to be made and there is no price.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True)
class Estimate:
    """What the questions to a model will take.

    Attributes:
        questions: All of them.
        answered: Those whose answer is known already.
        expected: One call for each of the others.
        at_most: Every reply as long as allowed, and every first one in need of repair.
        calibrated_on: Calls that have shown how long tokens and replies are; 0 for the rule of thumb.
    """

    questions: int
    answered: int
    expected: Tokens
    at_most: Tokens
    calibrated_on: int


def observed_rates(calls: Iterable[tuple[int, int, int]]) -> Rates | None:
    """How text turned into tokens in calls of one model.

    Args:
        calls: Characters of the prompt, tokens in, tokens out; a call without tokens in says nothing.

    Returns:
        All characters by all tokens, so that a long prompt weighs as much as it costs, and the mean reply;
        None where no call says anything.
    """
    measured = [call for call in calls if call[1] > 0]
    if not measured:
        return None
    characters, sent, received = (sum(column) for column in zip(*measured, strict=True))
    return Rates(characters / sent, received / len(measured), len(measured))


def estimate(
    unanswered: Iterable[OpenQuestion],
    *,
    answered: int,
    max_tokens: int,
    price: Price | None,
    rates: Rates | None = None,
) -> Estimate:
    """Estimate what is left to ask of one model.

    With ``rates`` of the same questions the error is that of a sample. Without them see
    ``CHARACTERS_A_TOKEN``; and a model that thinks before it replies takes far more than its reply, though
    never more than ``max_tokens``. Both figures leave out what a provider wraps around messages (some ten
    tokens a call), a schema that is sent as a parameter, discounts for prompts it has cached, and attempts
    that failed: one that was given up after its time limit may still be charged.

    Args:
        unanswered: What is to be asked; iterated once.
        answered: Questions that need no call.
        max_tokens: Of a reply.
        price: US dollars for a million tokens in, and out.
        rates: How text turns into tokens, where calls have shown it.
    """
    count, characters, received = 0, 0, 0.0
    for question in unanswered:
        count += 1
        characters += question.prompt_characters
        reply = rates.reply_tokens if rates else question.reply_characters / CHARACTERS_A_TOKEN
        received += min(reply, max_tokens)
    token, shortest = (rates.characters_a_token,) * 2 if rates else (CHARACTERS_A_TOKEN, SHORTEST_TOKEN)
    # A repair sends the prompt once more, the reply to it, and what was wrong with that.
    repaired = (2 * characters + count * REPAIR_CHARACTERS) / shortest + count * max_tokens
    return Estimate(
        questions=answered + count,
        answered=answered,
        expected=_tokens(count, characters / token, received, price),
        at_most=_tokens(2 * count, repaired, 2 * count * max_tokens, price),
        calibrated_on=rates.calls if rates else 0,
    )


def _tokens(calls: int, sent: float, received: float, price: Price | None) -> Tokens:
    whole_sent, whole_received = (ceil(round(tokens, 6)) for tokens in (sent, received))
    dollars = cost(price, sent, received) if price else None if calls else 0.0
    return Tokens(calls, whole_sent, whole_received, dollars)
