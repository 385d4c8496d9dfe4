"""Offline stand-ins for language models: one orders options by shared words, three write summaries."""

from __future__ import annotations

import json
import re
from collections import Counter

from tellapart.embed.identifiers import split_identifiers
from tellapart.llm.quoting import material_of
from tellapart.testing.offline.provider import respond

# Material begins its lines with a bar, so that no heading can stand in it.
_PARTS = re.compile(r"^\w+ (?:Summary|Option \d+)\n((?:\|.*\n)+)", re.MULTILINE)


@respond("overlap")
def overlap(prompt: str) -> str:
    """Order the options by how many words of the summary they hold; the first of equals comes first.

    A prompt without a summary and options, such as one to repair a reply, has an answer that cannot be read.
    """
    summary, *options = [set(split_identifiers(match[1])) for match in _PARTS.finditer(prompt)] or [set()]
    if not options:
        return "There is nothing to order."
    shares = [len(summary & option) / max(len(summary), 1) for option in options]
    order = sorted(range(1, len(options) + 1), key=lambda number: -shares[number - 1])
    reply = {
        "order": order,
        "selected": order[0],
        "confidence": round(shares[order[0] - 1], 3),
        "reasoning": "It shares the most words with the summary.",
    }
    return json.dumps(reply)


MOST_WORDS = 4
"""Words in a summary; with more of them the code is found every time."""

_NAME = re.compile(r"[A-Za-z_]\w*")
_SHORTEST_WORD = 3


@respond("names")
def names(prompt: str) -> str:
    """Say which words the code's identifiers are made of, the most frequent first."""
    lines = material_of(prompt).split("\n")
    words = Counter(word for word in _words("\n".join(lines[1:])) if len(word) >= _SHORTEST_WORD)
    return _reply(prompt, f"Works with {_listed([word for word, _ in words.most_common(MOST_WORDS)])}.")


@respond("first-line")
def first_line(prompt: str) -> str:
    """Say which words stand in the second line, decorators not counted; the first of them."""
    lines = [line for line in material_of(prompt).split("\n") if _NAME.search(line) and line[:1] != "@"]
    words = list(dict.fromkeys(_words("\n".join(lines[1:2]))))
    return _reply(prompt, f"Begins with a line about {_listed(words[:MOST_WORDS])}.")


@respond("vague")
def vague(prompt: str) -> str:
    """Say what is true of nearly all code."""
    length = "long" if material_of(prompt).count("\n") >= 20 else "short"
    return _reply(prompt, f"A {length} piece of code that takes some values and gives back a result.")


def _words(code: str) -> list[str]:
    return split_identifiers(" ".join(_NAME.findall(code)))


def _listed(words: list[str]) -> str:
    return ", ".join(words) or "nothing in particular"


def _reply(prompt: str, summary: str) -> str:
    return json.dumps({"summary": summary}) if material_of(prompt) else "There is no code to describe."
