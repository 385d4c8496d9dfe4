"""Where a conversation was cut without notice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tellapart.longcontext.tokens import characters, tokens_a_character, weighted_median
from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Usage

TruncationRule = Literal["plateau", "drop", "shortfall"]

ABSOLUTE_TOLERANCE = 24
"""Tokens by which a prompt may fall short of what is expected: short questions vary by as much."""
RELATIVE_TOLERANCE = 0.25
"""Part of the estimated tokens of the new turn by which a prompt may fall short as well. In the documented
cases the tokens a character of long messages stay within 12 % below their median; the rest is for another
kind of text in the same conversation."""
_TEMPLATE = 8
"""Tokens that a chat template may add to a turn; left out when a rate is measured."""
_LETTERS = 2000
"""How much text a rate must be measured on."""
_STANDSTILL = 0.05
"""Part of the expected growth up to which a prompt is said to have stopped growing."""


@dataclass(frozen=True)
class Truncation:
    """A step whose prompt cannot have held the whole conversation: the first of ``steps`` that cannot."""

    step_id: str
    previous_prompt_tokens: int
    prompt_tokens: int
    expected_prompt_tokens: int
    conversation_length: int
    rule: TruncationRule
    last_step_id: str = ""
    steps: int = 1


@dataclass(frozen=True)
class Scan:
    """Where one conversation was cut, and steps that cannot be compared for want of usage."""

    truncations: tuple[Truncation, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class _Pair:
    """A step and the one that the conversation had before it."""

    step: PlayedStep
    length: int
    was: int
    now: int
    reply_tokens: float
    doubtful_tokens: float
    letters: int

    @property
    def growth(self) -> int:
        return self.now - self.was


def scan(case: PlayedCase) -> Scan:
    """Compare the prompt tokens of each step with those before it.

    Expected are the prompt and the reply of the step before, and the new turn at the tokens a character of
    this conversation; until enough steps were not cut, at no less than half of what the first step has, where
    the system prompt is known. A step is cut where its prompt does not grow, or is short of that by more than
    both tolerances. Where replies are counted as much longer than they are (a model that thinks first), they
    are estimated too. A forked step is compared with the conversation that it was forked from. A step is
    unknown behind what was given before the first call, and where a system keeps the conversation itself.
    """
    if case.control:
        return Scan((), ())
    pairs, unknown = _pairs(case)
    cut = _cut(case, pairs)
    return Scan((cut,) if cut else (), unknown)


def _pairs(case: PlayedCase) -> tuple[list[_Pair], tuple[str, ...]]:
    pairs, unknown = [], []
    rate = tokens_a_character([case])
    cached_within = any(_is_sum(step.usage) for step in case.steps)
    trusted = all(_plausible(step, rate) for step in case.steps)
    parent: PlayedStep | None = None
    answered = given = 0
    for step in case.steps:
        if step.given:
            answered, given = answered + 1, given + characters(step.shown)
            continue
        now = None if step.own_history else _whole(step.usage, cached_within)
        was = _whole(parent.usage, cached_within) if parent else None
        before, length = parent.conversation_length if parent else None, step.conversation_length
        stands_still = not step.forked and before is not None and length is not None and length <= before
        if now is None or (parent is not None and was is None) or stands_still or parent is None and given:
            unknown.append(step.id)
        elif parent is not None and was is not None:
            reply, doubtful = _reply(parent, rate, trusted)
            messages = 2 * (answered + 1) if length is None else length
            letters = given + characters(step.user_message)
            pairs.append(_Pair(step, messages, was, now, reply, doubtful, letters))
        if not step.forked and step.response is not None:
            parent, answered, given = step, answered + 1, 0
    return pairs, tuple(unknown)


def _is_sum(usage: Usage | None) -> bool:
    """Whether the tokens of a prompt are those that were cached and the others: then they are all."""
    if usage is None or not usage.prompt_tokens:
        return False
    return (usage.cache_hit_tokens or 0) + (usage.cache_miss_tokens or 0) == usage.prompt_tokens


def _whole(usage: Usage | None, cached_within: bool) -> int | None:
    """Tokens of the prompt; None where they are not known, or seem to leave cached ones out."""
    if usage is None or usage.prompt_tokens is None or usage.prompt_tokens <= 0:
        return None
    if cached_within:
        return usage.prompt_tokens
    cached, missed = usage.cache_hit_tokens or 0, usage.cache_miss_tokens or 0
    return usage.prompt_tokens if max(cached, cached + missed) <= usage.prompt_tokens else None


def _plausible(step: PlayedStep, rate: float) -> bool:
    """Whether a reply may have as many tokens as are reported."""
    tokens = step.usage.completion_tokens if step.usage else None
    # A model that thinks first is billed for tokens that are no part of the next prompt; 32 allow for the
    # marks of a template around a short reply.
    return tokens is None or tokens <= 2 * rate * characters(step.response or "") + 32


def _reply(step: PlayedStep, rate: float, trusted: bool) -> tuple[float, float]:
    """Tokens of a reply as part of the next prompt, and how many of them are estimated."""
    reported = step.usage.completion_tokens if step.usage else None
    guess = characters(step.response or "") * rate
    if reported is None:
        return guess, guess
    return (float(reported), 0.0) if trusted else (min(reported, guess), min(reported, guess))


def _cut(case: PlayedCase, pairs: Sequence[_Pair]) -> Truncation | None:
    # The rate must not come from steps that were cut themselves, so it is measured up to the first plain cut.
    before_any = _rates(pairs[: next((i for i, pair in enumerate(pairs) if pair.growth <= 0), len(pairs))])
    at_first = _first_rate(case)
    clean: list[tuple[float, int]] = []
    cut: Truncation | None = None
    for pair in pairs:
        # A few short turns give no stable rate; until there are enough, all turns before a cut must do.
        enough = len(clean) >= 3 and sum(letters for _, letters in clean) >= _LETTERS
        rate = weighted_median(clean) if enough else max(weighted_median(before_any), at_first / 2)
        turn = pair.letters * max(0.0, rate)
        growth = pair.reply_tokens + turn
        rule, id_ = _rule(pair, growth, turn), pair.step.id
        if rule is None:
            clean += _rates([pair])
        elif cut is None:
            cut = Truncation(id_, pair.was, pair.now, round(pair.was + growth), pair.length, rule, id_)
        else:
            cut = replace(cut, last_step_id=id_, steps=cut.steps + 1)
    return cut


def _rates(pairs: Sequence[_Pair]) -> list[tuple[float, int]]:
    return [((p.growth - p.reply_tokens - _TEMPLATE) / p.letters, p.letters) for p in pairs if p.letters]


def _first_rate(case: PlayedCase) -> float:
    """Tokens a character of the first step, whose prompt is all there is; 0 where it is short or unknown."""
    first = next(iter(case.steps), None)
    tokens = first.prompt_tokens if first else None
    if first is None or not tokens or case.system is None:
        return 0.0
    letters = characters(case.system) + characters(first.user_message)
    return tokens / letters if letters >= _LETTERS else 0.0


def _rule(pair: _Pair, growth: float, turn: float) -> TruncationRule | None:
    if pair.growth < 0:
        return "drop"
    if pair.growth == 0:
        return "plateau"
    tolerance = ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * (turn + pair.doubtful_tokens)
    if growth - pair.growth <= tolerance:
        return None
    return "plateau" if pair.growth <= _STANDSTILL * growth else "shortfall"
