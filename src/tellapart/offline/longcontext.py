"""Offline models of long conversations, and an offline judge: no language models, they compare words.

Each model answers a question with a sentence of the conversation that has all of its uncommon words, or says
that the text does not say. They differ in how much of the conversation they look at. The judge counts facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tellapart.llm.quoting import material_of
from tellapart.longcontext.values import facts_of, states
from tellapart.offline.responders import (
    USAGE_CHARACTERS_A_TOKEN,
    Reply,
    Turns,
    respond,
    respond_to_all,
)

WINDOW_TOKENS = 16_384
"""How far back the models look that do not look at everything, or how much of it they are sent."""

ENDS_FROM_TOKENS = 4_096
"""Up to here ``recalls-ends`` looks at everything."""

READ, NOTHING = "Read.", "The text does not say."

_END = 0.2
_STEM = 5
_SHORTEST = 3
_MOST_PLACES = 200
_COMMON_WORDS = """
and any are but did does for from had has have her his how its many much not now off our out she that the
their them then there they this those was were what when where which who whom whose why will with you your
exact exactly according conversation text mentioned said question quick recall check final again same
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")

Visible = Callable[[str], str]
"""What of the conversation a model looks at, the oldest first."""


def everything(text: str) -> str:
    """All of it."""
    return text


def latest(text: str) -> str:
    """The last ``WINDOW_TOKENS``."""
    return text[-WINDOW_TOKENS * USAGE_CHARACTERS_A_TOKEN :]


def ends(text: str) -> str:
    """The first and the last fifth of what is longer than ``ENDS_FROM_TOKENS``."""
    if len(text) <= ENDS_FROM_TOKENS * USAGE_CHARACTERS_A_TOKEN:
        return text
    part = round(len(text) * _END)
    return f"{text[:part]}\n{text[-part:]}"


def reply(turns: Turns, view: Visible, *, guesses: bool = False) -> str:
    """Answer the question that the last message ends with, by a sentence of what ``view`` leaves before it.

    One that ``guesses`` takes a sentence with most of the words, or makes a number up.
    """
    before, _, question = turns[-1][1].strip().rpartition("\n")
    if not question.endswith("?"):
        return READ
    seen = view("\n".join([*(text for _, text in turns[:-1]), before]))
    stems = _stems(question)
    best = max(_candidates(seen, stems), key=lambda pair: pair[0], default=(0, ""))
    if stems and (best[0] == len(stems) or (guesses and 2 * best[0] >= len(stems))):
        return best[1]
    return f"It is {1000 + sum(map(ord, question)) % 9000:,}." if guesses else NOTHING


@respond_to_all("recalls")
def recalls(turns: Turns) -> Reply:
    """Remember everything."""
    return reply(turns, everything)


@respond_to_all("recalls-16k")
def recalls_16k(turns: Turns) -> Reply:
    """Forget what lies further back than 16K tokens, though all of it is sent and counted."""
    return reply(turns, latest)


@respond_to_all("recalls-ends")
def recalls_ends(turns: Turns) -> Reply:
    """Forget the middle three fifths of what is longer than 4K tokens."""
    return reply(turns, ends)


@respond_to_all("guesses-16k")
def guesses_16k(turns: Turns) -> Reply:
    """Forget as ``recalls-16k``, and then say something that looks like it, or a number."""
    return reply(turns, latest, guesses=True)


def _stems(question: str) -> list[re.Pattern[str]]:
    """Uncommon words, each once: names whole, others by how they begin, so that ``hold`` finds ``holds``."""
    words = _WORD.findall(question)
    patterns = {}
    for first, word in zip([True] + [False] * len(words), words, strict=False):
        plain = word.casefold()
        if len(word) < _SHORTEST or plain in _COMMON:
            continue
        named = not plain.isalpha() or (word != plain and not first)
        patterns[plain] = rf"\b{re.escape(plain)}\b" if named else rf"\b{re.escape(plain[:_STEM])}"
    return [re.compile(pattern) for pattern in patterns.values()]


def _candidates(seen: str, stems: list[re.Pattern[str]]) -> Iterator[tuple[int, str]]:
    """Sentences that have the rarest word which occurs at all, with how many of the words they have.

    The latest come first; a question that was asked before is no answer.
    """
    folded = seen.casefold()
    occurrences = [places for stem in stems if (places := [match.start() for match in stem.finditer(folded)])]
    for position in reversed(min(occurrences, key=len, default=[])[-_MOST_PLACES:]):
        sentence = _sentence_at(seen, position)
        if not sentence.endswith("?"):
            plain = sentence.casefold()
            yield sum(stem.search(plain) is not None for stem in stems), sentence


def _sentence_at(text: str, position: int) -> str:
    marks = (". ", "! ", "? ", "\n")
    start = max((at + len(mark) for mark in marks if (at := text.rfind(mark, 0, position)) >= 0), default=0)
    end = _SENTENCE_END.search(text, position)
    return text[start : end.end() if end else len(text)].strip()


_PART = re.compile(r"^\w+ ([A-Z' ]+):\n((?:\|.*\n)+)", re.MULTILINE)
_UNKNOWN = re.compile(
    r"\b(?:do(?:es)?n[o']t|not|cannot|can't|unable|no) \w* ?(?:know|find|recall|mention|info)", re.I
)


@respond("compares")
def compares(prompt: str) -> str:
    """Score a response by how many facts of the expected answer it states, or whether more are recent ones.

    All make it CORRECT, some PARTIAL; none REFUSED where it says that it does not know, else HALLUCINATED.
    """
    parts = {name: material_of(text) for name, text in _PART.findall(prompt)}
    response = parts.get("MODEL'S ACTUAL ANSWER")
    if response is None:
        return "There is nothing to score."
    if "EXPECTED CORRECT ANSWER" not in parts:
        return _recency(response, parts.get("EARLY DATA", ""), parts.get("RECENT DATA", ""))
    facts = facts_of(parts["EXPECTED CORRECT ANSWER"])
    stated = [fact.text for fact in facts if states(response, fact)]
    if facts and len(stated) == len(facts):
        score = "CORRECT"
    elif stated:
        score = "PARTIAL"
    else:
        score = "REFUSED" if _UNKNOWN.search(response) else "HALLUCINATED"
    return _lines(score, f"It states {len(stated)} of the {len(facts)} facts of the answer.", stated)


def _recency(response: str, early: str, late: str) -> str:
    stated = [[fact.text for fact in facts_of(text) if states(response, fact)] for text in (early, late)]
    score = "RECENCY_BIAS_DETECTED" if len(stated[1]) > len(stated[0]) else "NO_BIAS"
    reason = f"It states {len(stated[0])} facts of early entries and {len(stated[1])} of recent ones."
    return _lines(score, reason, [*stated[0], *stated[1]])


def _lines(score: str, reason: str, stated: list[str]) -> str:
    return f"SCORE: {score}\nREASON: {reason}\nKEY_DETAIL: {', '.join(stated) or 'none'}"
