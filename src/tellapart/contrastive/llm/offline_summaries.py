"""Offline writers of summaries, of three qualities: no language models, but they can be compared.

A prompt without code, such as one to repair a reply, has an answer that cannot be read.
"""

from __future__ import annotations

import json
import re
from collections import Counter

from tellapart.embed.identifiers import split_identifiers
from tellapart.llm.offline import respond
from tellapart.llm.quoting import material_of

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
