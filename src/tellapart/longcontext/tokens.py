"""How many tokens a text is: as the provider counted the conversation that it is from, or a guess."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.longcontext.played import PlayedCase

TOKENS_A_CHARACTER = 0.25
"""The guess where nobody counted."""


def tokens_a_character(cases: Sequence[PlayedCase]) -> float:
    """What the providers' own counts say of the texts that they were sent.

    Taken from how much the prompt grew from one step to the next, so that system prompts that the record does
    not hold, and what a chat template adds once, cancel out: the median over pairs of neighbouring steps.

    Returns:
        A rate above 0; ``TOKENS_A_CHARACTER`` where there are no two counts in a row.
    """
    rates = []
    for case in cases:
        steps = [step for step in case.steps if not step.forked and step.response is not None]
        for before, after in zip(steps, steps[1:], strict=False):
            was, now = before.prompt_tokens, after.prompt_tokens
            if was is None or now is None or now <= was:
                continue
            characters = len(before.response or "") + len(after.user_message)
            if characters:
                rates.append((now - was) / characters)
    return sorted(rates)[len(rates) // 2] if rates else TOKENS_A_CHARACTER


def estimated(text: str, rate: float = TOKENS_A_CHARACTER) -> int:
    """Tokens of a text, rounded up; 0 of an empty one."""
    return -int(-len(text) * rate // 1)
