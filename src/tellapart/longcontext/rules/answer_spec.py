"""What a question asks for: which facts of the right answer matter, and which only decorate it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import Fact, Mention, all_kinds, facts_of, located
from tellapart.longcontext.facts.entries import references
from tellapart.longcontext.facts.name import KIND as NAME
from tellapart.longcontext.facts.name import looks_like_person, people_in
from tellapart.longcontext.facts.number import STATISTICS


@dataclass(frozen=True)
class AnswerSpec:
    """What a response has to say.

    Attributes:
        details: The facts that matter, in the order of the answer.
        entries: The numbers of entries that are asked for; empty where no entry is.
        stated: Everything that the answer states, what matters and what decorates.
    """

    details: tuple[Mention, ...]
    entries: frozenset[int]
    stated: tuple[Fact, ...]

    @property
    def people(self) -> bool:
        """Whether a person is asked for."""
        return any(detail.person for detail in self.details)


_WHICH = re.compile(
    r"\b(?:which|what)\s+(?:\w+\s+){0,2}(?:stud(?:y|ies)|articles?|papers?|entr(?:y|ies)|reports?)\b", re.I
)


@lru_cache(maxsize=4096)
def answer_spec(question: str, expected: Expected) -> AnswerSpec:
    """Say which facts of the right answer the question asks for.

    A probe's own ``evidence`` decides where it shares facts with the answer. Else the question's words do:
    ``percentage`` wants the answer's first percentage, ``odds ratios`` all that are labelled so, ``author``
    the people in it. Where they name no kind, all facts outside brackets are wanted, without p-values; and
    without those, all. What the question itself states is never wanted.
    """
    answer = expected.answer or ""
    details = details_of(answer)
    given = {fact.normal for fact in facts_of(question)}
    wanted = (
        _by_evidence(details, expected.evidence) or _by_question(details, question) or _by_default(details)
    )
    kept = tuple(detail for detail in wanted if detail.fact.normal not in given)
    if not kept and wanted:
        kept = tuple(detail for detail in _by_default(details) if detail.fact.normal not in given)
    which = _WHICH.search(question) is not None
    named = frozenset(n for n, _ in references(answer)) - {n for n, _ in references(question)}
    return AnswerSpec(kept, named if which else frozenset(), facts_of(answer))


@lru_cache(maxsize=4096)
def details_of(answer: str) -> tuple[Mention, ...]:
    """The facts of an answer, each once, with what stands around it."""
    people, seen, details = people_in(answer), set(), []
    for start, fact in located(answer):
        if (fact.kind, fact.normal) in seen:
            continue
        seen.add((fact.kind, fact.normal))
        before = answer[:start]
        inside = before.count("(") + before.count("[") > before.count(")") + before.count("]")
        word = re.search(r"([A-Za-z]+)[\s(]*$", before)
        details.append(
            Mention(
                fact=fact,
                start=start,
                label=label_before(before),
                bracketed=inside,
                before=word[1].lower() if word else "",
                person=fact.kind is NAME and looks_like_person(fact, people),
            )
        )
    return tuple(details)


def label_before(before: str) -> str:
    """What a number is said to be by what stands before it: ``r`` of ``r=``; empty where nothing is said."""
    match = re.search(r"([A-Za-z]{1,12})\s?[=<>≥≤≈]+\s?[-−–+$]?$", before[-24:])
    return match[1].lower() if match else ""


def _by_evidence(details: Sequence[Mention], evidence: Sequence[str]) -> tuple[Mention, ...]:
    shown = {fact.normal for text in evidence for fact in facts_of(text)}
    return tuple(detail for detail in details if detail.fact.normal in shown)


def _by_question(details: Sequence[Mention], question: str) -> tuple[Mention, ...]:
    wanted: list[Mention] = []
    for words in (words for kind in all_kinds() for words in kind.wanted):
        if re.search(words.pattern, question, re.I):
            picked = [detail for detail in details if words.pick(detail)]
            wanted += picked if words.every else sorted(picked, key=lambda detail: detail.bracketed)[:1]
    return tuple(sorted(dict.fromkeys(wanted), key=lambda detail: detail.start))


def _by_default(details: Sequence[Mention]) -> tuple[Mention, ...]:
    plain = [detail for detail in details if not detail.bracketed and detail.label not in STATISTICS]
    return tuple(plain or details)
