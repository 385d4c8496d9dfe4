"""Common words and frequent words: the conversation is one list, and the most frequent is asked for.

Source: Hsieh et al. 2024, "RULER: What's the Real Context Size of Your Long-Context Language Models?",
section 3.
Deviations: common words are pairs of everyday words, and there is no worked example before the list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from tellapart.errors import UsageError
from tellapart.longcontext.generating.tasks import NOUNS, TaskQuestion, Unused

COMMON = 10

_OFTEN, _SELDOM = 30, 3

_SHORT_TOKENS, _SHORT_OFTEN, _SHORT_SELDOM = 4_000, 6, 1
"""Below so many tokens they appear so often; published for fewer than 4,096."""

_ZIPF_EXPONENT = 2.0
"""Of the frequencies of coded words: how fast they fall with the rank, as published."""

FREQUENT = 3
"""Coded words that are asked for, the most frequent but for the dots."""

_DOTS = "..."

_TOKENS_A_CODED_WORD = 50
_LETTERS, _CODED_LETTERS = "abcdefghijklmnopqrstuvwxyz", 6
_A_LINE = 10

COMMON_ASKED = f"Which {COMMON} words appear most often in the word list of {{name}}?"
FREQUENT_ASKED = "Which three coded words appear most often in the coded text of {name}, apart from dots?"

Listed = tuple[list[str], TaskQuestion]
"""Messages that are one list, and its question, whose evidence is the first and last line of each."""

WordList = Callable[[int, int, int, np.random.Generator], Listed]
"""From tokens of the conversation, characters and number of messages to a list."""


def _common_words(length: int, room: int, messages: int, rng: np.random.Generator) -> Listed:
    """Ask for the common words of a numbered list."""
    name = Unused(rng).name()
    often, seldom = (_SHORT_OFTEN, _SHORT_SELDOM) if length < _SHORT_TOKENS else (_OFTEN, _SELDOM)
    header = f"The word list of {name}:"
    words = _compounds(rng)
    common = [next(words) for _ in range(COMMON)]
    entries = [word for word in common for _ in range(often)]
    characters = messages * (len(header) + 1) + sum(_entry(at, word) for at, word in enumerate(entries, 1))
    while True:
        word = next(words)
        characters += sum(_entry(len(entries) + i, word) for i in range(1, seldom + 1))
        if characters > room:
            break
        entries += [word] * seldom
    if len(entries) == COMMON * often:
        raise _does_not_fit("common-words", length)
    order = rng.permutation(len(entries)).tolist()
    listed = [f"{at}. {entries[i]}" for at, i in enumerate(order, 1)]
    return _listed(header, listed, messages, COMMON_ASKED.format(name=name), common, "Common words")


def _does_not_fit(task: str, length: int) -> UsageError:
    return UsageError(
        f"the words of the task {task!r} do not fit into {length:,} tokens",
        next_step="Leave this length or this task out",
    )


def _entry(number: int, word: str) -> int:
    """Characters of an entry with what separates it from the next."""
    return len(f"{number}. {word} ")


def _compounds(rng: np.random.Generator) -> Iterator[str]:
    """Pairs of everyday words, none twice; triples when half of all pairs are used up."""
    seen: set[tuple[int, ...]] = set()
    while True:
        parts = 2 if 2 * len(seen) < len(NOUNS) ** 2 else 3
        drawn = tuple(rng.integers(len(NOUNS), size=parts).tolist())
        if drawn not in seen and len(set(drawn)) == parts:
            seen.add(drawn)
            yield "-".join(NOUNS[i] for i in drawn)


def _frequent_words(length: int, room: int, messages: int, rng: np.random.Generator) -> Listed:
    """Ask for the most frequent words of a coded text."""
    name = Unused(rng).name()
    header = f"The coded text of {name}:"
    # Dots, and words of six letters, none twice.
    vocabulary = {_DOTS: None}
    while len(vocabulary) < max(length // _TOKENS_A_CODED_WORD, FREQUENT + 2):
        vocabulary["".join(_LETTERS[i] for i in rng.integers(len(_LETTERS), size=_CODED_LETTERS))] = None
    room -= messages * (len(header) + 1)
    counts = _zipf(len(vocabulary), room)
    if counts[FREQUENT] <= counts[FREQUENT + 1]:
        raise _does_not_fit("frequent-words", length)
    words = [word for word, count in zip(vocabulary, counts, strict=True) for _ in range(count)]
    words += [_DOTS] * ((room - sum(len(word) + 1 for word in words)) // (len(_DOTS) + 1))
    shuffled = [words[i] for i in rng.permutation(len(words)).tolist()]
    frequent = [*vocabulary][1 : FREQUENT + 1]
    return _listed(header, shuffled, messages, FREQUENT_ASKED.format(name=name), frequent, "Frequent words")


def _zipf(words: int, room: int) -> list[int]:
    """How often each word appears, so that all together have at most ``room`` characters."""
    shares = np.arange(1, words + 1) ** -_ZIPF_EXPONENT / (math.pi**2 / 6)
    lengths = np.full(words, _CODED_LETTERS + 1)
    lengths[0] = len(_DOTS) + 1
    total = max(int(room / float(shares @ lengths)), 0)
    return [int(count) for count in np.floor(total * shares)]


def _listed(
    header: str, entries: Sequence[str], messages: int, text: str, answer: Sequence[str], mode: str
) -> Listed:
    """Cut entries into messages of lines, each under the header."""
    lines = [" ".join(entries[at : at + _A_LINE]) for at in range(0, len(entries), _A_LINE)]
    cuts = [len(lines) * part // messages for part in range(messages + 1)]
    parts = [lines[start:end] for start, end in pairwise(cuts)]
    ends = [line for part in parts for line in (_telling(part), _telling(part[::-1]))]
    question = TaskQuestion(text, ", ".join(answer), mode, "match", tuple(dict.fromkeys(ends)))
    return ["\n".join((header, *part)) for part in parts], question


def _telling(lines: Sequence[str]) -> str:
    """The first line that has several words besides dots, and so is like no other."""
    return next((line for line in lines if 2 * (len(line.split()) - line.count(_DOTS)) >= _A_LINE), lines[0])


WORD_LISTS: Mapping[str, WordList] = {"common-words": _common_words, "frequent-words": _frequent_words}
