"""What a response states of the facts that are asked for, and what it states instead."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import Fact, Mention, facts_of, located, same, states
from tellapart.longcontext.facts.name import KIND as NAME
from tellapart.longcontext.facts.number import KIND as NUMBER
from tellapart.longcontext.facts.number import STATISTICS
from tellapart.longcontext.facts.text import flat, worded, words_of
from tellapart.longcontext.rules.answer_spec import AnswerSpec, details_of
from tellapart.longcontext.rules.claims import Claim, origin_of
from tellapart.longcontext.rules.exchanged import exchange_of
from tellapart.longcontext.rules.manner import sentences_of
from tellapart.longcontext.rules.named_entries import NamedEntries
from tellapart.longcontext.rules.numbers_off import is_within
from tellapart.longcontext.rules.passages import Passage, called
from tellapart.longcontext.rules.stated_words import other_words
from tellapart.longcontext.rules.verdict import FLOOD, Tally
from tellapart.longcontext.rules.words import content_words, is_one_edit_off, stems_of


def given_details(
    answer: str,
    text: str,
    wanted: AnswerSpec,
    claims: Sequence[Claim],
    targets: Sequence[Passage],
    exchanged: frozenset[Mention] = frozenset(),
) -> tuple[list[str], list[str], list[Mention], set[int]]:
    """The details that are stated, given roughly and not given; and where the rough ones stand."""
    right, roughly, absent, rough = [], [], [], set()
    for detail in wanted.details:
        of_entry = [claim for claim in claims if claim.owner is None or not targets or claim.owner in targets]
        about = detail.fact.kind.near(detail, claims, text)
        stated = (
            detail.fact.kind.matched(detail, of_entry, text)
            or _is_called(detail, wanted, text)
            or is_within(detail, of_entry, wanted.tolerance)
        )
        if stated and detail not in exchanged and not _is_described_otherwise(detail, answer, text):
            right.append(detail.fact.text)
        elif about is not None and not stated:
            roughly.append(detail.fact.text)
            rough.add(about.start)
        else:
            absent.append(detail)
    return right, roughly, absent, rough


def _is_called(detail: Mention, wanted: AnswerSpec, text: str) -> bool:
    """Whether a response has another name of it, which the right answer gives too."""
    alias = wanted.aliases.get(detail.fact.normal)
    return alias is not None and set(stems_of(alias)) <= set(stems_of(text))


_LONGEST_WORD = 40


def _is_described_otherwise(detail: Mention, answer: str, text: str) -> bool:
    """Whether a name has another word before it than in the right answer: a red Fabia for a blue one."""
    own = re.search(r"\b([a-z]+)\s$", answer[max(0, detail.start - _LONGEST_WORD) : detail.start])
    if detail.fact.kind is not NAME or own is None or not content_words(own[1]):
        return False
    for match in re.finditer(re.escape(flat(detail.fact.text)), flat(text)):
        before = re.search(r"\b([a-z]+)\s$", text[: match.start()])
        if before and content_words(before[1]) and not set(stems_of(before[1])) & set(stems_of(answer)):
            return True
    return False


# How often, in words that are no numbers.
_HOW_OFTEN = re.compile(
    r"\b(?:every|each|daily|nightly|weekly|monthly|hourly)\b|\b(?-i:BID|TID|QID|b\.i\.d|t\.i\.d)\b", re.I
)


def _is_misspelt(detail: Mention, text: str, passages: Sequence[Passage]) -> bool:
    """Whether a response has a word that is one letter off a name, and that the material does not have."""
    if detail.fact.kind is not NAME:
        return False
    parts = [word for word in words_of(detail.fact.text).split() if len(word) >= _LONG_ENOUGH]
    said = [word for word in words_of(text).split() if any(is_one_edit_off(word, part) for part in parts)]
    return any(not any(f" {word} " in worded(passage.text) for passage in passages) for word in said)


_LONG_ENOUGH = 5
"""Letters of a name of which one can be wrong without making it another name."""


def _is_rate(fact: Fact) -> bool:
    return fact.kind is NUMBER and NUMBER.measured(fact)[1] == "x"


def _is_described(detail: Mention, question: str, text: str, answer: str) -> bool:
    """Whether a response has the word beside a name, and not the name: his daughter, of daughter Karen."""
    if detail.fact.kind is not NAME:
        return False
    beside = re.search(r"(?<![a-z])([a-z]+)\s$", answer[max(0, detail.start - _LONGEST_WORD) : detail.start])
    words = set(stems_of(beside[1])) - set(stems_of(question)) if beside else set()
    return bool(words & set(stems_of(text)))


def _may_hold(absent: Sequence[Mention], question: str, text: str, expected: Expected) -> bool:
    """Whether a response has digits, or for a name words, that nobody has read."""
    rest = text
    for start, fact in located(text):
        rest = rest[:start] + " " * len(fact.text) + rest[start + len(fact.text) :]
    values = [detail for detail in absent if detail.fact.kind.is_value]
    if values and re.search(r"\d", rest):
        return True
    often = any(detail.unit == "x" or detail.before == "every" for detail in values)
    if often and (_HOW_OFTEN.search(rest) or any(_is_rate(fact) for fact in facts_of(text))):
        return True
    if any(_is_described(detail, question, text, expected.answer or "") for detail in absent):
        return True
    if len(values) == len(absent):
        return False
    others = set(other_words(question, text, expected))
    capitals = (
        re.findall(r"(?<![.!?:\n]\s)(?<!^)\b[^\W\d_a-z][\w'’-]*", rest) if text != text.lower() else [rest]
    )
    return any(set(stems_of(word)) & others for word in capitals)


def _matters(
    claim: Claim,
    origin: str,
    absent: Sequence[Mention],
    right: Sequence[Mention],
    roughly: bool,
    beside: Sequence[Mention],
    spans: Sequence[tuple[int, int]],
    text: str,
) -> bool:
    """Whether a wrong claim counts: in the place of a missing fact, else beside the right ones.

    Beside right ones it is no mistake where it is a piece of one, says it roughly, or is what the material
    says of something else that the response names too.
    """
    kind = claim.fact.kind
    if absent or roughly:
        return any(kind.replaces(claim, detail) for detail in absent)
    if any(_is_piece(claim, detail) or detail.fact.kind.near(detail, [claim], "") for detail in right):
        return False
    if any(_contradicts(claim, detail) for detail in beside):
        return True
    if any(_contradicts(claim, detail) for detail in right) and _is_joined(claim, spans, text):
        return True
    if (
        origin == "foreign"
        and claim.owner is None
        and not any(_contradicts(claim, detail) for detail in right)
    ):
        return False
    return kind.can_spoil(claim)


_OR = re.compile(
    r"\s*+(?:[,/]\s*+)?(?:or|and|/|&|as\swell\sas)\s++(?:the\s|maybe\s|perhaps\s|possibly\s)?", re.I
)


def _spans_of(right: Sequence[Mention], text: str) -> list[tuple[int, int]]:
    """Where right ones stand in a text, each with its first character and the one after its last."""
    return [
        (start, start + len(fact.text))
        for start, fact in located(text)
        if any(fact.kind is detail.fact.kind and fact.kind.agrees(detail.fact, fact) for detail in right)
    ]


def _is_joined(claim: Claim, spans: Sequence[tuple[int, int]], text: str) -> bool:
    """Whether it is said together with a right one: either 4,150 or 11,600."""
    return any(
        _OR.fullmatch(text[end : claim.start]) or _OR.fullmatch(text[claim.end : start])
        for start, end in spans
    )


def _contradicts(claim: Claim, detail: Mention) -> bool:
    return claim.unit == detail.unit and claim.fact.kind.replaces(claim, detail)


def _contradictable(wanted: AnswerSpec, answer: str, text: str, given: set[str]) -> list[Mention]:
    """Values of the right answer that nobody asks for and that the response does not state either."""
    asked = {detail.start for detail in wanted.details}
    return [
        detail
        for detail in details_of(answer)
        if detail.start not in asked
        and detail.fact.kind.is_value
        and not detail.bracketed
        and detail.label not in STATISTICS
        and detail.fact.normal not in given
        and not states(text, detail.fact)
    ]


def _is_piece(claim: Claim, detail: Mention) -> bool:
    """Whether a claim is a part of a right fact, such as the digits of an identifier."""
    digits = re.sub(r"\D", "", claim.fact.text)
    return claim.fact.text in detail.fact.text or (
        not detail.fact.kind.is_value and bool(digits) and digits in re.sub(r"\D", "", detail.fact.text)
    )


_AROUND = 60
"""Characters on either side of a value that say what it is a value of."""


def _is_said_of_another(claim: Claim, where: Passage, text: str, known: frozenset[str]) -> bool:
    """Whether around a claim stand words of the entry that it comes from, beside those in question."""
    start, end = next((a, b) for a, b in sentences_of(text) if a <= claim.start < b)
    around = text[max(start, claim.start - _AROUND) : min(end, claim.end + _AROUND)]
    return bool(set(stems_of(around)) & set(stems_of(where.text)) - known - set(stems_of(claim.fact.text)))


def tally_of(
    question: str,
    text: str,
    expected: Expected,
    wanted: AnswerSpec,
    claims: Sequence[Claim],
    named: NamedEntries,
    targets: Sequence[Passage],
    passages: Sequence[Passage],
) -> Tally:
    """Say what a response states of the facts that are asked for, and what it states in their place."""
    given = {fact.normal for fact in facts_of(question)}
    claims = [claim for claim in claims if claim.fact.normal not in given]
    exchange = exchange_of(wanted.details, details_of(expected.answer or ""), expected.answer or "", text)
    right, roughly, absent, rough = given_details(
        expected.answer or "", text, wanted, claims, targets, exchange.exchanged
    )
    stated = [detail for detail in wanted.details if detail not in absent]
    beside = _contradictable(wanted, expected.answer or "", text, given)
    spans = _spans_of(stated, text)
    known = frozenset((*stems_of(question), *stems_of(expected.answer or "")))
    numbered = any(passage.number is not None for passage in passages)
    origins = [(claim, *origin_of(claim, wanted.stated, targets, passages)) for claim in claims]
    others = [
        (claim, origin, other)
        for claim, origin, other in origins
        if origin in ("own", "foreign", "invented")
        and claim.start not in rough
        and not any(is_within(detail, [claim], wanted.tolerance) for detail in wanted.details)
        and _matters(claim, origin, absent, stated, bool(roughly), beside, spans, text)
        and not (
            origin == "foreign"
            and other
            and claim.owner is None
            and not absent
            and _is_said_of_another(claim, other, text, known)
        )
    ]
    if len(wanted.details) == 1 and absent:
        others = others[:1] if len(others) <= FLOOD else others
    names = [detail.fact.text for detail in absent]
    count = len(wanted.details)
    if wanted.entries and (absent or not wanted.people):
        count += 1
        (right if named.right else names).append(" and ".join(called(wanted.entries, passages)))
    asked = [detail.fact for detail in wanted.details]
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
        unclear=tuple(
            detail.fact.text
            for detail in wanted.details
            if detail in exchange.unclear or (detail in absent and _is_misspelt(detail, text, passages))
        ),
        exchanged=tuple(detail.fact.text for detail in absent if detail in exchange.exchanged),
        former=[
            claim
            for claim, origin, _ in origins
            if origin == "known"
            and not any(same(claim.fact, fact) for fact in asked)
            and any(claim.fact.kind.replaces(claim, detail) for detail in absent)
        ],
        numbered=numbered,
        contradicts=[
            claim
            for claim, _, _ in others
            if any(_contradicts(claim, detail) for detail in beside) or _is_joined(claim, spans, text)
        ],
        unread=_may_hold(absent, question, text, expected),
    )
