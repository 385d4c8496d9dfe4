"""How a value is asserted: with what comparator, sign and rate, and whether words around it leave it open."""

from __future__ import annotations

import re
from typing import Literal

from tellapart.longcontext.values import Value

Agreed = Literal["same", "other", "unclear"]

# Initials, "al.", "Dr." and "vs." end no sentence; a line end always does.
_SENTENCE = re.compile(
    r"(?<!\b[A-Z]\.)(?<!\bal\.)(?<!\b[DM]r\.)(?<!\bMs\.)(?<!\bvs\.)(?<!\bca\.)(?<!\bNo\.)(?<=[.!?])[*\"”)]{0,3}\s+(?=[\"“*(\[A-Z0-9])|\n+"
)


def sentences(text: str) -> list[tuple[int, int]]:
    """The sentences and lines of a text, as (first character, after the last)."""
    spans, at = [], 0
    for match in _SENTENCE.finditer(text):
        spans.append((at, match.end()))
        at = match.end()
    return [(a, b) for a, b in (*spans, (at, len(text))) if text[a:b].strip()]


_BEFORE = {
    "≥": (
        r"at\s(?:the\s)?(?:very\s)?least|no(?:t)?\s(?:less|fewer|earlier|sooner)\sthan|"
        r"(?:a\s)?minimum(?:\sof)?|≥|>=|not\sbefore|not\suntil"
    ),
    "≤": (
        r"at\s(?:the\s)?(?:very\s)?most|no(?:t)?\s(?:more|later|longer)\sthan|up\sto|"
        r"(?:a\s)?max(?:imum)?(?:\sof)?|≤|<=|at\sthe\slatest(?:\son|\sby)?|not\safter"
    ),
    ">": r"(?:more|greater|longer|later|higher|older)\sthan|over|above|exceed(?:s|ing|ed)?|upwards\sof|>",
    "<": r"(?:less|fewer|shorter|earlier|lower|younger)\sthan|under|below|just\sshort\sof|<",
    "~": (
        r"about|around|approximately|approx\.?|roughly|nearly|almost|close\sto|circa|ca\.?|"
        r"some|just\s(?:over|under)|~|≈|something\slike"
    ),
}
_BEFORE_TIMES = {"≤": r"by|until|till", "≥": r"from|since|starting", ">": r"after", "<": r"before"}
_AFTER = {
    "≥": (
        r"or\s(?:more|above|over|older|later|higher|longer)|and\s(?:up|above|over)|"
        r"\+(?!\d)|at\sthe\searliest|minimum|at\sleast|onwards"
    ),
    "≤": r"or\s(?:less|fewer|below|under|younger|earlier|sooner)|at\sthe\slatest|max(?:imum)?|at\smost|tops",
    "~": r"or\sso|-?ish|give\sor\stake",
}


def _before(patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?:(?<!\w)(?:{patterns}))(?:\s(?:on|at|the|a|an|of|in))?[\s*_$€£(]*$", re.I)


_COMPARATORS = [(sign, _before(pattern)) for sign, pattern in _BEFORE.items()]
_TIME_COMPARATORS = [(sign, _before(pattern)) for sign, pattern in _BEFORE_TIMES.items()]
_BEHIND = [(sign, re.compile(rf"[\s*_)]*(?:{pattern})(?!\w)", re.I)) for sign, pattern in _AFTER.items()]
_ANY = {
    sign: re.compile(
        "|".join(
            rf"(?<!\w)(?:{table[sign]})(?!\w)" for table in (_BEFORE, _BEFORE_TIMES, _AFTER) if sign in table
        ),
        re.I,
    )
    for sign in _BEFORE
}
_ASKS_BOUND = {
    "≥": re.compile(
        r"\bminimum\b|\bat\sleast\b|\bearliest\b|\bsince\swhen\b|\bfrom\swhen\b|\blowest\b", re.I
    ),
    "≤": re.compile(
        r"\bmaximum\b|\bmax\b|\bat\smost\b|\blatest\b|\bdeadline\b|\bdue\b|\bby\swhen\b|\buntil\swhen\b|\bup\sto\b|\blimit\b|\bhow\slong\b|\bclose\b|\bby\swhat\b|\bhow\slate\b",
        re.I,
    ),
}
_OPPOSITE = {"≥": "≤<", ">": "≤<", "≤": "≥>", "<": "≥>", "~": "", "": ""}


def comparator(text: str, value: Value) -> str:
    """``≥``, ``≤``, ``>``, ``<`` or ``~`` as the words beside a value say it; empty where none do."""
    before = text[max(0, value.start - 40) : value.start]
    timely = _TIME_COMPARATORS if value.kind in ("date", "time") else []
    for sign, pattern in [*_COMPARATORS, *timely]:
        if pattern.search(before):
            return sign
    return next((sign for sign, pattern in _BEHIND if pattern.match(text, value.end)), "")


_PER = (
    r"day|night|week|month|quarter|year|annum|hour|minute|second|person|head|guest|child|adult|unit|piece|item|seat|ticket|"
    r"kilo|kg|litre|liter|l|dl|ml|metre|meter|m|km|mile|lesson|session|visit|share|copy|bottle|box|room|page|user"
)
_RATE = re.compile(
    rf"[\s*_]*(?:(?:a|an|per|each|every|for\severy|/)\s?(?P<per>{_PER})\b|(?P<ly>daily|nightly|weekly|monthly|yearly|annually|hourly|apiece|each)\b)",
    re.I,
)
_RATE_NAMES = {
    "daily": "day",
    "nightly": "night",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
    "annual": "year",
    "hourly": "hour",
    "annum": "year",
    "apiece": "piece",
    "each": "piece",
    "head": "person",
    "kilo": "kg",
    "liter": "litre",
    "l": "litre",
    "meter": "metre",
    "m": "metre",
}
_RATE_WORD = re.compile(
    rf"\b(?:{_PER}|daily|nightly|weekly|monthly|yearly|annual(?:ly)?|hourly|apiece|each)\b", re.I
)


def rate(text: str, value: Value) -> str:
    """``day`` of ``980 euros a day``; empty where there is none."""
    match = _RATE.match(text, value.end)
    if match is None:
        return ""
    word = (match["per"] or match["ly"]).lower()
    return _RATE_NAMES.get(word, word)


_DOWN = (
    r"f[ae]ll(?:en)?|drop(?:ped|s)?|decreas\w*|declin\w*|reduc\w*|los[st]\w*|"
    r"lower(?:ed)?|down|cut|shr[aiu]nk|sank|sunk"
)
_UP = r"r[oi]se[ns]?|increas\w*|gain\w*|gr[eo]w\w*|up|climb\w*|jump\w*|rais\w*|profit|added"
_SIGN_BEFORE = [
    (
        sign,
        re.compile(
            rf"\b(?:{words})\b(?:\s\w+){{0,2}}\s(?:by|of|was|is)\s(?:(?:about|an?|only)\s)?[$€£\s*_]*$|\b{word}\s[$€£*_]*$",
            re.I,
        ),
    )
    for sign, words, word in (("-", _DOWN, "down"), ("+", _UP, "up"))
]
_SIGN_AFTER = [
    (
        "-",
        re.compile(
            r"[\s*_]{0,6}(?:lower|less|fewer|cheaper|shorter|decrease|drop|decline|loss|reduction|down)\b",
            re.I,
        ),
    ),
    ("+", re.compile(r"[\s*_]{0,6}(?:higher|more|longer|increase|rise|gain|growth|up)\b(?!\sto)", re.I)),
]
_WORDS_OF_SIGN = {
    "-": re.compile(
        rf"\b(?:{_DOWN}|less|fewer|minus|negative|below|cheaper|shorter|discount|rebate|deficit)\b", re.I
    ),
    "+": re.compile(rf"\b(?:{_UP}|higher|plus|positive|longer|above|surplus)\b", re.I),
}


def _direction(text: str, value: Value) -> str:
    before = text[max(0, value.start - 60) : value.start]
    for sign, pattern in _SIGN_BEFORE:
        if pattern.search(before):
            return sign
    return next((sign for sign, pattern in _SIGN_AFTER if pattern.match(text, value.end)), "")


def manner_agrees(key: str, wanted: Value, text: str, given: Value, question: str, context: str) -> Agreed:
    """Whether a value that is the right one is asserted with the sign, comparator and rate of the key.

    The context is the question with the sentences of the material that state the value: a word that stands
    there says nothing new.
    """
    signs = (
        _signs_agree(key, wanted, text, given, question, context)
        if wanted.kind == given.kind == "number"
        else "same"
    )
    timely = wanted.kind in ("date", "time") and any(
        pattern.search(key[max(0, wanted.start - 40) : wanted.start])
        for sign, pattern in _TIME_COMPARATORS
        if sign in "≤≥"
    )
    bounds = _bounds_agree(comparator(key, wanted), comparator(text, given), question, context, timely=timely)
    rates = (
        _rates_agree(rate(key, wanted), rate(text, given), question, context)
        if given.kind == "number"
        else "same"
    )
    found = {signs, bounds, rates}
    return "other" if "other" in found else "unclear" if "unclear" in found else "same"


def _signs_agree(key: str, wanted: Value, text: str, given: Value, question: str, context: str) -> Agreed:
    right, said = wanted.amount.sign, given.amount.sign
    if {wanted.amount.unit, given.amount.unit} == {"°C", "°F"}:
        return "same"
    right_way, said_way = right or _direction(key, wanted), said or _direction(text, given)
    if right_way == said_way or {right_way, said_way} == {"", "+"} and (right or said):
        return "same"
    asked = {sign for sign, pattern in _WORDS_OF_SIGN.items() if pattern.search(context)}
    if not said_way:
        told = right_way == "+" or _WORDS_OF_SIGN[right_way].search(question)
        return "same" if told else "other"
    if not right_way:
        if said_way in asked and len(asked) == 1 or (said_way in asked and not said):
            return "same"
        return (
            "other"
            if said == "-" and not asked
            else "unclear"
            if said or asked
            else "same"
            if said_way == "+"
            else "unclear"
        )
    return "other"


def _bounds_agree(right: str, said: str, question: str, context: str, *, timely: bool) -> Agreed:
    if right == said:
        return "same"
    if right and said:
        return "other" if said in _OPPOSITE[right] else "unclear"
    sign = right or said
    if sign in _ASKS_BOUND and _ASKS_BOUND[sign].search(question):
        return "same"
    if said:
        return "same" if _ANY[said].search(context) else "unclear"
    # "Due 30 June" says "by 30 June".
    return "same" if right == "~" or timely or _ANY[right].search(question) else "unclear"


def _rates_agree(right: str, said: str, question: str, context: str) -> Agreed:
    if right == said:
        return "same"
    if right and said:
        return (
            "unclear" if {right, said} <= {"piece", "unit", "item", "person", "ticket", "seat"} else "other"
        )
    named = {
        _RATE_NAMES.get(word.lower(), word.lower())
        for word in _RATE_WORD.findall(context if said else question)
    }
    return "same" if (right or said) in named else "unclear"


_OPEN = re.compile(
    r"\b(?:not|never|nor|neither|cannot|except|excluding|unlike|instead|rather|apart\sfrom|other\sthan|anything\sbut|"
    r"anywhere\sbut|no\slonger|no\b(?!\.\s?\d)|or|either|maybe|perhaps|possibly|presumably|might|could|may\sbe|if\snot|"
    r"guess|guessing|estimate|unsure|originally|previously|formerly|initially|at\sfirst|used\sto|first\sthought|"
    r"wrong|incorrect|false|mistaken|somewhere|between)\b|n['’]t\b|\?",
    re.I,
)
_NO_DENIAL = re.compile(
    r"\bno(?:t)?\s(?:later|earlier|less|more|fewer|sooner|longer)\sthan\b|\bnot\s(?:before|until|after|only)\b|\bno\s(?:problem|worries|doubt)\b|"
    r"\bor\s(?:more|above|over|older|later|higher|less|fewer|below|under|younger|earlier|sooner|so)\b|\bdo\snot\sforget\b",
    re.I,
)


def asserts_otherwise(sentence: str, question: str = "") -> bool:
    """Whether words of a sentence that the question does not have deny or leave open what it states."""
    plain = _NO_DENIAL.sub(" ", sentence)
    asked = {match[0].lower() for match in _OPEN.finditer(question)} - {"?", "or", "either"}
    return any(match[0].lower() not in asked for match in _OPEN.finditer(plain))


_MANNER_WORDS = re.compile(
    "|".join(
        [
            rf"(?<!\w)(?:{words})(?!\w)"
            for table in (_BEFORE, _BEFORE_TIMES, _AFTER)
            for words in table.values()
        ]
        + [
            rf"(?<!\w)(?:a|an|per|each|every|/)\s?(?:{_PER})\b",
            r"\b(?:daily|nightly|weekly|monthly|yearly|annually|hourly|apiece|each)\b",
            r"\b(?:f[ae]ll|dropped|decreased?|declined?|reduced|loss|r[oi]se|increased?|gain|gained|lower|less|fewer|higher|more|up|down)\b",
            r"\b(?:cohen['’]s|mean|total|n|r|p|d|g|or|hr|rr|ci|sd|se|rho|beta|x)\s?(?=[=:<>≤≥]|\s*$)",
        ]
    ),
    re.I,
)


def plain_words(text: str) -> str:
    """A text without the words by which values are compared, signed and rated."""
    return _MANNER_WORDS.sub(" ", text)
