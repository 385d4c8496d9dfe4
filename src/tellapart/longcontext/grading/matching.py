"""Whether a claim is the fact that was asked for, or near it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from tellapart.longcontext.facts import Fact, numbers_in, states, worded
from tellapart.longcontext.grading.answer_spec import INSTITUTION, TITLE, AnswerSpec, Detail
from tellapart.longcontext.grading.claims import Claim
from tellapart.longcontext.grading.manner import sentences_of
from tellapart.longcontext.grading.passages import Passage

# A rounded number may be off by 10 %, one that is said to be approximate by 15 %.
_ROUNDED, _ABOUT = Decimal("0.10"), Decimal("0.15")
_GENERIC = re.compile(r"\b(?:the|university|hospital|institute|college|school|of)\b")


def comparable(claim: Claim, detail: Detail) -> bool:
    """Whether a claim answers the same question as a detail: of its kind, with a unit that goes with it.

    Without a unit a number goes with any but a percentage; a year goes only with a year, and a number with
    another label, such as ``p``, with nothing that has a label of its own.
    """
    if claim.fact.kind != detail.fact.kind:
        return False
    if claim.fact.kind == "identifier":
        return bool(re.search(r"\d", claim.value)) == bool(re.search(r"\d", detail.fact.normal))
    if claim.fact.kind == "name":
        return kind_of_name(claim) in ("unknown", kind_of_detail(detail))
    if claim.label and detail.label and {claim.label, detail.label} != {"n"} and claim.label != detail.label:
        return False
    if claim.label in ("p", "ci", "sd"):
        return claim.label == detail.label
    year = re.fullmatch(r"(?:19|20)\d\d", claim.fact.text) is not None and not claim.label
    if year != detail.is_year and not (year and claim.value == _value(detail.fact)):
        return False
    return claim.unit == detail.unit or (not claim.unit and bool(detail.unit))


def kind_of_detail(detail: Detail) -> str:
    """``person``, ``institution`` or ``title``."""
    return "person" if detail.person else "institution" if INSTITUTION.search(detail.fact.text) else "title"


def kind_of_name(claim: Claim) -> str:
    """``person``, ``institution`` or ``title``; ``unknown`` where a single word may be any, or none."""
    text = claim.fact.text
    if claim.person:
        return "person"
    if INSTITUTION.search(text):
        return "institution"
    if TITLE.search(text) or claim.before in ("in", "journal"):
        return "title"
    if len(text.split()) > 1 or claim.before in ("by", "author", "was", "is"):
        return "person"
    return "unknown"


def replaces(claim: Claim, detail: Detail) -> bool:
    """Whether a claim stands where a detail should: comparable and, if a name, plainly of its kind."""
    if claim.fact.kind == "name" and kind_of_name(claim) == "unknown":
        return False
    return comparable(claim, detail)


def extra(claim: Claim) -> bool:
    """Whether a claim beside a right answer can make it wrong.

    Numbers can, and identifiers with digits; of names only institutions and titles of several words, as a
    capital may mean anything.
    """
    if claim.fact.kind == "name":
        return len(claim.fact.text.split()) > 1 and kind_of_name(claim) in ("institution", "title")
    return claim.fact.kind == "number" or bool(re.search(r"\d", claim.value))


def matched(detail: Detail, claims: Sequence[Claim], targets: Sequence[Passage], text: str) -> bool:
    """Whether the assertive text states the detail, of the entry in question where it says of which."""
    if detail.fact.kind == "number":
        return any(
            claim.value == _value(detail.fact)
            and comparable(claim, detail)
            and (claim.owner is None or not targets or claim.owner in targets)
            for claim in claims
        )
    if states(text, detail.fact):
        return True
    if detail.fact.kind == "name" and not detail.person:
        core = " ".join(_GENERIC.sub(" ", detail.fact.normal).split())
        return len(core) > 3 and f" {core} " in worded(text)
    if detail.person and " " in detail.fact.normal:
        last = detail.fact.text.split()[-1]
        return re.search(rf"(?<![^\W_]){re.escape(last)}(?![^\W_])", text) is not None
    return False


def near(detail: Detail, claims: Sequence[Claim], text: str) -> Claim | None:
    """A claim that gives a number only roughly: rounded, said to be about, or a range with it inside."""
    if detail.fact.kind != "number" or not (right := Decimal(_value(detail.fact))):
        return None
    alike = [claim for claim in claims if claim.fact.kind == "number" and comparable(claim, detail)]
    for claim in alike:
        off = abs(Decimal(claim.value) - right) / right
        if (off <= _ROUNDED and _rounds(right, Decimal(claim.value))) or (claim.about and off <= _ABOUT):
            return claim
    for low, high in zip(alike, alike[1:], strict=False):
        between = text[low.end : high.start].strip()
        if between in ("-", "–", "and", "to") and Decimal(low.value) <= right <= Decimal(high.value):
            opens = text[: low.start].rstrip().lower()
            if between != "and" or opens.endswith("between"):
                return low
    return None


def _rounds(right: Decimal, given: Decimal) -> bool:
    """Whether it is the right number with fewer digits."""
    digits = len(given.normalize().as_tuple().digits)
    if digits >= len(right.normalize().as_tuple().digits):
        return False
    unit = Decimal(1).scaleb(right.adjusted() - digits + 1)
    return abs(right - given) <= unit / 2


def misplaced(detail: Detail, spec: AnswerSpec, answer: str, text: str) -> bool:
    """Whether a number is given only beside another anchor than in the right answer: odds ratios exchanged.

    The anchors are the first identifiers of the answer's sentences, where at least two have one.
    """
    anchors = _anchors(spec, answer)
    if detail.fact.kind != "number" or len(anchors) < 2:
        return False
    own = next((anchor for span, anchor in anchors if span[0] <= detail.start < span[1]), None)
    lowered = text.lower()
    places = sorted((at, a) for _, a in anchors for at in _finds(a, lowered))
    if own is None or len({anchor for _, anchor in places}) < 2:
        return False
    beside = set()
    for match in re.finditer(rf"(?<![\d.,]){re.escape(_value(detail.fact))}(?!\d|\.\d)", text):
        before = [anchor for at, anchor in places if at < match.start()]
        beside.add(before[-1] if before else own)
    return bool(beside) and own not in beside


def _finds(anchor: Fact, lowered: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(anchor.text.lower()), lowered)]


def _anchors(spec: AnswerSpec, answer: str) -> list[tuple[tuple[int, int], Fact]]:
    anchors = []
    for start, end in sentences_of(answer):
        ids = [one for one in spec.details if one.fact.kind == "identifier" and start <= one.start < end]
        if ids:
            anchors.append(((start, end), ids[0].fact))
    return anchors


def _value(fact: Fact) -> str:
    return next(iter(numbers_in(fact.text)), fact.normal)
