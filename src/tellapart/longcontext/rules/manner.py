"""How something is said: refused, hedged, denied, or only in general."""

from __future__ import annotations

import re

_CANNOT = (
    r"(?:do(?:es)?\s+not|don['’]?t|doesn['’]t|did\s+not|didn['’]t|can\s?not|can['’]?t|could\s+not|couldn['’]t|"
    r"no\s+longer|never|am\s+not\s+able\s+to|unable\s+to)"
)
_SOURCE = r"text|articles?|conversation|materials?|passages?|transcript|messages?|documents?|context|sources?"
_SAYS = (
    r"said|says?|mention(?:ed)?|stated?|specif(?:y|ied)|included?|contain(?:ed)?|cover(?:ed)?|tell|told|given?|"
    r"provided?|indicated?|named?"
)
# Wide on purpose, since models refuse in many words; it only decides where nothing right was stated.
_REFUSALS = (
    # I cannot recall
    rf"\b(?:I|we)\s+(?:\w+\s+)?{_CANNOT}\s+(?:\w+\s+)?(?:have|know|recall|remember|find|see|locate|access|"
    r"determine|provide|answer|identify|tell|list|say|give|retrieve|confirm|characteri[sz]e)\b",
    # I no longer have, I have not, I'm not aware
    r"\bI\s+(?:no\s+longer|never)\s+(?:have|had|saw)\b",
    r"\bI\s+have\s+(?:no|not)\b",
    r"\b(?:I(?:['’]m|\s+am)|am)\s+(?:\w+\s+)?(?:unable|not\s+able|unaware|not\s+aware)\b",
    # is not available, not in my context
    r"\b(?:not|n['’]t|isn['’]t|aren['’]t)\s+(?:\w+\s+){0,2}"
    r"(?:available|accessible|provided|included|shown|given|present)\b",
    r"\b(?:unavailable|not\s+in\s+(?:my|the)\s+(?:context|memory|conversation))\b",
    # no information, none of the studies lets me
    r"\b(?:no|insufficient)\s+(?:\w+\s+){0,2}(?:information|record|data|access|details?)\b",
    r"\b(?:none|nothing)\s+(?:of|in)\s+(?:the\s+)?(?:\w+\s+){0,3}(?:I|me|my|lets)\b",
    # is lost to me
    r"\bis\s+lost\s+to\s+me\b",
    r"\b(?:have|has)\s+been\s+lost\b",
    # cannot be determined
    rf"\b{_CANNOT}\s+(?:recall|remember|be\s+(?:determined|found|answered))\b",
    r"\bunable\s+to\s+(?:find|recall|answer|determine|provide|list|locate|identify)\b",
    # the text does not say, is not part of our conversation, you have not shared
    rf"\b(?:{_SOURCE})\s+(?:\w+\s+)?(?:{_CANNOT}|has\s+not|hasn['’]t)\s+(?:\w+\s+)?(?:{_SAYS})\b",
    rf"\b(?:not|n['’]t)\s+(?:been\s+)?(?:(?:part|mentioned|stated)\s+)?(?:of|in)\s+(?:our|this|the)\s+(?:{_SOURCE})\b",
    r"\b(?:you|we)\s+(?:have\s+not|haven['’]t|did\s+not|didn['’]t|never)\s+(?:yet\s+)?"
    rf"(?:share[d]?|show[n]?|discuss(?:ed)?|{_SAYS})\b",
    # escapes me, I have forgotten, I would rather not guess, you would have to ask
    r"\b(?:escapes?|eludes?)\s+me\b",
    r"\bI(?:['’]ve|\s+have)?\s+(?:\w+\s+)?forg[eo]t(?:ten)?\b",
    r"\brather\s+not\s+(?:guess|say)\b",
    r"\byou(?:['’]d|\s+would|['’]ll|\s+will)?\s+(?:need|have|want)\s+to\s+(?:ask|check|look)\b",
    r"\bno\s+(?:idea|clue)\b",
    r"\b(?:not|n['’]t)\s+(?:been\s+)?known\s+to\s+me\b",
    r"\bdon['’]?t\s+seem\s+to\s+(?:have|know|recall|remember)\b",
    r"\bI\s+(?:can['’]?t|cannot)\s+(?:\w+\s+){0,2}(?:out|share|disclose)\b",
    # that was not mentioned, there is no mention of it, you never gave me a number
    r"\b(?:was|is|were|been)(?:n['’]t|\s+(?:not|never))\s+(?:\w+\s+)?"
    r"(?:mentioned|stated|specified|said|shared|discussed|recorded|noted)\b",
    r"\bno\s+(?:mention|word|memory)\s+of\b",
    r"\byou\s+never\s+(?:gave|said|told|mentioned|wrote|specified|shared)\b",
    r"\b(?:is|was)(?:n['’]t|\s+not)\s+in\s+(?:what|anything)\b",
    r"\bunclear\s+(?:from|to\s+me)\b",
    # I would have to check, can you send it again, which one do you mean
    r"\bI(?:['’]d|\s+would|['’]ll)\s+(?:need|have)\s+to\s+(?:guess|check|look|ask|see)\b",
    r"\bcan\s+you\s+(?:please\s+)?(?:resend|repeat|remind|share|paste|clarify)\b",
    r"^\W*(?:which|what)\s+\w+\s+do\s+you\s+mean\b",
    r"^\W*(?:don['’]t\s+know|dunno|please\s+(?:check|see|ask|consult))\b",
    r"\byou(?:['’]d|\s+had)\s+better\s+ask\b",
    # beats me, I lost track, I have nothing on that
    r"\b(?:beats\s+me|hard\s+to\s+say|I\s+wish\s+I\s+knew|drawing\s+a\s+blank|lost\s+track|got\s+lost)\b",
    r"\b(?:won['’]t|will\s+not)\s+(?:speculate|guess)\b",
    r"\bI\s+(?:didn['’]t|did\s+not)\s+(?:catch|note|save)\b",
    r"\b(?:I\s+have|there['’]s|there\s+is)\s+nothing\b|^\W*nothing\s+(?:on|about)\b|\bI['’]m\s+missing\b",
    r"\b(?:not\s+something\s+I\s+can|can(?:not|['’]t)\s+help\s+(?:you\s+)?with)\b",
    r"\bnot\s+(?:specified|stated|mentioned)\s+in\b",
    # I know his height, but not his weight
    r"\bbut\s+not\s+(?:why|when|where|who|how|what|which|(?:her|his|its|their|the|your|my)\s+\w+)[\s\w]{0,20}[.!]?\s*$",
    # nothing but: unknown
    r"^\W*(?:it(?:['’]s|\s+is|\s+was)\s+)?(?:not\s+(?:specified|stated|mentioned|given|provided|known|available)|"
    r"unknown|n\s?/\s?a|none\s+given|no\s+answer|no\s+idea)\W*$",
)
_REFUSAL = re.compile("|".join(_REFUSALS), re.I)
_HEDGE = re.compile(
    r"\b(?:not\s+(?:\w+\s+)?(?:sure|certain)|unsure|uncertain|could\s+you|please\s+(?:share|provide)|apolog)",
    re.I,
)
_GENERAL = re.compile(
    r"\b(?:often|typically|usually|generally|commonly|normally|in\s+general|most\s+(?:studies|trials|such)|"
    r"studies\s+(?:of|like)\s+th|many\s+(?:studies|trials))\b",
    re.I,
)
_NOT_BEFORE = re.compile(
    r"(?:\bnot?\b|\bnever\b|n['’]t\b|\bunlike\b|\brather\s+than\b|\binstead\s+of\b|\bcannot\b|\bwithout\b)",
    re.I,
)
# Initials, "al.", "Dr." and "vs." end no sentence; a line end always does.
_SENTENCE = re.compile(
    r"(?<!\b[A-Z]\.)(?<!\bal\.)(?<!\bDr\.)(?<!\bvs\.)(?<=[.!?])[*\"”)]{0,3}\s+(?=[\"“*(\[A-Z0-9]|[a-z]+\d)|\n+"
)
_CLAUSE = re.compile(
    r"[,;:]\s+|\s[-–—]\s|\s(?=(?:but|though|although|while|whereas|however|because|so)\b)", re.I
)


def sentences_of(text: str) -> list[tuple[int, int]]:
    """The sentences and lines of a text, as (first character, after the last)."""
    return _parts(text, 0, len(text), _SENTENCE)


def clauses_of(text: str) -> list[tuple[int, int]]:
    """The clauses of all sentences: parts between commas, semicolons, dashes and conjunctions."""
    return [part for start, end in sentences_of(text) for part in _parts(text, start, end, _CLAUSE)]


def _parts(text: str, start: int, end: int, between: re.Pattern[str]) -> list[tuple[int, int]]:
    parts, at = [], start
    for match in between.finditer(text, start, end):
        parts.append((at, match.end()))
        at = match.end()
    return [(a, b) for a, b in (*parts, (at, end)) if text[a:b].strip()]


def refuses(text: str) -> bool:
    """Whether it says somewhere that it does not know, cannot find or was not given something."""
    return _REFUSAL.search(text) is not None


def hedges(text: str) -> bool:
    """Whether it says somewhere that it is not sure, or asks back."""
    return _HEDGE.search(text) is not None


def in_general(text: str) -> bool:
    """Whether it tells what is usual, and not what this material says."""
    return _GENERAL.search(text) is not None


def negated(before: str) -> bool:
    """Whether what comes before, in the same clause, denies what follows."""
    return _NOT_BEFORE.search(before) is not None
