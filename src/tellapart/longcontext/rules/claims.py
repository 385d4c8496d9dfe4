"""What a response claims, of which entry, and where each claim comes from."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import Fact, Mention, facts_of, located, same, states
from tellapart.longcontext.facts.entries import references
from tellapart.longcontext.facts.name import KIND as NAME
from tellapart.longcontext.facts.name import people_in
from tellapart.longcontext.facts.text import flat
from tellapart.longcontext.rules.answer_spec import label_before
from tellapart.longcontext.rules.manner import clauses_of, in_general, negated, sentences_of
from tellapart.longcontext.rules.passages import Passage, authors_in

LONGEST = 8_000
"""Characters of a response that are read for facts; nobody answers a question at greater length."""

_WORD = re.compile(r"(?<![A-Za-z])([A-Za-z]+)[\s(:]*$")
# Between what is taken back and what is said instead: ``July 3 … sorry, July 4``. Some of these words begin a
# sentence of their own as well, so they count only behind a comma or a dash, or before one.
_TAKEN_BACK = re.compile(
    r"(?:\.{2,5}|[\s,;:.…–—(-]){1,4}\b(?:sorry|wait|oops|correction|scratch\sthat|or\srather|I\smean|make\sthat|my\smistake|"
    r"let\sme\scorrect(?:\s(?:that|myself))?|pardon)\b|"
    r"(?:\.{2,5}|\s?[,;:…–—-]\s?)\s?(?:no|actually|rather)\b|\.\s(?:no|actually),",
    re.I,
)
_BACK, _AHEAD = 48, 60
"""Characters before a correction that hold what it corrects, and after it that hold the new value."""
_NOT = re.compile(
    r"\b(?:not|never|no|cannot|unlike|without|nor)\b|n['’]t\b|\brather\s+than\b|\binstead\s+of\b", re.I
)

# What a short clause denies stands before its verb as well: "Safari is not supported".
_VERB = re.compile(r"\w\s(?:is|are|was|were|has|have|do|does|did|will|can)(?:n|\s*$|\s?n?$)", re.I)
_SHORT = 6
_AFFIRMED = re.compile(
    r"(?:not\s(?:only|until|before|just)|no\s(?:later|earlier|less|more|fewer)\sthan|no\s?[.:]?\s?\d|no\.\s(?:is|of|for|[A-Z#])|without\s(?:a\s)?doubt|"
    r"(?:do\s|don['’]t\s|never\s)forget|no\s(?:problem|worries|doubt))",
    re.I,
)


@dataclass(frozen=True, kw_only=True)
class Claim(Mention):
    """One fact that a response states.

    Attributes:
        owner: The entry that it is said of; None where the response names none beside it.
    """

    owner: Passage | None


# Signs without width, soft hyphens and marks of direction.
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def readable(response: str) -> str:
    """The beginning of a response that is read for facts.

    Long blanks and endless words are made short, line ends are alike, and what cannot be seen is left out.
    """
    return _shortened(response[: 2 * LONGEST])[:LONGEST]


def is_cut(response: str) -> bool:
    """Whether a response is longer than what is read of it."""
    return len(response) > 2 * LONGEST or len(_shortened(response)) > LONGEST


def _shortened(response: str) -> str:
    text = _INVISIBLE.sub("", re.sub(r"\r\n?|[\x85\u2028\u2029]", "\n", response))
    text = re.sub(r"[^\S\n]{2,}", " ", text)
    text = re.sub(r"\n{3,}", "\n\n", text)
    return re.sub(r"\S{100,}", "…", text)


def assertive(response: str, question: str = "") -> str:
    """Put blanks for what a response does not claim.

    That is the question, what it denies or takes back, and what holds in general. Blanks keep every place
    where it was.
    """
    text = response[:LONGEST]
    if question and (at := flat(text).find(flat(question.strip()))) >= 0:
        text = _blank(text, at, at + len(question.strip()))
    for start, end in _corrected(text):
        text = _blank(text, start, end)
    for start, end in sentences_of(text):
        if in_general(text[start:end]):
            text = _blank_from_clause(text, start, end)
    for start, end in clauses_of(text):
        if negated(text[start:end]) and (no := _denies(text, start, end)):
            short = len(text[start:end].split()) <= _SHORT and _VERB.search(text, start, no.start() + 1)
            text = _blank(text, start if short else no.start(), _end_of_denied(text, no, end))
    return text


def _denies(text: str, start: int, end: int) -> re.Match[str] | None:
    """The word with which a clause denies what follows; "no later than" and "not only" deny nothing."""
    for match in _NOT.finditer(text, start, end):
        if not _AFFIRMED.match(text, match.start()):
            return match
    return None


def _end_of_denied(text: str, no: re.Match[str], end: int) -> int:
    """Where the clause ends; "instead of" and "rather than" deny no more than the next fact."""
    if not no[0].lower().startswith(("instead", "rather")):
        return end
    first = next(((at, fact) for at, fact in located(text[no.end() : end])), None)
    return end if first is None else no.end() + first[0] + len(first[1].text)


def _corrected(text: str) -> list[tuple[int, int]]:
    """Where a fact stands that is taken back, up to the fact of its kind that is said instead."""
    markers = list(_TAKEN_BACK.finditer(text))
    facts = located(text) if markers else ()
    starts = [start for start, _ in facts]
    spans = []
    for marker in markers:
        after = bisect_left(starts, marker.end())
        if after == len(facts) or starts[after] >= marker.end() + _AHEAD:
            continue
        instead, kind = starts[after], facts[after][1].kind
        if _NOT.search(text, marker.end(), instead):
            continue
        first = bisect_left(starts, marker.start() - _BACK)
        taken = [at for at, fact in facts[first : bisect_left(starts, marker.start())] if fact.kind is kind]
        if taken:
            spans.append((taken[-1], instead))
    return spans


def claims_of(text: str, passages: Sequence[Passage], response: str = "") -> tuple[Claim, ...]:
    """What an assertive text claims; what the response ``response`` before blanks tells of which entry.

    The numbers, names and identifiers of an assertive text, in order.

    Numbers up to twelve in words, marks of lists and years of citations beside an author are none.
    """
    named = _mentions(response[:LONGEST] or text, passages)
    people = people_in(text)
    authors = {passage.author for passage in passages}
    sentences = sentences_of(text)
    claims, at = [], 0
    for start, fact in _with_authors(text, located(text), passages):
        while at < len(sentences) - 1 and sentences[at][1] <= start:
            at += 1
        if not fact.kind.is_claim(text, start, fact):
            continue
        before = text[max(0, start - 40) : start]
        word = _WORD.search(before)
        claims.append(
            Claim(
                fact=fact,
                start=start,
                label=label_before(before),
                before=word[1].lower() if word else "",
                person=fact.kind is NAME and (fact.normal in people or fact.text in authors),
                owner=_owner(text, start, start + len(fact.text), sentences[at], named),
            )
        )
    return tuple(claims)


def _with_authors(
    text: str, facts: Sequence[tuple[int, Fact]], passages: Sequence[Passage]
) -> list[tuple[int, Fact]]:
    """Lead authors too where nothing but the material shows that a word is a name."""
    taken = [(start, start + len(fact.text)) for start, fact in facts if fact.kind is NAME]
    names = authors_in(text, tuple(passage.author for passage in passages if passage.author))
    more = [(at, name) for at, name in names if not any(a <= at < b for a, b in taken)]
    return sorted(
        [*facts, *((at, facts_of(f"{name} et al.")[0]) for at, name in more)], key=lambda pair: pair[0]
    )


def _mentions(text: str, passages: Sequence[Passage]) -> list[tuple[int, Passage]]:
    by_number = {passage.number: passage for passage in passages if passage.number is not None}
    by_author = {passage.author: passage for passage in passages if passage.author}
    mentions = [(at, by_number[n]) for n, at in references(text) if n in by_number]
    mentions += [(at, by_author[name]) for at, name in authors_in(text, tuple(by_author))]
    return sorted(mentions, key=lambda pair: pair[0])


def _owner(
    text: str, start: int, end: int, sentence: tuple[int, int], named: Sequence[tuple[int, Passage]]
) -> Passage | None:
    """The entry named last before it in its sentence, or directly after it, as in ``342 in Study 1``."""
    before = None
    for at, passage in named:
        if at >= sentence[1]:
            break
        if sentence[0] <= at < start:
            before = passage
        elif at >= end and re.fullmatch(r"[\w\s%]{0,24}?\s(?:in|for|from|by|of)\s|\s?\(", text[end:at]):
            return passage
    return before


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


def _blank_from_clause(text: str, start: int, end: int) -> str:
    for a, b in clauses_of(text[start:end]):
        if in_general(text[start + a : start + b]):
            return _blank(text, start + a, end)
    return text


Origin = Literal["known", "own", "elsewhere", "foreign", "invented"]
"""``known`` from the right answer, ``own`` from the entry in question, ``elsewhere`` true of the entry that
it is said of, ``foreign`` from another entry than the one it is said of, ``invented`` from nowhere."""


def targets_of(question: str, expected: Expected, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The entries that a question is about.

    Those whose number or author it names; else those that the right answer names; else those that hold the
    most of its facts, all of them on a tie. None where nothing of the answer was ever shown.
    """
    for text in (question, expected.answer or ""):
        if targets := _named(text, passages):
            return targets
    facts = facts_of(expected.answer or "")
    held = [sum(states(passage.text, fact) for fact in facts) for passage in passages]
    most = max(held, default=0)
    return tuple(passage for passage, n in zip(passages, held, strict=True) if n == most) if most else ()


def _named(text: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    numbers = {n for n, _ in references(text)}
    if numbered := tuple(passage for passage in passages if passage.number in numbers):
        return numbered
    names = {name for _, name in authors_in(text, [passage.author for passage in passages if passage.author])}
    return tuple(passage for passage in passages if passage.author in names)


def origin_of(
    claim: Claim, answer_facts: Sequence[Fact], targets: Sequence[Passage], passages: Sequence[Passage]
) -> tuple[Origin, Passage | None]:
    """Where a claim comes from, and the other entry where it is ``elsewhere`` or ``foreign``.

    A fact of the right answer that is said of another entry than the one in question, and not true of that,
    is ``foreign``: it is the right number for the wrong study.
    """
    owner = claim.owner if claim.owner not in targets else None
    if owner is not None:
        if holds(owner, claim, everywhere=True):
            return "elsewhere", owner
    elif any(same(claim.fact, fact) for fact in answer_facts):
        return "known", None
    elif any(holds(passage, claim, everywhere=claim.is_year) for passage in targets):
        return "own", None
    others = (
        passage
        for passage in passages
        if passage is not owner and (owner is not None or passage not in targets)
    )
    other = next((passage for passage in others if holds(passage, claim, everywhere=False)), None)
    if other is None and owner is None and any(holds(passage, claim, everywhere=True) for passage in targets):
        return "own", None
    return ("foreign", other) if other else ("invented", None)


def holds(passage: Passage, claim: Claim, *, everywhere: bool = False) -> bool:
    """Whether an entry has what is claimed; in the line of its heading only if ``everywhere``."""
    # Volumes and pages of a heading are no details of its entry.
    within = passage.body if claim.fact.kind.recurs and not everywhere else passage.text
    return states(within, claim.fact)
