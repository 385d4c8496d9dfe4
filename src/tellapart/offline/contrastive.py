"""Offline stand-ins for language models: for options, summaries, judgements and queries."""

from __future__ import annotations

import json
import re
from collections import Counter

from tellapart.embed.identifiers import split_identifiers
from tellapart.llm.quoting import material_of
from tellapart.offline.responders import respond

# Material begins its lines with a bar, so that no heading can stand in it.
_PARTS = re.compile(r"^\w+ (Summary|Code|Option|Description)(?: \d+)?\n((?:\|.*\n)+)", re.MULTILINE)


@respond("overlap")
def overlap(prompt: str) -> str:
    """Order the options by how many words of the summary they hold; of two descriptions take the nearer."""
    headings = [match[1] for match in _PARTS.finditer(prompt)]
    summary, *options = [set(split_identifiers(match[2])) for match in _PARTS.finditer(prompt)] or [set()]
    if not options:
        return "There is nothing to order."
    if headings[0] == "Code":
        first_share, second_share = (len(summary & option) / max(len(option), 1) for option in options)
        return json.dumps(
            {
                "selected": 2 if second_share > first_share else 1,
                "reasoning": "The code has more of its words.",
            }
        )
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
    words = Counter(_long_words("\n".join(lines[1:])))
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


@respond("searcher")
def searcher(prompt: str) -> str:
    """Search with words of the code: the rarest ones where a query is specific, the commonest where vague."""
    code = material_of(prompt)
    if not code:
        return "There is no code to search for."
    ordered = [word for word, _ in Counter(_long_words(code)).most_common()]
    common, rare = ordered[:2], ordered[::-1][:3]
    reply = {
        "vague": f"something with {_listed(common[:1])}",
        "wrong_terminology": f"thing that deals with {_listed(rare[:1])}",
        "specific_behavior": f"what happens to {_listed(rare)}",
        "integration": f"use {_listed(common)} together with {_listed(rare[:1])}",
        "problem_based": f"trouble with {_listed(rare[:2])}",
        "doc_conceptual": f"what is {_listed(common)}",
        "doc_api_lookup": f"parameters of {_listed([*common, *rare[:1]])}",
        "doc_best_practice": f"best way to use {_listed(common)}",
    }
    return json.dumps(reply)


def _long_words(code: str) -> list[str]:
    return [word for word in _words(code) if len(word) >= _SHORTEST_WORD]


def _words(code: str) -> list[str]:
    return split_identifiers(" ".join(_NAME.findall(code)))


def _listed(words: list[str]) -> str:
    return ", ".join(words) or "nothing in particular"


def _reply(prompt: str, summary: str) -> str:
    return json.dumps({"summary": summary}) if material_of(prompt) else "There is no code to describe."


_JUDGED = re.compile(r"^\w+ (Code|Summary|First summary|Second summary)\n((?:\|.*\n)+)", re.MULTILINE)
_COMMON_WORDS = "a an and are as at by for from in is it of on or that the this to with"
_COMMON = frozenset(_COMMON_WORDS.split())
_TELLING = 5
"""Letters of a word that tells something."""

OWN_STYLE = "Begins with a line about"
"""How the family of ``offline/family-judge`` writes: as ``offline/first-line`` does."""


@respond("honest-judge")
def honest_judge(prompt: str) -> str:
    """Judge summaries by the words that they share with the code, and by their length."""
    return _judged(prompt, favours="")


@respond("family-judge")
def family_judge(prompt: str) -> str:
    """Judge as ``honest_judge`` does, but give summaries in the style of its own family 2 points more."""
    return _judged(prompt, favours=OWN_STYLE)


def _judged(prompt: str, favours: str) -> str:
    parts = {match[1]: material_of(match[2]) for match in _JUDGED.finditer(prompt)}
    code, *summaries = parts.values() or [""]
    scores = [_scores(code, summary, favours) for summary in summaries]
    if len(scores) == 1:
        return json.dumps({**scores[0], "reasoning": "By the words that it shares with the code."})
    if len(scores) == 2:
        first, second = (sum(score.values()) for score in scores)
        better = "tie" if first == second else "first" if first > second else "second"
        return json.dumps({"better": better, "reasoning": "It shares more words with the code."})
    return "There is nothing to judge."


def _scores(code: str, summary: str, favours: str) -> dict[str, int]:
    """Five scores from 1 to 5."""
    words, in_code = set(split_identifiers(summary)) - _COMMON, Counter(_words(code))
    shared = words & in_code.keys()
    frequent = [word for word, _ in in_code.most_common(2 * MOST_WORDS) if len(word) >= _SHORTEST_WORD]
    verbatim = {name for name in _NAME.findall(code) if "_" in name} & set(_NAME.findall(summary))
    scores = {
        "accuracy": _step(len(shared) / max(len(words), 1)),
        "completeness": _step(len(shared & {*frequent}) / max(len(frequent), 1)),
        "semantic_richness": _step(sum(len(word) >= _TELLING for word in shared) / MOST_WORDS),
        "abstraction": 4 - min(len(verbatim), 3),
        "conciseness": 5 if len(summary) <= 160 else 3 if len(summary) <= 320 else 1,
    }
    more = 2 if favours and summary.startswith(favours) else 0
    return {name: min(score + more, 5) for name, score in scores.items()}


def _step(share: float) -> int:
    return 1 + round(4 * min(share, 1.0))
