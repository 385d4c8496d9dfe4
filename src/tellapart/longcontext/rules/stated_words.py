"""What a response says in words: yes or no, the words that are asked for, a reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import facts_of, located, same
from tellapart.longcontext.facts.text import unread_in
from tellapart.longcontext.rules.answer_spec import AnswerSpec, asks_of, details_of
from tellapart.longcontext.rules.manner import sentences_of
from tellapart.longcontext.rules.verdict import Tally, listed
from tellapart.longcontext.rules.words import stems_of
from tellapart.longcontext.rules.yes_no import polarity_of

_COURTESY_TEXT = (
    "sure happy help let know anything else need recall remember mentioned said told earlier "
    "conversation based note message according shared answer question yes no correct right indeed "
    "thanks please sorry think believe course certainly well"
)


COURTESY = frozenset(_COURTESY_TEXT.split())
"""Words that a reply has beside what it says."""


def with_words(
    tally: Tally,
    spec: AnswerSpec,
    question: str,
    response: str,
    text: str,
    expected: Expected,
    material: Sequence[str],
) -> Tally:
    """Add what a response says of yes or no, and of the words that are asked for."""
    right, absent, unclear, wrong = (
        list(tally.right),
        list(tally.absent),
        list(tally.unclear),
        tally.wrong_words,
    )
    stems = set(stems_of(text))
    other = other_words(question, text, expected)
    for term in spec.terms:
        stated = [stem for stem in term.stems if stem in stems]
        if len(stated) == len(term.stems):
            right.append(term.text)
        elif not other:
            absent.append(term.text)
        else:
            unclear.append(term.text)
    if not absent and not unclear and _has_other_item(spec, question, text, expected):
        unclear.append("more than " + listed(right))
    if spec.polarity is not None:
        said = polarity_of(asks_of(question), response)
        if said == spec.polarity and (
            _gives_other_reason(expected.answer or "", text) or _gives_other_facts(question, expected, text)
        ):
            unclear.append("the reason")
        elif said == spec.polarity:
            right.append(spec.polarity)
        elif said is not None:
            wrong, absent = f"It says {said}, not {spec.polarity}.", [*absent, spec.polarity]
        else:
            unclear.append(spec.polarity)
    return replace(
        tally,
        wanted=tally.wanted + len(spec.terms) + (spec.polarity is not None),
        right=tuple(right),
        absent=tuple(absent),
        unclear=tuple(unclear),
        wrong_words=wrong,
    )


def _gives_other_facts(question: str, expected: Expected, text: str) -> bool:
    """Whether it has a value of a kind that the right answer explains itself with, and not that value."""
    stated, given = details_of(expected.answer or ""), facts_of(question)
    values = [detail for detail in stated if detail.fact.kind.is_value]
    return any(
        fact.kind is detail.fact.kind
        and not any(same(fact, other) for other in (*given, *(d.fact for d in stated)))
        for _, fact in located(text)
        for detail in values
    )


def _has_other_item(spec: AnswerSpec, question: str, text: str, expected: Expected) -> bool:
    """Whether a list has an item with none of the words of the right answer or the question."""
    names = [detail for detail in spec.details if not detail.fact.kind.is_value]
    asked = {stem for term in spec.terms for stem in term.stems} | {
        stem for n in names for stem in stems_of(n.fact.text)
    }
    if len(spec.terms) + len(names) < 2 or not (spec.terms or _SEVERAL.search(question)):
        return False
    known = {*stems_of(question), *stems_of(expected.answer or ""), *COURTESY}
    for start, end in sentences_of(text):
        if not asked & set(stems_of(text[start:end])):
            continue
        for item in _LIST_ITEM.split(text[start:end]):
            stems = set(stems_of(item))
            if stems and not stems & known:
                return True
    return False


_SEVERAL = re.compile(r"\b(?:two|three|four|five|six|all|both)\b", re.I)


_LIST_ITEM = re.compile(r"[,;]\s|\s(?:and|plus|or|as\swell\sas|&)\s", re.I)


_BECAUSE = re.compile(r"\b(?:because|since|due\sto|as\s(?:the|it|they|he|she|we))\b([^.;]*)", re.I)


def _gives_other_reason(answer: str, text: str) -> bool:
    """Whether both say why, in words of which none is the same."""
    own, said = _BECAUSE.search(answer), _BECAUSE.search(text)
    return own is not None and said is not None and not set(stems_of(own[1])) & set(stems_of(said[1]))


def other_words(question: str, text: str, expected: Expected) -> list[str]:
    """Words of a response that neither the question nor the right answer has, and that state no fact."""
    known = {*stems_of(question), *stems_of(expected.answer or "")}
    for start, fact in located(text):
        if fact.kind.is_value:
            text = text[:start] + " " * len(fact.text) + text[start + len(fact.text) :]
    foreign = [run for run in unread_in(text) if run not in unread_in(question)]
    return [*foreign, *(word for word in stems_of(text) if word not in known and word not in COURTESY)]
