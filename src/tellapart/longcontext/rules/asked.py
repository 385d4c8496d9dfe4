"""What a probe asks for, and whether code can decide its answers, which follows from key and question alone.

A probe is decidable where the key is yes or no, or holds at most one value of each kind (number, date,
time, verbatim token, option letter), each of the kind that the question asks for and none of them rough, and
otherwise only words of the question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tellapart.longcontext.rules.manner import plain_words
from tellapart.longcontext.rules.polarity import asks_yes_or_no, key_polarity
from tellapart.longcontext.values import Value, agreement, values_in
from tellapart.longcontext.values.moments import Day
from tellapart.longcontext.values.text import content_stems, stems_of
from tellapart.longcontext.values.tokens import normal_token
from tellapart.longcontext.values.value import as_letters


@dataclass(frozen=True)
class Asked:
    """What a decidable probe asks for."""

    key: str
    values: tuple[Value, ...] = ()
    polarity: str | None = None


_KEY_DENIES = re.compile(
    r"\b(?:not(?!\s(?:before|later|earlier|more|less|until))|never|neither|nor|except|excluding|instead|rather|or|"
    r"no\slonger|at\sfirst|originally|previously|formerly|initially|now|then|unless|if|both|either)\b|n['’]t\b",
    re.I,
)
_ROUGH = re.compile(
    r"\b(?:about|around|approximately|approx|roughly|circa|nearly|almost|some|early|late|mid|middle|end|start|beginning|"
    r"(?:day|night|week|weekend|month|year)s?\s(?:before|after|of|prior)|ago)\b",
    re.I,
)
"""A key that says when or how much only roughly: how near is near enough, code cannot say."""
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_UNIT_ASKED = re.compile(
    r"\bhow\s(?:many|much)\s(?:full\s|whole\s|more\s|fewer\s|extra\s)?(?P<many>[a-zµ°%]+(?:\s(?:per|an?)\s\w+)?)|\bin\s(?P<in>[a-z]+)\?",
    re.I,
)


@lru_cache(maxsize=4096)
def asked_of(question: str, answer: str) -> Asked | None:
    """What a probe asks for; None where its answer can be said in other words, so that code cannot decide."""
    key = _with_unit(answer.strip(), _asked_unit(question))
    polarity = key_polarity(key)
    if polarity is not None and asks_yes_or_no(question):
        rest = content_stems(re.sub(r"^\W*\w+", "", key)) - content_stems(question) - {"not"}
        words = {stem for value in values_in(key) for stem in stems_of(value.text)}
        return Asked(key, polarity=polarity) if rest <= words else None
    bare = _BRACKETS.sub(lambda match: " " * len(match[0]), key)
    values = _values_of_key(question, bare)
    letters = [x for x in as_letters(bare) if not any(v.start <= x.start < v.end for v in values)]
    values = tuple(sorted((*values, *letters), key=lambda value: value.start))
    if not values or not all(_fits(question, value) for value in values):
        return None
    if _KEY_DENIES.search(bare) or _ROUGH.search(bare) or _other_words(question, bare, values):
        return None
    given = values_in(question)
    wanted = tuple(value for value in values if not is_in(value, given)) or values
    kinds = [value.kind for value in wanted]
    in_brackets = {value.kind for value in values_in(key) if not bare[value.start : value.end].strip()}
    parts = 2 if set(kinds) == {"date", "time"} and _WHEN.search(question) else _parts_of(question)
    if len(set(kinds)) < len(kinds) or in_brackets & set(kinds) or len(kinds) > parts:
        return None
    return Asked(key, wanted)


_HOW_OFTEN = re.compile(r"\bhow\s(?:often|frequently)\b", re.I)


def number_asked(question: str, answer: str) -> Asked | None:
    """That a number is asked for, in whatever words; None where the answer is not one number."""
    key = _with_unit(answer.strip(), "times" if _HOW_OFTEN.search(question) else None)
    values = values_in(key)
    return Asked(key, values) if [value.kind for value in values] == ["number"] else None


_ASKS_AMOUNT = re.compile(
    r"\bhow\s(?:many|much|old|long|big|large|far|high|tall|wide|deep|heavy|often)\b|\b(?:number|count|total|age|size)\b",
    re.I,
)
_ASKS_MORE = re.compile(
    r"\bhow\s(?:often|frequently|long\s(?:has|have|had)|many\s(?:dozen|hundred|thousand|million)s?|"
    r"does|do|did|can|could|should|would)\b|\bwhy\b",
    re.I,
)
"""What is also answered in other words: ``weekly``, ``since 2016``, ``by asking friends``."""


def _fits(question: str, value: Value) -> bool:
    """Whether a value of a key is of the kind that the question asks for: a different one is wrong."""
    if value.is_small_word and not _ASKS_AMOUNT.search(question):
        return False
    if value.kind == "number" and not value.amount.unit and re.match(r"\W*when\b", question, re.I):
        return False
    return not _ASKS_MORE.search(question)


_LONG = re.compile(r"\d{7,}")
_WHEN = re.compile(r"\b(?:when|date|days?|year|until|since|birthday|deadline)\b", re.I)


def _values_of_key(question: str, key: str) -> tuple[Value, ...]:
    """The values of a key; a year where the question asks when, and a version where it does not."""
    values = tuple(
        replace(value, kind="token", normal=value.text) if _LONG.fullmatch(value.text) else value
        for value in values_in(key)
    )
    if _WHEN.search(question):
        if re.fullmatch(r"\W*(?:in\s)?(?:1[5-9]|2[01])\d\d\W*", key) and values[0].kind == "number":
            return (replace(values[0], kind="date", normal=(Day(year=int(values[0].amount.value)),)),)
        return values
    version = (
        r"\d+(?:\.\d+)+"
        if re.search(r"\bversions?\b|\brelease\b", question, re.I)
        else r"\d\d?(?:\.\d\d?){2}"
    )
    return tuple(
        replace(value, kind="token", normal=normal_token(value.text))
        if value.kind in ("number", "date") and re.fullmatch(version, value.text)
        else value
        for value in values
    )


_OFFERS = re.compile(r"\bor\b", re.I)


def _other_words(question: str, key: str, values: Sequence[Value]) -> bool:
    """Whether a key says anything beside its values: new words, or an option of ``the S22 or the XPS 13``."""
    rest = key
    for value in values:
        rest = rest[: value.start] + " " * (value.end - value.start) + rest[value.end :]
    words = content_stems(plain_words(rest))
    offers = _OFFERS.search(question) and any(value.kind != "letter" for value in values)
    return bool(words - content_stems(question) or words and offers)


_WH = re.compile(r"\b(?:what|which|when|where|who|how)\b", re.I)
_AND = re.compile(
    r"\band\b(?!\s(?:\w+\s)?(?:what|which|when|where|who|how)\b)|,\s(?!and)(?!\w+\s(?:what|which|when|how))",
    re.I,
)


def _parts_of(question: str) -> int:
    """How many things a question can ask for."""
    return max(1, len(_WH.findall(question)) + len(_AND.findall(question)))


def _asked_unit(question: str) -> str | None:
    """The unit that a question asks for: ``How many weeks did it take?``."""
    match = _UNIT_ASKED.search(question)
    word = match and (match["many"] or match["in"])
    if not word or not (numbers := values_in(f"2 {word}")):
        return None
    return word if numbers[0].kind == "number" and numbers[0].amount.unit not in ("", "x") else None


def _with_unit(key: str, unit: str | None) -> str:
    """A key with a unit behind each number that has none."""
    for value in reversed(values_in(key)) if unit else ():
        if value.kind == "number" and not value.amount.unit:
            key = f"{key[: value.end]} {unit}{key[value.end :]}"
    return key


def is_in(value: Value, others: Sequence[Value]) -> bool:
    """Whether one of the others is the same value."""
    return any(agreement(value, other) == "same" for other in others)
