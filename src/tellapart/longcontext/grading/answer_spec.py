"""What a question asks for: which facts of the right answer matter, and which only decorate it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import Fact, facts_of, located, people_in, references

_STATISTICS = frozenset(("p", "ci", "sd", "n"))
"""What stands beside a result and is asked for only by its name."""

INSTITUTION = re.compile(
    r"\b(?:University|Universität|Institute|Hospital|College|School|Cent(?:er|re)|Agency|Laborator(?:y|ies)|Academy|"
    r"Hopkins|Clinic|Department|Ministry|Company|Corporation|Inc)\b"
)
TITLE = re.compile(
    r"\b(?:Journal|Review|Reviews|Letters|Annals|Proceedings|Medicine|Science|Studies|of|and|for)\b"
)


@dataclass(frozen=True)
class Detail:
    """A fact of the right answer, where it stands.

    Attributes:
        fact: The fact.
        start: Its first character in the answer.
        label: What a number is said to be, such as ``r`` of ``r=0.67``, in lower case; else empty.
        bracketed: Whether it stands in brackets.
        before: The word before it, in lower case.
        person: Whether it is the name of a person.
    """

    fact: Fact
    start: int
    label: str
    bracketed: bool
    before: str
    person: bool

    @property
    def unit(self) -> str:
        """Of a number, as its normal form has it."""
        return re.sub(r"[\d.]", "", self.fact.normal) if self.fact.kind == "number" else ""

    @property
    def is_year(self) -> bool:
        """Whether it looks like a year."""
        return re.fullmatch(r"(?:19|20)\d\d", self.fact.text) is not None


@dataclass(frozen=True)
class AnswerSpec:
    """What a response has to say.

    Attributes:
        details: The facts that matter, in the order of the answer.
        entries: The numbers of entries that are asked for; empty where no entry is.
        known: Everything that the answer states, what matters and what decorates.
    """

    details: tuple[Detail, ...]
    entries: frozenset[int]
    known: tuple[Fact, ...]

    @property
    def people(self) -> bool:
        """Whether a person is asked for."""
        return any(detail.person for detail in self.details)


Pick = Callable[[Detail], bool]


def _unit(*units: str) -> Pick:
    return lambda one: one.unit in units


def _label(*labels: str) -> Pick:
    return lambda one: one.label in labels


_TIMES = ("min", "s", "h", "day", "week", "month", "year", "ms")

_FIRST: tuple[tuple[str, Pick], ...] = (
    (r"percent|%|\brates?\b|proportion|what share", _unit("%")),
    (
        r"sample size|how many|number of|\bN\b",
        lambda one: one.unit == "" and one.label in ("", "n") and not one.is_year,
    ),
    (r"\bvalue\b|\bcosts?\b|\bprice\b|\$|\bbudget\b|how much money", _unit("$", "€", "£")),
    (r"correlat", _label("r", "rho")),
    (r"threshold", _unit("x")),
    (r"effect size", _label("d", "g", "smd")),
    (r"p-value|significance level", _label("p")),
    (r"\bdos(?:e|age|ing)\b", _unit("mg")),
    (r"how long|duration|how many (?:minutes|hours|days|weeks|months)", _unit(*_TIMES)),
    (r"what year|which year|\bwhen\b", lambda one: one.is_year),
)
"""Of each the first in the answer is wanted, outside brackets before inside them."""

_EVERY: tuple[tuple[str, Pick], ...] = (
    (r"odds ratio|\bORs?\b", _label("or")),
    (r"\bwho\b|\bauthors?\b|researcher|investigator|\bnamed?\b", lambda one: one.person),
    (r"institution|\buniversity\b|\bhospital\b", lambda one: bool(INSTITUTION.search(one.fact.text))),
    (
        r"\bjournal\b|published|publication",
        lambda one: one.fact.kind == "name" and not one.person and not INSTITUTION.search(one.fact.text),
    ),
    (
        r"\b(?:what|which|name|list)\s+(?:\w+\s+){0,4}(?:tests?|genes?|loci|locus|chromosomes?|instruments?|scales?|"
        r"identifiers?|codes?|SNPs?|variants?|markers?)\b",
        lambda one: (
            one.fact.kind == "identifier"
            and not one.bracketed
            and one.before not in ("in", "near", "at", "by")
        ),
    ),
)
"""Of each all are wanted."""

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
    kept = tuple(one for one in wanted if one.fact.normal not in given)
    if not kept and wanted:
        kept = tuple(one for one in _by_default(details) if one.fact.normal not in given)
    which = _WHICH.search(question) is not None
    named = frozenset(n for n, _ in references(answer)) - {n for n, _ in references(question)}
    return AnswerSpec(kept, named if which else frozenset(), facts_of(answer))


@lru_cache(maxsize=4096)
def details_of(answer: str) -> tuple[Detail, ...]:
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
            Detail(
                fact,
                start,
                label_before(before),
                inside,
                word[1].lower() if word else "",
                fact.kind == "name" and _is_person(fact, people),
            )
        )
    return tuple(details)


def label_before(before: str) -> str:
    """What a number is said to be by what stands before it: ``r`` of ``r=``; empty where nothing is said."""
    match = re.search(r"([A-Za-z]{1,12})\s?[=<>≥≤≈]+\s?[-−–+$]?$", before[-24:])
    return match[1].lower() if match else ""


def _is_person(fact: Fact, people: frozenset[str]) -> bool:
    short = len(fact.text.split()) < 4 and not TITLE.search(fact.text)
    return fact.normal in people or (short and not INSTITUTION.search(fact.text))


def _by_evidence(details: Sequence[Detail], evidence: Sequence[str]) -> tuple[Detail, ...]:
    shown = {fact.normal for text in evidence for fact in facts_of(text)}
    return tuple(one for one in details if one.fact.normal in shown)


def _by_question(details: Sequence[Detail], question: str) -> tuple[Detail, ...]:
    wanted: list[Detail] = []
    for words, pick in _FIRST:
        if re.search(words, question, re.I):
            wanted += sorted((one for one in details if pick(one)), key=lambda one: one.bracketed)[:1]
    for words, pick in _EVERY:
        if re.search(words, question, re.I):
            wanted += [one for one in details if pick(one)]
    return tuple(sorted(dict.fromkeys(wanted), key=lambda one: one.start))


def _by_default(details: Sequence[Detail]) -> tuple[Detail, ...]:
    plain = [one for one in details if not one.bracketed and one.label not in _STATISTICS - {"n"}]
    return tuple(plain or details)
