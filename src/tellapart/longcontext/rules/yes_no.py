"""Questions that are answered with yes or no, and which of them an answer says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from tellapart.longcontext.rules.manner import hedges, refuses, sentences_of
from tellapart.longcontext.rules.words import stems_of

Polarity = Literal["yes", "no"]

_AUXILIARY = (
    r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|may|might|must|should|shall|will|would|"
    r"isn['’]t|aren['’]t|wasn['’]t|don['’]t|doesn['’]t|didn['’]t|hasn['’]t|haven['’]t|can['’]t|won['’]t)"
)
_ASKS = re.compile(rf"^\W*(?:(?:and|so|but|also|ok|okay|now|then|or)[\s,]+)*{_AUXILIARY}\s+\w", re.I)
# "Can you tell me when …" asks when; "Is it A or B" asks which.
_WRAPPED = re.compile(
    r"\b(?:can|could|would|do)\syou\s(?:\w+\s){0,2}(?:tell|say|remember|recall|remind|know|list|give|name)\b|\bor\b(?!\snot\b)",
    re.I,
)
_OPENING = (
    r"^[\W_]*(?:(?:well|oh|hmm|so|actually|sorry|unfortunately|luckily|fortunately|sure|(?:as\sfar\sas|from\swhat|if)\sI\s\w+(?:\s\w+)?|"
    r"I\s(?:believe|think|guess)(?:\sthat)?|according\sto\s[^,.]{1,40}|the\s(?:short\s)?answer\sis)[\s,:–—-]+){0,2}[*_\"“]{0,3}"
)
_YES = re.compile(
    _OPENING
    + r"(?:yes|yep|yeah|yup|correct|right|indeed|absolutely|certainly|of\scourse|definitely|true|affirmative|"
    r"(?:that['’]s|that\sis)\s(?:right|correct|true)|"
    r"(?:it|he|she|they|you|we|I|there)\s(?:is|are|was|were|do|does|did|has|have|can|may|will|should|must)(?=[*_]*(?:$|[.,;!])))\b",
    re.I,
)
_NO = re.compile(
    _OPENING + r"(?:no(?!\.?\s?\d|"
    r"\s(?:idea|clue|information|record|mention|data|problem|worries|doubt|notes?|details?))|nope|nah|"
    r"not\s(?:any\s?more|yet|really|at\sall|currently|as\sof|this|so\sfar|until|exactly|quite)|never|"
    r"negative|false|incorrect|"
    r"(?:it|he|she|they|you|we|I|there|that)\s?(?:(?:is|are|was|were|do|does|did|has|have|can|may|will|should|must)\snot|"
    r"(?:isn|aren|wasn|weren|don|doesn|didn|hasn|haven|won|can|shouldn|mustn)['’]t|cannot)(?=[*_]*(?:$|[.,;!]))|not(?=[\s*_]*[.!]?$))(?!\w)",
    re.I,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|neither|nor|cannot|without|nobody|nothing)\b|n['’]t\b|\bno\slonger\b|"
    r"\b(?:cancel\w*|dropped|declined|refused|rejected|stopped|scrapped|excluded|abandoned|denied|postponed)\b",
    re.I,
)


def asks_yes_or_no(question: str) -> bool:
    """Whether a question, or a part of one, is answered with yes or no."""
    last = re.split(r"(?<=[.!])\s+(?=[A-Z])", question.strip())[-1]
    return _ASKS.search(last) is not None and _WRAPPED.search(last) is None


def leading_polarity(answer: str) -> Polarity | None:
    """Yes or no where a text says it outright, at the beginning of its first or second sentence."""
    for start, end in sentences_of(answer)[:2]:
        for part in (answer[start:end], answer[start:end].rpartition(":")[2]):
            if _NO.search(part):
                return "no"
            if _YES.search(part):
                return "yes"
    inside = re.search(r"(?:[,;:]\s|\s[–—-]\s|\bis\s)[*_]{0,2}(yes|no)\b", answer[:200], re.I)
    return None if inside is None else "yes" if inside[1].lower() == "yes" else "no"


def polarity_of(asks: Sequence[str], response: str) -> Polarity | None:
    """Yes or no as a response says or implies it; None where rules cannot tell.

    Implied: a sentence with at least half of the words of the part of the question that asks for it denies,
    or does not deny, what was asked.
    """
    first = sentences_of(response)[:1]
    if any(refuses(response[start:end]) or hedges(response[start:end]) for start, end in first):
        return None
    outright = leading_polarity(response)
    if outright is not None:
        return outright
    asked = {stem for ask in asks if asks_yes_or_no(ask) for stem in stems_of(ask)}
    denies = any(_NEGATION.search(ask) for ask in asks)
    for start, end in sentences_of(response):
        sentence = response[start:end]
        if refuses(sentence) or hedges(sentence):
            continue
        shared = asked & set(stems_of(sentence))
        if asked and len(shared) * 2 >= len(asked):
            return None if denies else "no" if _NEGATION.search(sentence) else "yes"
    return None


# A name or a password may begin with such a word too: "No Regrets", "correct-horse-9", "Right knee".
_ANSWERS = re.compile(
    r"[\W_]*(?:(?:yes|no|correct|right)(?=\s*[,.;:!]|\s+[–—-]\s|[\W_]*$)|(?:yes|no)(?=\s+(?-i:[a-z]))|"
    r"not\s(?:yet|any\s?more)\b)[\s,.;:–—-]*",
    re.I,
)


def without_polarity(answer: str) -> str:
    """The answer with blanks for the yes or no with which it begins."""
    match = _ANSWERS.match(answer)
    return " " * match.end() + answer[match.end() :] if match else answer
