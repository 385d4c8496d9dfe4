"""What a synthetic experiment is to be, and how it is written on a command line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tellapart.errors import UsageError
from tellapart.longcontext.defaults import TOKENS_A_CHARACTER

MOST_DISTRACTORS = 10
"""There are not many more names that differ in one letter."""

SHORTEST_TOKENS = 500
LONGEST_TOKENS = 10_000_000

_LENGTH = re.compile(r"(\d+(?:\.\d+)?)([KM]?)", re.I)
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


@dataclass(frozen=True)
class Design:
    """What is made.

    Attributes:
        lengths: Tokens of the context when a probe is asked, distinct.
        depths: Where facts stand, from 0 (the beginning) to 1 (the end), distinct.
        facts: How many at each depth of each conversation.
        conversations: How many of each length.
        distractors: Sentences a fact that look like it and do not answer the question.
        traps: Questions a conversation whose answer is never said.
        messages: At most how many messages a conversation; short ones have fewer, of 1,000 tokens or more.
        latent: Whether questions share no word with their evidence, so that general knowledge must link them.
        rate: Tokens a character.
        seed: Of everything.
    """

    lengths: tuple[int, ...]
    depths: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0)
    facts: int = 1
    conversations: int = 8
    distractors: int = 1
    traps: int = 1
    messages: int = 8
    latent: bool = False
    rate: float = TOKENS_A_CHARACTER
    seed: int = 0


def lengths_of(text: str) -> tuple[int, ...]:
    """Read lengths such as ``2K,4K,1500``, where ``K`` is a thousand and ``M`` a million.

    Raises:
        UsageError: One is no length, out of range or there twice.
    """
    lengths = []
    for part in map(str.strip, text.split(",")):
        match = _LENGTH.fullmatch(part)
        tokens = round(float(match[1]) * _UNITS[match[2].lower()]) if match else 0
        if not SHORTEST_TOKENS <= tokens <= LONGEST_TOKENS:
            raise UsageError(
                f"--lengths has {part!r}, expected tokens from {SHORTEST_TOKENS} to 10M",
                next_step="Write them as in --lengths 2K,4K,8K,16K",
            )
        lengths.append(tokens)
    _distinct(lengths, "--lengths")
    return tuple(lengths)


def depths_of(text: str) -> tuple[float, ...]:
    """Read depths such as ``0,25,50,75,100``, in percent.

    Returns:
        Shares, from 0 to 1.

    Raises:
        UsageError: One is no number from 0 to 100, or there twice.
    """
    depths = []
    for part in map(str.strip, text.split(",")):
        try:
            percent = float(part.removesuffix("%"))
        except ValueError:
            percent = -1.0
        if not 0 <= percent <= 100:
            raise UsageError(
                f"--depths has {part!r}, expected percentages from 0 (the beginning) to 100 (the end)",
                next_step="Write them as in --depths 0,25,50,75,100",
            )
        depths.append(percent / 100)
    _distinct(depths, "--depths")
    return tuple(depths)


def name_of(tokens: int) -> str:
    """A length as people write it: 16,000 is ``16K``, 1,500 is ``1500``."""
    return f"{tokens // 1000}K" if tokens % 1000 == 0 else str(tokens)


def _distinct(values: list[int] | list[float], option: str) -> None:
    twice = next((value for i, value in enumerate(values) if value in values[:i]), None)
    if twice is not None:
        shown = name_of(int(twice)) if option == "--lengths" else f"{100 * twice:g}"
        raise UsageError(f"{option} has {shown!r} twice", next_step="Name each once")
