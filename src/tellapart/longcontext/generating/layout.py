"""Where sentences stand in a conversation: facts at their depths, filler between, cut into messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_PARAGRAPH = 7
_SHORTEST = 40
_GAP = 100


@dataclass(frozen=True)
class Placed:
    """A sentence and how far into the text it is to stand, from 0 to 1."""

    depth: float
    sentence: str


def laid_out(placed: Sequence[Placed], filler: Iterator[str], characters: int) -> list[str]:
    """Put sentences between filler.

    Between any two of them there is a sentence of filler, as long as there is room. Those of the same depth
    follow each other in the order in which they are given.

    Args:
        placed: In any order.
        filler: Sentences, ``characters`` of them or more.
        characters: How long the text is to be, with one character between sentences.

    Returns:
        Sentences in order; the last of filler is cut at a word, so that the length is right.
    """
    waiting = sorted(placed, key=lambda one: one.depth)
    budget = characters - sum(len(one.sentence) + 1 for one in waiting)
    text: list[str] = []
    length = 0
    while budget > 0 or waiting:
        if waiting and (budget <= 0 or length >= _due(waiting, characters)):
            text.append(waiting.pop(0).sentence)
            length += len(text[-1]) + 1
        if budget > 0:
            text.append(_fitting(next(filler), budget))
            budget -= len(text[-1]) + 1
            length += len(text[-1]) + 1
    return text


def _due(waiting: Sequence[Placed], characters: int) -> float:
    """Where the first is to stand; those of its depth that follow it must fit in too, with filler between."""
    depth = waiting[0].depth
    alike = [len(one.sentence) + 1 for one in waiting if one.depth == depth]
    return depth * (characters - sum(alike) - _GAP * (len(alike) - 1))


def messages_of(sentences: Sequence[str], count: int) -> list[str]:
    """Cut a text into messages of about the same length, of paragraphs; no message is empty.

    Args:
        sentences: In order; as many as messages or more.
        count: How many messages, at least 1.
    """
    total = sum(len(sentence) + 1 for sentence in sentences)
    parts: list[list[str]] = [[] for _ in range(count)]
    length = 0
    for sentence in sentences:
        parts[min(length * count // total, count - 1)].append(sentence)
        length += len(sentence) + 1
    return [_paragraphs(part) for part in parts if part]


def _paragraphs(sentences: Sequence[str]) -> str:
    starts = range(0, len(sentences), _PARAGRAPH)
    return "\n\n".join(" ".join(sentences[start : start + _PARAGRAPH]) for start in starts)


def _fitting(sentence: str, budget: int) -> str:
    """The sentence, or its first words where no other would fit behind it."""
    if budget - len(sentence) > _SHORTEST:
        return sentence
    words = sentence.rstrip(".").split()
    while len(" ".join(words)) + 2 > budget and len(words) > 1:
        words.pop()
    return f"{' '.join(words)}."
