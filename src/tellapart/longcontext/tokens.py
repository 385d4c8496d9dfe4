"""How many tokens a text is: as the provider counted the conversation that it is from, or a guess."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tellapart.longcontext.defaults import TOKENS_A_CHARACTER
from tellapart.longcontext.transcript import PlayedCase, PlayedStep

_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
_AS_LETTERS = 4


def characters(text: str) -> int:
    """Length of a text in letters; an ideograph or a syllable of Korean counts as four."""
    return len(text) if text.isascii() else len(text) + (_AS_LETTERS - 1) * len(_WIDE.findall(text))


def tokens_a_character(cases: Sequence[PlayedCase]) -> float:
    """What the providers' own counts say of the texts that they were sent.

    The median of how much prompts grew from one step to the next, by characters, so that system prompts that
    a record does not hold cancel out. What follows a prompt that did not grow is left out.
    """
    return weighted_median([pair for case in cases for pair in _growths(case)])


def weighted_median(rates: Sequence[tuple[float, int]]) -> float:
    """The rate below which half of the characters lie."""
    half = sum(weight for _, weight in rates) / 2
    below = 0
    for rate, weight in sorted(rates):
        below += weight
        if below >= half:
            return rate
    return TOKENS_A_CHARACTER


def estimated(text: str, rate: float = TOKENS_A_CHARACTER) -> int:
    """Tokens of a text, rounded up; 0 of an empty one."""
    return -int(-characters(text) * rate // 1)


def _growths(case: PlayedCase) -> Iterator[tuple[float, int]]:
    before: PlayedStep | None = None
    given = ""
    for step in case.steps:
        if step.given:
            given += step.shown
            continue
        if step.forked or step.response is None or case.control:
            continue
        was, now = before.prompt_tokens if before else None, step.prompt_tokens
        if before and was and now:
            if now <= was:
                return
            if count := characters((before.response or "") + given + step.user_message):
                yield (now - was) / count, count
        before, given = step, ""
