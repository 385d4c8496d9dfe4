"""Telephone numbers, with or without spaces and country code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tellapart.longcontext.facts.kind import Fact, FactKind, Sighting, Wanted, is_inside

_PHONE = re.compile(
    r"(?<![\w.,/-])(?:\+\s?\d|\(0|0\d)[\d\s().\-/]{5,24}\d(?!\w|[.,]\d)|"
    r"(?<![\w.,/-])(?:\(?\d{3}\)?[-.\s])?\d{3}[-.]\d{4}(?!\w|[.,-]\d)"
)
_FEWEST = 7
"""Digits of a telephone number without its country code."""


class _Phone(FactKind):
    name = "telephone number"
    precedence = 5
    told_by = ("number", "identifier")
    wanted = (
        Wanted(
            r"\b(?:tele)?phone\b|\bmobile\b|\bcell\b|\bto\scall\b|\bring\b|\bextension\b|\bfax\b",
            lambda mention: True,
            every=True,
        ),
    )

    def sightings(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterable[Sighting]:
        for match in _PHONE.finditer(text):
            digits = re.sub(r"\(0\)|\D", "", match[0])
            if len(digits) >= _FEWEST and not is_inside(match.start(), taken):
                yield Sighting(*match.span(), Fact(self, match[0], digits.lstrip("0")))

    def stated_in(self, text: str, fact: Fact) -> bool:
        """Whether its digits stand there in other groups, as in ``555 0142``."""
        apart = r"[\s().\-/]*".join(fact.normal)
        return re.search(rf"(?<!\d){apart}(?!\d)", text) is not None

    def agrees(self, wanted: Fact, given: Fact) -> bool:
        """Whether all digits are the same, but for a country code that only one of them has."""
        if given.kind is not self:
            return re.sub(r"\D", "", given.text).lstrip("0") == wanted.normal
        longer, shorter = sorted((wanted.normal, given.normal), key=len, reverse=True)
        return len(shorter) >= _FEWEST and longer.endswith(shorter) and len(longer) - len(shorter) <= 3


KIND: FactKind = _Phone()
