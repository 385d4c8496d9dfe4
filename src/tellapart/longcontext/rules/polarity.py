"""What a response says without a value: yes, no, or that it does not know."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files

from tellapart.longcontext.grades import Grade, not_graded
from tellapart.longcontext.rules.manner import plain_words, sentences
from tellapart.longcontext.values import states, values_in
from tellapart.longcontext.values.text import NEGATION, NEGATIONS, content_stems, folded, words_called

LONGEST = 8_000
_COMMON = content_stems(" ".join(words_called("common")))

# A phrase within what somebody else says, asks or supposes is no refusal.
_SUBORDINATE = re.compile(r"\b(?:if|unless|said|says|told|wrote|asked)\b[^.!?\n]*$")
_SENTENCE = re.compile(r"(?<=[.!?。।؟])\s*|\n+")


@cache
def _patterns() -> re.Pattern[str]:
    table = tomllib.loads(files(__package__).joinpath("refusals.toml").read_text("utf-8"))
    words = table.pop("open")
    phrases = [
        phrase if phrase.isascii() else folded(phrase)
        for language in table.values()
        for phrase in language["phrases"]
    ]
    joined = "|".join(f"(?:{phrase})" for phrase in phrases)
    for name, alternatives in words.items():
        joined = joined.replace(f"{{{name}}}", alternatives)
    return re.compile(joined.replace("(?:~ )?", r"(?:\w+ ){0,3}?"))


@lru_cache(maxsize=8192)
def refuses(text: str) -> bool:
    """Whether a response says in the main clause of a sentence that it does not know or was not told."""
    for sentence in _SENTENCE.split(text[:LONGEST]):
        plain = re.sub(r"[*_\"“”]", "", folded(sentence)).strip()
        for match in _patterns().finditer(plain):
            if not _SUBORDINATE.search(plain[: match.start()]):
                return True
    return False


_PARTS = re.compile(
    r"[.,;:!?()–—\n，、。；：！？।؟]|\b(?:but|and|until|only|except|though|while|because)\b", re.I
)


def adds(text: str, question: str) -> bool:
    """Whether a clause beside the refusals has a word that neither the question nor any refusal has."""
    known = content_stems(question) | content_stems(re.sub(r"\\.", " ", _patterns().pattern))
    return any(not refuses(part) and content_stems(part) - known - _COMMON for part in _PARTS.split(text))


_AUXILIARY = "is|are|was|were|am|do|does|did|has|have|had|can|could|may|might|must|should|shall|will|would"
_ASKS = re.compile(rf"^\W*(?:(?:and|so|but|also|ok|okay|now|then)[\s,]+)*(?:{_AUXILIARY})\s+\w", re.I)
# "Can you tell me when …" asks when; "Is it A or B" asks which; "Isn't it …" can be answered both ways.
_WRAPPED = re.compile(
    r"\b(?:can|could|would|do)\syou\s(?:\w+\s){0,2}(?:tell|say|remember|recall|remind|know|list|give|name)\b|\bor\b(?!\snot\b)|"
    r"\bnot\b|n['’]t\b|\bnever\b|\bwhat\b|\bwhich\b|\bwhen\b|\bwhy\b|\band\s(?:if|what|who|how|when|where)\b",
    re.I,
)
_OPENING = (
    r"^[\W_]*(?:(?:well|oh|hmm|so|sorry|unfortunately|luckily|fortunately|sure|"
    r"I\s(?:believe|think)(?:\sthat)?|the\s(?:short\s)?answer\sis)[\s,:–—-]+){0,2}[*_\"“]{0,3}"
)
_END = r"(?=[\s*_\"”]*(?:[.,;:!()–—-]|$))"
_YES = re.compile(
    rf"{_OPENING}(?:yes|yep|yeah|yup|correct|that['’]s\s(?:right|correct|true)|absolutely|indeed|affirmative|definitely){_END}",
    re.I,
)
_NO = re.compile(rf"{_OPENING}(?:no|nope|nah|negative|not\sat\sall|not\s(?:yet|any\s?more)){_END}", re.I)
_SHORT = re.compile(
    rf"{_OPENING}(?:it|he|she|they|you|we|I|there|that)\s?(?:{_AUXILIARY}|ca)(?P<no>\snot|n['’]t|not)?{_END}",
    re.I,
)
_TURNS = re.compile(
    r"\b(?:but|unless|except|however|although|though|provided|partly|partially|wait|actually|sort\sof|depends?|maybe|perhaps|"
    r"possibly|might|sure|or|if|theory|principle|paper|part|exceptions?|conditions?|not\sentirely|not\sexactly|so\sfar|used\sto)\b",
    re.I,
)
_ADDS = re.compile(
    r"[\s*_\"”]*[,:–—-]?\s?(?:(?:the|an?|my|our|your|his|her|their)\s\w{1,40}[.!]?\s*$|(?:with|in|on|at|for|from|through|via|near|about|around|every|twice|once)\b"
    r"(?:\s(?!(?:it|he|she|they|we|you|is|was|were|are|has|had)\b)\S{1,40}){1,12}\s*)",
    re.I,
)
"""What follows a yes without a clause of its own: ``with his girlfriend``, ``on a lead``."""


def asks_yes_or_no(question: str) -> bool:
    """Whether a question is answered with yes or no."""
    last = next((question[a:b] for a, b in reversed(sentences(question))), "")
    return _ASKS.search(last) is not None and _WRAPPED.search(last) is None


def key_polarity(key: str) -> str | None:
    """Yes or no where a key begins with it."""
    return "yes" if _YES.match(key) else "no" if _NO.match(key) else None


def said_polarity(question: str, text: str) -> str | None:
    """Yes or no where a response says one of them and nothing that could turn it; else None."""
    if _TURNS.search(re.sub(r"\b(?:make|made|for)\ssure\b|^\W*sure\b", " ", text, flags=re.I)):
        return None
    if short := _SHORT.match(text):
        return "no" if short["no"] else "yes"
    said = key_polarity(text)
    rest = re.sub(r"^[\W_]*\w+", "", text) if said else text
    negations = len(NEGATION.findall(rest))
    words = re.sub(r"n['’]t\b", " not", rest)
    echo = content_stems(words) - NEGATIONS <= content_stems(question)
    if said is None:
        return None if not echo or negations > 1 or not content_stems(rest) else "no" if negations else "yes"
    if key_polarity(rest) not in (None, said) or re.search(r"\byes\b|\bno\b(?=[,.!]|$)", rest, re.I):
        return None
    if said == "yes":
        # What it says besides may take the yes back: "Yes, it's closed". A value alone does not.
        for value in reversed(values_in(words)):
            words = f"{words[: value.start]} {words[value.end :]}"
        asked, added = content_stems(question), content_stems(plain_words(words))
        known = added <= asked or 2 * len(asked & added) > len(asked) or _ADDS.fullmatch(rest)
        return said if known and not negations else None
    # "No, she is fully insured" and "No. She did" say both.
    contradicts = content_stems(rest) & content_stems(question) or _SHORT.match(rest.lstrip(" ,.;:–—-"))
    return None if contradicts and not negations else said


def grade_polarity(right: str, key: str, question: str, text: str, material: Sequence[str]) -> Grade:
    """By whether a response says yes or no, and beside it no value that nobody said."""
    said = said_polarity(question, text)
    if said is None:
        if refuses(text):
            return Grade("REFUSED", "It says that it does not know.")
        return not_graded("it says neither yes nor no in a way that code reads")
    if refuses(text):
        return not_graded("it says yes or no, and that it does not know")
    shown = "\n".join([question, key, *material])
    beside = [value.text for value in values_in(text) if not value.is_small_word and not states(shown, value)]
    if beside:
        return not_graded(f"beside its {said} it states {beside[0]}, which nobody said")
    if said == right:
        return Grade("CORRECT", f"It says {said}.", said)
    return Grade("HALLUCINATED", f"It says {said}, not {right}.", said)
