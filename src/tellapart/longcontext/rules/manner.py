"""How a value is asserted: comparator, direction and rate, and whether words around it leave it open."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files

from tellapart.longcontext.values import Agreement, Value

# Initials, "al.", "Dr." and "vs." end no sentence; a line end always does.
_SENTENCE = re.compile(
    r"(?<!\b[A-Z]\.)(?<!\bal\.)(?<!\b[DM]r\.)(?<!\bMs\.)(?<!\bvs\.)(?<!\bca\.)(?<!\bNo\.)(?<=[.!?])[*\"”)]{0,3}\s+(?=[\"“*(\[A-Z0-9])|\n+"
)
_CLAUSE = re.compile(
    rf"{_SENTENCE.pattern}|[;()–—]|,\s|\b(?:while|whereas|against|versus|vs|compared|unlike|and|but)\b"
)


_SEGMENT = re.compile(rf"{_SENTENCE.pattern}|[;()–—]")


Spans = tuple[tuple[int, int], ...]


def sentences(text: str) -> Spans:
    """The sentences and lines of a text, as (first character, after the last)."""
    return _between(_SENTENCE, text)


def segments(text: str) -> Spans:
    """The same of what semicolons, brackets and dashes divide."""
    return _between(_SEGMENT, text)


def clauses(text: str) -> Spans:
    """The same of its clauses."""
    return _between(_CLAUSE, text)


@lru_cache(maxsize=8192)
def _between(mark: re.Pattern[str], text: str) -> Spans:
    ends = [match.end() for match in mark.finditer(text)]
    spans = zip([0, *ends], [*ends, len(text)], strict=True)
    return tuple((a, b) for a, b in spans if text[a:b].strip())


_TABLE: dict[str, dict[str, str]] = {
    name: {key: words.replace(" ", r"\s") for key, words in table.items()}
    for name, table in tomllib.loads(files(__package__).joinpath("manner.toml").read_text("utf-8")).items()
}


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?<!\w)(?:{pattern})(?!\w)" for pattern in patterns), re.I)


def _before(table: dict[str, str]) -> list[tuple[str, re.Pattern[str]]]:
    end = r"(?:\s(?:on|at|the|a|an|of|in))?[\s*_$€£(]*$"
    return [(sign, re.compile(rf"(?<!\w)(?:{words}){end}", re.I)) for sign, words in table.items()]


_COMPARATORS, _TIME_COMPARATORS = _before(_TABLE["before"]), _before(_TABLE["before_times"])
_BEHIND = [(sign, re.compile(rf"[\s*_)]*(?:{words})(?!\w)", re.I)) for sign, words in _TABLE["after"].items()]
_ANY = {
    sign: _words(
        *(_TABLE[name][sign] for name in ("before", "before_times", "after") if sign in _TABLE[name])
    )
    for sign in _TABLE["before"]
}
_ASKS_BOUND = {sign: _words(words) for sign, words in _TABLE["asks"].items()}
_OPPOSITE = {"≥": "≤<", ">": "≤<", "≤": "≥>", "<": "≥>", "~": "", "≠": ""}


def comparator(text: str, value: Value) -> str:
    """``≥``, ``≤``, ``>``, ``<``, ``~`` (about) or ``≠`` (almost) by the words beside a value; else empty."""
    before = text[max(0, value.start - 40) : value.start]
    timely = _TIME_COMPARATORS if value.kind in ("date", "time") else []
    for sign, pattern in [*_COMPARATORS, *timely]:
        if pattern.search(before):
            return sign
    return next((sign for sign, pattern in _BEHIND if pattern.match(text, value.end)), "")


def manner_agrees(key: str, wanted: Value, text: str, given: Value, question: str, context: str) -> Agreement:
    """Whether a value that is the right one is asserted with the sign, comparator and rate of the key."""
    of_time = wanted.kind in ("date", "time")
    timely = of_time and _says_when(key, wanted)
    signs = comparator(key, wanted), comparator(text, given)
    bounds = _bounds_agree(*signs, question, context, timely=timely, of_time=of_time)
    agreements = {bounds}
    if wanted.kind == given.kind == "number":
        agreements.add(_signs_agree(wanted, text, given, question, f"{key}\n{context}"))
        agreements.add(
            _rates_agree(rate_of(key, wanted), rate_of(text, given), f"{question}\n{text}", context)
        )
    return "other" if "other" in agreements else "unclear" if "unclear" in agreements else "same"


def _says_when(key: str, wanted: Value) -> bool:
    before = key[max(0, wanted.start - 40) : wanted.start]
    return any(pattern.search(before) for sign, pattern in _TIME_COMPARATORS if sign in "≤≥")


_DIRECTIONS = {sign: _words(words) for sign, words in _TABLE["directions"].items()}


def _directions(text: str) -> set[str]:
    plain = plain_words(text)
    return {sign for sign, pattern in _DIRECTIONS.items() if pattern.search(plain)}


def is_difference(text: str, value: Value) -> bool:
    """Whether a value is by how much others differ: ``rose by 8 to 126``, ``8 more than last year``."""
    if any(sign == "≠" and pattern.match(text, value.end) for sign, pattern in _BEHIND):
        return True
    (start,) = (a for a, b in clauses(text) if a <= value.start < b)
    before = text[start : value.start]
    if re.search(r"\b(?:up|down)\W{0,4}$", before):
        return True
    return re.search(r"\bby\W{0,4}$", before) is not None and bool(_directions(before))


def _signs_agree(wanted: Value, text: str, given: Value, question: str, context: str) -> Agreement:
    """Signs that are written must agree; a direction in words must not be against the key or the context."""
    right, said = wanted.amount.sign, given.amount.sign
    words = _directions(next(text[a:b] for a, b in clauses(text) if a <= given.start < b))
    if "-" in (right, said) and right != said:
        wrong: Agreement = "unclear" if right and text[: given.start].endswith("(") else "other"  # accounts
        return "same" if "-" in (words or _directions(question)) else wrong
    if right == "+" and words == {"-"}:
        return "other"
    asked, known = _directions(question), _directions(context)
    if words and asked and not words & asked:
        return "other"
    new = words - known
    return "unclear" if "-" in new and right != "-" or "+" in new and "-" in known else "same"


def asks_bound(sign: str, question: str) -> bool:
    """Whether a question asks for a least or a most, so that an answer that says so says nothing new."""
    return sign in _ASKS_BOUND and _ASKS_BOUND[sign].search(question) is not None


def _bounds_agree(
    right: str, said: str, question: str, context: str, *, timely: bool, of_time: bool
) -> Agreement:
    asked = next((sign for sign in "≥≤" if said in list("≥≤><") and asks_bound(sign, question)), "")
    if said == (right or asked) or said == "~" and not right:
        return "same"
    if said and (right or asked):
        # "By 14:30" may be said of what began at 14:30.
        is_other = said in _OPPOSITE[right or asked] and (right or not of_time)
        return "other" if is_other else "unclear"
    if asks_bound(right or said, question):
        return "same"
    if said:
        return "same" if _ANY[said].search(context) else "unclear"
    # "Due 30 June" says "by 30 June".
    return "same" if right == "~" or timely or _ANY[right].search(question) else "unclear"


_RATE_OF = {
    word.replace(r"\s", " "): name for name, words in _TABLE["rates"].items() for word in words.split("|")
}
_RATE = r"(?:{})".format("|".join(_TABLE["rates"].values()))
_SAYS_RATE = re.compile(
    rf"[\s*_]*(?:(?:a|an|per|each|every|for\severy|/)\s?(?P<rate>{_RATE})|(?P<ly>apiece|each|[a-z]+ly))\b",
    re.I,
)
_RATE_INSIDE = re.compile(r"/\s?(?P<rate>\w+)(?P<ly>)$")
_RATE_WORD = _words(_RATE)


def rate_of(text: str, value: Value) -> str:
    """``day`` of ``980 euros a day``; empty where there is none."""
    match = _SAYS_RATE.match(text, value.end) or _RATE_INSIDE.search(value.text)
    return _RATE_OF.get((match["rate"] or match["ly"] or "").lower(), "") if match else ""


def rates_in(text: str) -> set[str]:
    """The rates that a text names."""
    return {_RATE_OF[match[0].lower()] for match in _RATE_WORD.finditer(text)}


def _rates_agree(right: str, said: str, question: str, context: str) -> Agreement:
    if right == said:
        return "same"
    if right and said:
        return "unclear" if {right, said} == {"piece", "person"} else "other"
    return "same" if (right or said) in rates_in(context if said else question) else "unclear"


_THEREFORE = re.compile(
    r"(?:^|[.!?:)\n])\W*(?:therefore\b|thus\b|hence\b|so,|in\s(?:total|conclusion|summary)\b)", re.I
)


def concluded(text: str, has_value: Callable[[int, int], bool]) -> str:
    """A text with blanks for the workings before its last conclusion that has a value."""
    for match in reversed([*_THEREFORE.finditer(text)]):
        if has_value(match.end(), len(text)):
            return " " * match.end() + text[match.end() :]
    return text


_CONTRASTS, _FORMER, _DENIALS, _CORRECTIONS, _DOUBTS, _HARMLESS = (
    _words(_TABLE["open"][name])
    for name in ("contrasts", "former", "denials", "corrections", "doubts", "harmless")
)
_DENIES = re.compile(rf"{_CONTRASTS.pattern}|{_FORMER.pattern}|{_DENIALS.pattern}|\?", re.I)
_CHANGED = re.compile(
    rf"\b(?:{_TABLE['open']['changes']})\s(?:\w{{1,20}}\s){{0,4}}from\s(?P<old>[^.;\n]{{1,40}}?)\sto\s[$€£]?",
    re.I,
)
_CHOOSES = re.compile(r"\b(?:or|either)\b", re.I)
# From a contrasting word to the end of its clause, with what it has in brackets: "unlike Study 3 (N=189)".
_SET_ASIDE = re.compile(
    rf"(?:{_CONTRASTS.pattern})(?:\([^()\n]*\)|(?!,\s(?!(?:which|who|where|that|whose|n?or)\b)|\bbut\b|"
    rf"\s[–—-]\s|{_SENTENCE.pattern})[^();])*",
    re.I,
)


def asserted(text: str, question: str, has_value: Callable[[int, int], bool]) -> str:
    """A text with blanks for the values that it corrects, contrasts with the right one, or says held once."""
    for match in _CORRECTIONS.finditer(text):
        if has_value(0, match.start()) and has_value(match.end(), len(text)):
            text = " " * match.end() + text[match.end() :]
    if _CONTRASTS.search(question) or _FORMER.search(question):
        return text
    plain = _HARMLESS.sub(lambda match: " " * len(match[0]), text)
    spans = [match.span() for match in _SET_ASIDE.finditer(plain)]
    spans += [(a, b) for a, b in clauses(plain) if _FORMER.search(plain[a:b])]
    spans += [
        match.span("old") for match in _CHANGED.finditer(plain) if has_value(match.end(), match.end() + 3)
    ]
    for a, b in spans:
        if has_value(a, b):
            text = text[:a] + " " * (b - a) + text[b:]
    return text


_MULTIPLE = re.compile(rf"\b(?:{_TABLE['open']['multiples']})\s?(?:the\s)?$", re.I)
_GOES_ON = re.compile(r"\s?(?:(?:plus|minus|times|twice|squared|halved|doubled)\b|[+*×/]\s?\d|x\s?\d)", re.I)


def is_term(text: str, value: Value) -> bool:
    """Whether what is asserted is computed from a value: ``twice 41``, ``41 plus one``."""
    return bool(_MULTIPLE.search(text, 0, value.start) or _GOES_ON.match(text, value.end))


def denies(sentence: str, question: str = "") -> bool:
    """Whether words of a sentence that the question does not have deny or correct what it states."""
    return _has_new(_DENIES, sentence, question)


def leaves_open(sentence: str, question: str = "") -> bool:
    """Whether such words deny it, doubt it, or offer a choice."""
    plain = _HARMLESS.sub(" ", sentence)
    return (
        denies(sentence, question)
        or _has_new(_DOUBTS, sentence, question)
        or _CHOOSES.search(plain) is not None
    )


def _has_new(pattern: re.Pattern[str], sentence: str, question: str) -> bool:
    words = set(re.findall(r"[\w'’]+", question.lower()))
    plain = _HARMLESS.sub(" ", sentence)
    return any(not set(match[0].lower().split()) <= words for match in pattern.finditer(plain))


_PLAIN = re.compile(
    "|".join(
        [
            _words(
                *(words for name in ("before", "before_times", "after") for words in _TABLE[name].values())
            ).pattern,
            _words(rf"(?:a|an|per|each|every|/)\s?{_RATE}", r"[a-z]+ly|apiece|each").pattern,
            rf"\b(?:{_TABLE['plain']['words']})\s?(?=[=:<>≤≥]|\s*$)",
        ]
    ),
    re.I,
)


def plain_words(text: str) -> str:
    """A text without the words by which values are compared and rated."""
    return _PLAIN.sub(" ", text)
