"""Numbers that may be off by a tolerance, and numbers whose unit stands beside them in the key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from tellapart.longcontext.facts import Mention
from tellapart.longcontext.facts.number import KIND as NUMBER
from tellapart.longcontext.facts.number import amounts_of
from tellapart.longcontext.facts.numerals import numerals


def tolerance_of(text: str) -> tuple[Fraction, bool]:
    """How far a number may be off, and whether that is a share of it."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%)?\s*", text)
    if match is None:
        raise ValueError("is no tolerance, expected such as '5 %' or '0.5'")
    return (Fraction(match[1]) / 100, True) if match[2] else (Fraction(match[1]), False)


def is_within(detail: Mention, claims: Sequence[Mention], tolerance: str | None) -> bool:
    """Whether a response gives a number that is off by no more than the tolerance, in a fitting unit."""
    if tolerance is None or detail.fact.kind is not NUMBER:
        return False
    size, is_share = tolerance_of(tolerance)
    for claim in claims:
        if claim.fact.kind is NUMBER and NUMBER.comparable(claim, detail):
            right, given, written = amounts_of(detail.fact, claim.fact)
            allowed = size * right if is_share else size * (right / written if written else 1)
            if abs(given - right) <= allowed:
                return True
    return False


def with_unit(answer: str, unit: str | None) -> str:
    """The answer with a unit behind each number that has none."""
    if unit is None:
        return answer
    for numeral in reversed(numerals(answer)):
        if not numeral.unit:
            answer = f"{answer[: numeral.end]} {unit}{answer[numeral.end :]}"
    return answer
