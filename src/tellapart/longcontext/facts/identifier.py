"""Identifiers: letters with digits, or capitals alone, such as ``PDQ-20``, ``INV/2026/031`` and ``WCST``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from tellapart.longcontext.facts.kind import Fact, FactKind, Mention, Sighting, Wanted, is_inside
from tellapart.longcontext.facts.text import worded

_LABELS = "CI OR HR RR SD SE NNT NNH SMD RCT RCTS ID QA OK USA US UK EU AI API"
_LOUD = (
    "A AN AND ANY ALL ALSO ARE AS AT BE BOTH BUT BY CAN CORRECT DATA DID DO DOES EACH EARLY EVER "
    "EXACT EXACTLY FAIL FIRST FOR FROM HAD HAS HAVE IF IN IS IT ITS LAST LATE MAY MODEL MORE MOST "
    "MUST NEVER NO NOT NOTE NOW OF ON ONE ONLY OR OTHER OUT PASS REPEAT SAME SHOULD SO STUDY THAN "
    "THAT THE THEIR THEN THESE THEY THIS THREE TO TRAP TRICK TRUE TWO UP US USE VERY WAS WERE WHAT "
    "WHEN WHICH WHO WILL WITH YES YOU SCORE REASON DETAIL KEY YEAR TOTAL AUTHOR "
    "EUR USD GBP CHF JPY INR SEK NOK DKK AM PM GB TB MB KB RAM VAT"
)
LABELS = frozenset(_LABELS.split())
"""Capitals that say what a number is, or that are too common to identify anything."""
LOUD = frozenset(_LOUD.split())
"""Words that are written in capitals for emphasis."""
# #4417, A-4417 and INV/2026/031, 4471-B, 2024-0031; then PDQ-20, rs78423156, 6q14.1, AAQoL and mRNA.
_IDENTIFIER = re.compile(
    r"(?<![^\W_])(?<!\d[.,])(?:\#\s?(?:[A-Za-z]{1,5}-?)?\d{2,12}(?:[-/]\w{1,12}){0,3}|"
    r"(?:(?![A-Z]+/[A-Z]+\b)[A-Z]{1,8}\d{0,6}(?:[-/_](?=[A-Z0-9]{0,12}\d|[A-Z]{1,4}\b)[A-Z0-9]{1,12}){1,4}|"
    r"\d{2,8}(?:[-/][A-Z]{1,6}\d{0,8}){1,3}|\d{2,8}(?:[-/]\d{2,8}){0,2}[-/]0\d{2,8}|\d{1,4}[ABDEabde](?!\w))(?![\w]|[-/]\d)|"
    r"(?=[A-Za-z0-9\-]{0,40}[A-Za-z])"
    r"(?:[A-Za-z]{1,12}\d[A-Za-z0-9]{0,20}(?:[.\-]\d[A-Za-z0-9]{0,12})?|\d{1,6}[A-Za-z]\w{1,20}(?:\.\d{1,4})?|[A-Z]{2,12}[a-z]{0,3}[A-Z]{0,6}(?:-[A-Za-z0-9]{1,12}){0,3}|"
    r"[A-Z]?[a-z]{1,3}[A-Z]{2,8}|[A-Z][a-z]{1,2}[A-Z]{1,3})(?![^\W_]))"
)
# A number with its unit or its ending, which looks like an identifier and is none: 80mg, 4th.
_GLUED = re.compile(
    r"\d{1,9}(?:mg|kg|g|cm|mm|km|ml|ms|s|x|k|m|h|min|mins|hrs?|bpm|gb|mb|tb|kb|kwh|kw|am|pm|bn|mn|th|st|nd|rd)",
    re.I,
)
_HAS_DIGIT = re.compile(r"\d")


def _has_digit(mention: Mention) -> bool:
    return mention.fact.kind is KIND and _HAS_DIGIT.search(mention.fact.text) is not None


def _is_wanted(mention: Mention) -> bool:
    return (
        mention.fact.kind is KIND
        and not mention.bracketed
        and mention.before not in ("in", "near", "at", "by")
    )


class _Identifier(FactKind):
    name = "identifier"
    precedence = 8
    told_by = ("number",)
    wanted = (
        Wanted(
            r"\b(?:what|which|name|list)\s+(?:\w+\s+){0,4}(?:tests?|genes?|loci|locus|chromosomes?|instruments?|scales?|"
            r"identifiers?|codes?|SNPs?|variants?|markers?)\b",
            _is_wanted,
            every=True,
        ),
        Wanted(
            r"\b(?:reference|code|ids?|identifier|plate|tracking|ticket|serial|model|booking|confirmation|policy|invoice|"
            r"order|account|case|passport|flight|train|licen[cs]e|membership|customer)s?(?:\s(?:number|code|reference|id|no))?\b|"
            r"\bnumbers?\s(?:of|is|for|on)\b",
            _has_digit,
            every=True,
        ),
    )

    def sightings(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterable[Sighting]:
        for match in _IDENTIFIER.finditer(text):
            if _is_identifier(match[0]) and not is_inside(match.start(), taken):
                yield Sighting(*match.span(), Fact(self, match[0], _normal(match[0])))

    def agrees(self, wanted: Fact, given: Fact) -> bool:
        """Whether it is the same, or its digits, three or more, without the letters before them."""
        if given.kind is self:
            return given.normal == wanted.normal
        digits = re.fullmatch(r"[a-z]{1,6}(\d{3,})", wanted.normal.casefold())
        return digits is not None and given.text.lstrip("#") == digits[1]

    def stated_in(self, text: str, fact: Fact) -> bool:
        return _normal(fact.normal) in _identifiers(text) or _loosely(text, fact)

    def comparable(self, claim: Mention, detail: Mention) -> bool:
        return bool(_HAS_DIGIT.search(claim.value)) == bool(_HAS_DIGIT.search(detail.value))

    def can_spoil(self, claim: Mention) -> bool:
        return bool(_HAS_DIGIT.search(claim.value))


KIND: FactKind = _Identifier()


@lru_cache(maxsize=8192)
def _identifiers(text: str) -> frozenset[str]:
    return frozenset(_normal(m[0]) for m in _IDENTIFIER.finditer(text))


def _loosely(text: str, fact: Fact) -> bool:
    """``PDQ 20`` is ``PDQ-20``, and ``aaqol`` is ``AAQoL``; short capitals are compared as capitals."""
    if _HAS_DIGIT.search(fact.normal):
        apart = r"[\s\-/_.]?".join(map(re.escape, re.findall(r"[a-z]+|\d+", fact.text.casefold())))
        return re.search(rf"(?<![^\W_]){apart}(?![^\W_])", text.casefold()) is not None
    if fact.text.isalpha() and fact.text.isupper():
        return re.search(rf"(?<![^\W_]){re.escape(fact.text)}s?(?![^\W_])", text) is not None
    return worded(fact.text) in worded(text)


def _normal(word: str) -> str:
    return re.sub(r"[-/_#\s]", "", word).casefold() if not (word.isalpha() and word.isupper()) else word


def _is_identifier(word: str) -> bool:
    if word.isalpha() and word.isupper():
        return 2 < len(word) < 7 and word not in LABELS | LOUD
    if _GLUED.fullmatch(word) or not re.search(r"[A-Za-z]", word):
        return False
    head, *rest = re.split(r"[-/_]", word)
    if head in LOUD and any(_HAS_DIGIT.search(part) for part in rest):
        return True
    return not (head in LOUD or (word.isalpha() and word.upper().rstrip("S") in LABELS))
