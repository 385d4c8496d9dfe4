"""A response against the facts of the right answer: what it states, which entry it names, its category."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import Fact, Mention, facts_of
from tellapart.longcontext.facts.entries import references
from tellapart.longcontext.facts.identifier import KIND as IDENTIFIER
from tellapart.longcontext.facts.number import KIND as NUMBER
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.rules.answer_spec import AnswerSpec, answer_spec
from tellapart.longcontext.rules.by_words import denial_in, grade_denial, grade_words, shared_words
from tellapart.longcontext.rules.claims import Claim, assertive, claims_of, origin_of, targets_of
from tellapart.longcontext.rules.manner import hedges, refuses, sentences_of
from tellapart.longcontext.rules.passages import Passage, authors_in, called, passages_of


def grade_facts(question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
    """Grade a response by what it states of the facts that the question asks for.

    All stated: CORRECT, or PARTIAL where something beside them is wrong. Some, or only roughly: PARTIAL, or
    CONFUSED where what stands in the place of the rest belongs to another entry. None: CONFUSED where what is
    given instead belongs to another entry, HALLUCINATED where it belongs nowhere, PARTIAL where it belongs to
    the entry in question, REFUSED where nothing is given.
    """
    passages = passages_of(material)
    targets = targets_of(question, expected, passages)
    if denial_in(expected.answer or ""):
        return grade_denial(question, response, expected, targets, passages)
    wanted = answer_spec(question, expected)
    text = assertive(response, question)
    if not wanted.details and not wanted.entries:
        return grade_words(question, response, text, expected)
    claims = claims_of(text, passages, response)
    named = named_entries(text, wanted, targets, passages)
    tally = _tally(question, text, expected, wanted, claims, named, targets, passages)
    refused = refuses(response) or hedges(response)
    return verdict(tally, refused=refused, hinted=bool(shared_words(question, text, expected)))


def _given(
    text: str, expected: Expected, wanted: AnswerSpec, claims: Sequence[Claim], targets: Sequence[Passage]
) -> tuple[list[str], list[str], list[Mention], set[int]]:
    """The details that are stated, given roughly and not given; and where the rough ones stand."""
    right, roughly, absent, rough = [], [], [], set()
    for detail in wanted.details:
        of_entry = [claim for claim in claims if claim.owner is None or not targets or claim.owner in targets]
        about = detail.fact.kind.near(detail, claims, text)
        stated = detail.fact.kind.matched(detail, of_entry, text)
        if stated and not _misplaced(detail, wanted, expected.answer or "", text):
            right.append(detail.fact.text)
        elif about is not None:
            roughly.append(detail.fact.text)
            rough.add(about.start)
        else:
            absent.append(detail)
    return right, roughly, absent, rough


def _matters(claim: Claim, absent: Sequence[Mention], roughly: bool) -> bool:
    """Whether a wrong claim counts: in the place of a missing fact, else beside the right ones."""
    if absent or roughly:
        return any(claim.fact.kind.replaces(claim, detail) for detail in absent)
    return claim.fact.kind.can_spoil(claim)


def _misplaced(detail: Mention, spec: AnswerSpec, answer: str, text: str) -> bool:
    """Whether a number is given only beside another anchor than in the right answer: odds ratios exchanged.

    The anchors are the first identifiers of the answer's sentences, where at least two have one.
    """
    anchors = _anchors(spec, answer)
    if detail.fact.kind is not NUMBER or len(anchors) < 2:
        return False
    own = next((anchor for span, anchor in anchors if span[0] <= detail.start < span[1]), None)
    lowered = text.lower()
    places = sorted((at, a) for _, a in anchors for at in _finds(a, lowered))
    if own is None or len({anchor for _, anchor in places}) < 2:
        return False
    beside = set()
    for match in re.finditer(rf"(?<![\d.,]){re.escape(detail.value)}(?!\d|\.\d)", text):
        before = [anchor for at, anchor in places if at < match.start()]
        beside.add(before[-1] if before else own)
    return bool(beside) and own not in beside


def _finds(anchor: Fact, lowered: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(anchor.text.lower()), lowered)]


def _anchors(spec: AnswerSpec, answer: str) -> list[tuple[tuple[int, int], Fact]]:
    anchors = []
    for start, end in sentences_of(answer):
        ids = [
            detail
            for detail in spec.details
            if detail.fact.kind is IDENTIFIER and start <= detail.start < end
        ]
        if ids:
            anchors.append(((start, end), ids[0].fact))
    return anchors


def _tally(
    question: str,
    text: str,
    expected: Expected,
    wanted: AnswerSpec,
    claims: Sequence[Claim],
    named: NamedEntries,
    targets: Sequence[Passage],
    passages: Sequence[Passage],
) -> Tally:
    given = {fact.normal for fact in facts_of(question)}
    claims = [claim for claim in claims if claim.fact.normal not in given]
    right, roughly, absent, rough = _given(text, expected, wanted, claims, targets)
    others = [
        (claim, *origin_of(claim, wanted.stated, targets, passages))
        for claim in claims
        if claim.start not in rough and _matters(claim, absent, bool(roughly))
    ]
    others = [claim_origin for claim_origin in others if claim_origin[1] in ("own", "foreign", "invented")]
    if len(wanted.details) == 1 and absent:
        others = others[:1] if len(others) <= FLOOD else others
    names = [detail.fact.text for detail in absent]
    count = len(wanted.details)
    if wanted.entries and (absent or not wanted.people):
        count += 1
        (right if named.right else names).append(" and ".join(called(wanted.entries, passages)))
    return Tally(
        count,
        tuple(right),
        tuple(roughly),
        tuple(names),
        [(claim, other) for claim, origin, other in others if origin == "foreign" and other],
        [claim for claim, origin, _ in others if origin == "invented"],
        [claim for claim, origin, _ in others if origin == "own"],
        named.wrong,
        named.mixed,
    )


FLOOD = 8
"""Wrong claims that a response may make, and three more for each detail that is asked for, before it counts
as made up whatever else is in it."""


@dataclass(frozen=True)
class Tally:
    """What a response says beside the facts that were asked for.

    Attributes:
        wanted: How many facts were asked for.
        right: Those that it states, for people.
        near: Those that it gives only roughly.
        absent: Those that it does not give.
        foreign: Claims that belong to another entry, with it.
        invented: Claims that belong nowhere.
        own: Wrong claims that belong to the entry in question.
        wrong_entry: What is wrong with the entry that it names; None where nothing is.
        mixed: Whether it gives one entry's number with another's author.
    """

    wanted: int
    right: tuple[str, ...]
    near: tuple[str, ...]
    absent: tuple[str, ...]
    foreign: Sequence[tuple[Claim, Passage]]
    invented: Sequence[Claim]
    own: Sequence[Claim]
    wrong_entry: str | None = None
    mixed: bool = False


def verdict(tally: Tally, *, refused: bool, hinted: bool) -> Grade:
    """Decide.

    Args:
        tally: What was found.
        refused: Whether the response says that it does not know.
        hinted: Whether it shares words with the right answer that the question does not have.
    """
    wrong = len(tally.foreign) + len(tally.invented)
    if wrong > FLOOD + 3 * tally.wanted:
        return Grade(
            "HALLUCINATED", f"It makes {wrong} claims that are wrong, whatever else is in it.", _first(tally)
        )
    if len(tally.right) == tally.wanted:
        return _all_right(tally)
    if tally.right or tally.near:
        return _some_right(tally)
    if refused and not wrong and not tally.own:
        return Grade("REFUSED", "It says that it does not know.", ", ".join(tally.absent))
    if tally.foreign and (tally.mixed or len(tally.foreign) >= len(tally.invented)):
        return _confused(tally)
    if tally.own and len(tally.own) >= len(tally.invented):
        return Grade(
            "PARTIAL",
            f"{tally.own[0].fact.text} is in the entry in question, but is not what was asked for.",
            tally.own[0].fact.text,
        )
    if tally.invented:
        return Grade(
            "HALLUCINATED",
            f"{tally.invented[0].fact.text} is nowhere in the material.",
            tally.invented[0].fact.text,
        )
    if tally.wrong_entry:
        return Grade("CONFUSED", tally.wrong_entry, ", ".join(tally.absent))
    if hinted and not refused:
        return Grade("PARTIAL", f"It does not say {_listed(tally.absent)}.", ", ".join(tally.absent))
    return Grade("REFUSED", f"It gives nothing of {_listed(tally.absent)}.", ", ".join(tally.absent))


def _all_right(tally: Tally) -> Grade:
    right = ", ".join(tally.right)
    if tally.mixed:
        return Grade(
            "CONFUSED", tally.wrong_entry or "It gives one entry's number with another's author.", right
        )
    if tally.wrong_entry:
        return Grade("PARTIAL", tally.wrong_entry, right)
    if tally.foreign or tally.invented:
        what = [*(claim for claim, _ in tally.foreign), *tally.invented][0].fact.text
        return Grade("PARTIAL", f"It states {_listed(tally.right)}, but {what} beside it is wrong.", what)
    return Grade("CORRECT", f"It states {_listed(tally.right)}.", right)


def _some_right(tally: Tally) -> Grade:
    if tally.mixed or (tally.foreign and tally.absent):
        return _confused(tally)
    if tally.near:
        return Grade("PARTIAL", f"It gives {_listed(tally.near)} only roughly.", ", ".join(tally.near))
    given = [*tally.own, *tally.invented]
    instead = f", but {given[0].fact.text}" if given else ""
    return Grade(
        "PARTIAL",
        f"It states {_listed(tally.right)}, not {_listed(tally.absent)}{instead}.",
        ", ".join(tally.absent),
    )


def _confused(tally: Tally) -> Grade:
    if not tally.foreign:
        return Grade(
            "CONFUSED", tally.wrong_entry or "It takes one entry for another.", ", ".join(tally.right)
        )
    claim, passage = tally.foreign[0]
    return Grade("CONFUSED", f"{claim.fact.text} belongs to {passage.label}.", claim.fact.text)


def _first(tally: Tally) -> str:
    return [*(claim for claim, _ in tally.foreign), *tally.invented][0].fact.text


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts) or "nothing of what was asked for"


_BRACKET = re.compile(r"(?:\s+et\s+al\.?)?[^.;\n()]{0,20}\(\s*")
_LINK = re.compile(
    r"[\s,(:–—*-]*(?:(?:is|was|were|by|led|lead|first|author|with|as|the|from|conducted|study|of|whose)[\s,:(*]*){0,6}",
    re.I,
)


@dataclass(frozen=True)
class NamedEntries:
    """What a response says about which entry it is.

    Attributes:
        right: Whether it names all entries that are asked for by their numbers.
        wrong: What is wrong with the numbers that it names; None where nothing is.
        mixed: Whether the number of an entry in question stands beside another entry's author.
    """

    right: bool
    wrong: str | None
    mixed: bool


def named_entries(
    text: str, wanted: AnswerSpec, targets: Sequence[Passage], passages: Sequence[Passage]
) -> NamedEntries:
    """Compare the entries that a text names with those asked for; where none is, nothing is wrong."""
    if not wanted.entries:
        return NamedEntries(False, None, False)
    numbers = {n for n, _ in references(text)}
    by_number = {passage.number: passage for passage in passages}
    ours = {passage.author for passage in targets}
    wrong = None
    for n, author in _pairs(text, passages):
        entry = by_number.get(n)
        if n in wanted.entries and entry is not None and entry.author != author:
            return NamedEntries(False, f"{entry.kind} {n} is by {entry.author}, not by {author}.", True)
        if n not in wanted.entries and author in ours:
            wrong = f"{author} is not the author of {called([n], passages)[0]}."
    if numbers and not numbers & wanted.entries:
        named, right = (", ".join(called(these, passages)) for these in (numbers, wanted.entries))
        wrong = wrong or f"It names {named}, not {right}."
    return NamedEntries(wanted.entries <= numbers, wrong, False)


def _pairs(text: str, passages: Sequence[Passage]) -> list[tuple[int, str]]:
    """Numbers and authors that stand together, as in ``Costa (Study 7)`` and ``Study 7, led by Costa``."""
    authors = authors_in(text, tuple(passage.author for passage in passages if passage.author))
    ends = {at: at + len(author) for at, author in authors}
    pairs = []
    for n, at in references(text):
        end = at + len(re.match(r"\w+\s*\W?\s*(?:no\.?\s*|number\s*)?\d*", text[at : at + 40])[0])  # type: ignore[index]
        before = [
            author for start, author in authors if start < at and _BRACKET.fullmatch(text[ends[start] : at])
        ]
        after = [author for start, author in authors if start >= end and _LINK.fullmatch(text[end:start])]
        pairs += [(n, author) for author in before[-1:] or after[:1]]
    return pairs
