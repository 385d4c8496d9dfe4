"""Grading by values: whether a probe is decidable, which follows from key and question alone, and its grade.

A probe is decidable where the key is yes or no, or holds at most one value of each kind (number, date, time,
verbatim token, option letter) and otherwise only words of the question. Then an answer that asserts these
values and nothing that contradicts them is CORRECT, one that asserts others is wrong, and code abstains only
where it cannot tell what is asserted. Nothing is right because words occur in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade, not_graded
from tellapart.longcontext.rules.author_rules import tolerance_of
from tellapart.longcontext.rules.manner import (
    asserts_otherwise,
    comparator,
    manner_agrees,
    plain_words,
    sentences,
)
from tellapart.longcontext.rules.polarity import asks_yes_or_no, key_polarity, said_polarity
from tellapart.longcontext.rules.refusals import LONGEST, refuses
from tellapart.longcontext.values import Agreement, Value, agreement, states, values_in
from tellapart.longcontext.values.dates import Day
from tellapart.longcontext.values.entries import references
from tellapart.longcontext.values.text import content_stems, stems_of
from tellapart.longcontext.values.tokens import normal_token, token_spans
from tellapart.longcontext.values.value import as_letters

IN_OTHER_WORDS = "the right answer can be said in other words; a judge or a person must grade it"
"""Why a probe that is not decidable has no grade."""


@dataclass(frozen=True)
class Asked:
    """What a decidable probe asks for: values, in the order of the key, or else ``yes`` or ``no``."""

    key: str
    values: tuple[Value, ...] = ()
    polarity: str | None = None


_KEY_DENIES = re.compile(
    r"\b(?:not(?!\s(?:before|later|earlier|more|less|until))|never|neither|nor|except|excluding|instead|rather|or|"
    r"no\slonger|at\sfirst|originally|previously|formerly|initially|now|then|unless|if|both|either)\b|n['’]t\b",
    re.I,
)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_UNIT_ASKED = re.compile(
    r"\bhow\s(?:many|much)\s(?:full\s|whole\s|more\s|fewer\s|extra\s)?(?P<many>[a-zµ°%]+(?:\s(?:per|an?)\s\w+)?)|\bin\s(?P<in>[a-z]+)\?",
    re.I,
)
_PERCENT_ASKED = re.compile(r"\bpercent(?:age)?\b|%|\bshare\b|\brate\b|\bproportion\b", re.I)


@lru_cache(maxsize=4096)
def asked_of(question: str, answer: str, unit: str | None = None) -> Asked | None:
    """What a probe asks for; None where its answer can be said in other words, so that code cannot decide."""
    key = _with_unit(answer.strip(), unit or _asked_unit(question))
    polarity = key_polarity(key)
    if polarity is not None and asks_yes_or_no(question):
        rest = content_stems(re.sub(r"^\W*\w+", "", key)) - content_stems(question) - {"not"}
        words = {stem for value in values_in(key) for stem in stems_of(value.text)}
        return Asked(key, polarity=polarity) if rest <= words else None
    bare = _BRACKETS.sub(lambda match: " " * len(match[0]), key)
    values = _values_of_key(question, bare)
    letters = [x for x in as_letters(bare) if not any(v.start <= x.start < v.end for v in values)]
    values = tuple(sorted((*values, *letters), key=lambda value: value.start))
    if not values or _KEY_DENIES.search(bare) or _other_words(question, bare, values):
        return None
    given = values_in(question)
    wanted = tuple(value for value in values if not _is_in(value, given)) or values
    kinds = [value.kind for value in wanted]
    in_brackets = {value.kind for value in values_in(key) if not bare[value.start : value.end].strip()}
    if len(set(kinds)) < len(kinds) or in_brackets & set(kinds) or len(kinds) > _parts_of(question):
        return None
    return Asked(key, wanted)


def _values_of_key(question: str, key: str) -> tuple[Value, ...]:
    values = values_in(key)
    asks_year = re.search(r"\bwhen\b|\byear\b", question, re.I)
    if asks_year and re.fullmatch(r"\W*(?:1[5-9]|2[01])\d\d\W*", key) and values[0].kind == "number":
        return (replace(values[0], kind="date", normal=(Day(year=int(values[0].amount.value)),)),)
    if re.search(r"\bversions?\b|\brelease\b", question, re.I):
        return tuple(
            replace(value, kind="token", normal=normal_token(value.text))
            if value.kind == "number" and re.fullmatch(r"\d+(?:\.\d+)+", value.text)
            else value
            for value in values
        )
    return values


def _other_words(question: str, key: str, values: Sequence[Value]) -> bool:
    """Whether a key says anything beside its values, in words that the question does not have."""
    rest = key
    for value in values:
        rest = rest[: value.start] + " " * (value.end - value.start) + rest[value.end :]
    return bool(content_stems(plain_words(rest)) - content_stems(question))


_WH = re.compile(r"\b(?:what|which|when|where|who|how)\b", re.I)
_AND = re.compile(
    r"\band\b(?!\s(?:\w+\s)?(?:what|which|when|where|who|how)\b)|,\s(?!and)(?!\w+\s(?:what|which|when|how))",
    re.I,
)


def _parts_of(question: str) -> int:
    """How many things a question can ask for."""
    return max(1, len(_WH.findall(question)) + len(_AND.findall(question)))


def _asked_unit(question: str) -> str | None:
    """The unit that a question asks for: ``How many weeks did it take?``."""
    match = _UNIT_ASKED.search(question)
    word = match and (match["many"] or match["in"])
    if not word or not (numbers := values_in(f"2 {word}")):
        return None
    return word if numbers[0].kind == "number" and numbers[0].amount.unit not in ("", "x") else None


def _with_unit(key: str, unit: str | None) -> str:
    """A key with a unit behind each number that has none."""
    for value in reversed(values_in(key)) if unit else ():
        if value.kind == "number" and not value.amount.unit:
            key = f"{key[: value.end]} {unit}{key[value.end :]}"
    return key


def _is_in(value: Value, others: Sequence[Value]) -> bool:
    return any(_same(value, other) for other in others)


def _same(value: Value, other: Value) -> bool:
    return agreement(value, other) == "same"


# --- the grade of a response ---


def grade_values(
    question: str, response: str, answer: str, material: Sequence[str], expected: Expected
) -> Grade:
    """Grade a response by values; EVAL_ERROR where the probe is not decidable or code abstains."""
    text = without_question(response[: 2 * LONGEST], question)
    if not text.strip():
        return Grade("REFUSED", "It says nothing.")
    asked = asked_of(question, answer, expected.unit)
    if asked is None:
        return not_graded(IN_OTHER_WORDS)
    if len(text) > LONGEST:
        return not_graded(f"it is longer than {LONGEST:,} characters")
    if asked.polarity is not None:
        return _grade_polarity(asked, question, text, material)
    return _Reading(asked, question, text, tuple(material), expected.tolerance).grade()


def without_question(text: str, question: str) -> str:
    """Without questions, which claim nothing, and with the signs that nobody sees left out."""
    text = re.sub(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]", "", text)
    text = re.sub(r"\r\n?|[\x85\u2028\u2029]", "\n", text)
    text = _MATHS.sub(r"\1", text.replace(question.strip(), " "))
    text = _CONCLUSION.split(text)[-1]
    return re.sub(r"[^.!?\n]{0,400}\?[\"”]?(?=\s|$)", " ", text) if text.count("?") else text


# $2$, \\(2\\) and \\boxed{2} are 2; what follows "Final answer:" is the answer.
_MATHS = re.compile(r"\\boxed\{([^{}]*)\}|\\[()\[\]]")
_CONCLUSION = re.compile(
    r"(?:^|[.!\n])[*_#\s]{0,8}(?:my\s|the\s)?final\sanswer(?:\sis)?\s?[:=]?[*_\s]{0,8}", re.I
)


def _grade_polarity(asked: Asked, question: str, text: str, material: Sequence[str]) -> Grade:
    said = said_polarity(question, text)
    if said is None:
        if refuses(text):
            return Grade("REFUSED", "It says that it does not know.")
        return not_graded("it says neither yes nor no in a way that code reads")
    if refuses(text):
        return not_graded("it says yes or no, and that it does not know")
    shown = "\n".join([question, asked.key, *material])
    beside = [value.text for value in values_in(text) if not value.is_small_word and not states(shown, value)]
    if beside:
        return not_graded(f"beside its {said} it states {beside[0]}, which nobody said")
    if said == asked.polarity:
        return Grade("CORRECT", f"It says {said}.", said)
    return Grade("HALLUCINATED", f"It says {said}, not {asked.polarity}.", said)


class _Reading:
    """What a response says beside the values that are asked for."""

    def __init__(
        self, asked: Asked, question: str, text: str, material: tuple[str, ...], tolerance: str | None
    ) -> None:
        self.asked, self.question, self.text, self.material = asked, question, text, material
        self.tolerance = tolerance_of(tolerance) if tolerance else None
        self.sources = _sources(asked.values, material)
        self.messages = [text for text in material if any(states(text, value) for value in asked.values)]
        given = values_in(question)
        offers = re.search(r"\bor\b", question) or any(_is_in(value, given) for value in asked.values)
        self.given = () if offers else given
        self.right: dict[Value, Value] = {}
        self.rivals: list[Value] = []
        self.unclear: list[Value] = []
        self.beside: list[Value] = []
        self._sort()

    def _sort(self) -> None:
        values = list(values_in(self.text))
        if any(value.kind == "letter" for value in self.asked.values):
            values += as_letters(self.text)
        for wanted in self.asked.values:
            if wanted.kind == "token":
                for start, end in token_spans(self.text, str(wanted.normal)):
                    values = [v for v in values if v.end <= start or end <= v.start]
                    values.append(Value("token", self.text[start:end], start, wanted.normal))
        for value in sorted(values, key=lambda value: value.start):
            self._place(value)
        if len(self.right) == len(self.asked.values):
            self._leave_out()

    def _place(self, value: Value) -> None:
        by_wanted = {wanted: self._agreement(wanted, value) for wanted in self.asked.values}
        same = [wanted for wanted, how in by_wanted.items() if how == "same"]
        if same:
            self.right.setdefault(same[0], value)
        elif _is_in(value, self.given) or value.is_small_word and not self._counts(value):
            return
        elif "unclear" in by_wanted.values():
            self.unclear.append(value)
        elif "other" in by_wanted.values():
            self.rivals.append(value)
        else:
            self.beside.append(value)

    def _agreement(self, wanted: Value, value: Value) -> Agreement | None:
        if value.kind == "number" and self._is_of_variable(value):
            return None
        how = agreement(wanted, value)
        if how in ("other", "unclear") and self._is_within(wanted, value):
            how = "same"
        if (
            how == "unclear"
            and wanted.kind == "number"
            and {wanted.amount.unit, value.amount.unit} == {"%", ""}
        ):
            how = "same" if _PERCENT_ASKED.search(self.question) else how
        if how == "same" and wanted.kind == "number" and not wanted.amount.unit and value.amount.unit == "%":
            how = "unclear"
        if how == "other" and wanted.kind == "number" and not wanted.amount.unit and value.kind == "number":
            how = None if value.amount.unit else how
        if how != "same":
            return how
        context = "\n".join([self.question, *self.sources])
        return manner_agrees(self.asked.key, wanted, self.text, value, self.question, context)

    def _is_of_variable(self, value: Value) -> bool:
        """Whether a number is said of a letter that neither the key nor the question has: ``x = 2``."""
        label = re.search(r"\b([A-Za-z])\s?[=<>≤≥]\s?$", self.text[: value.start])
        if label is None or label[1] in "nN":
            return False
        return re.search(rf"\b{label[1]}\b", f"{self.question} {self.asked.key}") is None

    def _is_within(self, wanted: Value, value: Value) -> bool:
        """Whether a number is off by no more than the author's tolerance."""
        if self.tolerance is None or not (wanted.kind == value.kind == "number"):
            return False
        size, is_share = self.tolerance
        right, given = wanted.amount, value.amount
        off = (
            abs(given.value - right.value) if right.unit == given.unit else abs(given.written - right.written)
        )
        allowed = size * right.value if is_share else size * (right.factor if right.unit == given.unit else 1)
        return off <= allowed

    def _counts(self, value: Value) -> bool:
        """Whether a small number in words may be the count that is asked for."""
        counts = [w for w in self.asked.values if w.kind == "number" and not w.amount.unit]
        return bool(counts) and value.text.lower() not in ("one", "once", "zero")

    def _leave_out(self) -> None:
        """Take out what contradicts no right value: terms of a sum, years, numbers without a unit, parts."""
        if len(self.asked.values) == 1 and _follows(self.right, self.rivals):
            self.rivals = []
        has_unit = any(value.kind == "number" and value.amount.unit for value in self.right.values())
        asks_years = any(_YEAR.fullmatch(value.text) for value in self.asked.values)
        bare = [v for v in self.rivals if v.kind == "number" and not v.amount.unit]
        bare = [v for v in bare if has_unit or (_YEAR.fullmatch(v.text) and not asks_years)]
        self.rivals = [value for value in self.rivals if value not in bare]
        self.beside += bare
        self.unclear = [value for value in self.unclear if value.kind not in ("date", "time")]

    def grade(self) -> Grade:
        """Decide."""
        told = ", ".join(value.text for value in self.right.values())
        if not (self.right or self.rivals or self.unclear) and refuses(self.text):
            return Grade("REFUSED", "It says that it does not know.")
        if why := self._open():
            return not_graded(why)
        if len(self.right) < len(self.asked.values):
            return self._partial(told) if self.right else self._wrong()
        if self.rivals:
            return not_graded(f"it states {told} and {self.rivals[0].text}")
        if foreign := self._foreign():
            return not_graded(f"it states {told}, and beside it {foreign}")
        return Grade("CORRECT", f"It states {told}.", told)

    def _open(self) -> str | None:
        """Why it is open what the response asserts; None where it is not."""
        held = [*self.right.values(), *self.rivals]
        if self.unclear:
            return f"{self.unclear[0].text} says only roughly, or only in part, what is asked for"
        if not held:
            return "it states no value of the kind that is asked for"
        if refuses(self.text) and not (self.right and not self.rivals and len(self.asked.values) > 1):
            return "it states a value, and that it does not know"
        if any(asserts_otherwise(self.text[a:b], self.question) for a, b in self._sentences_of(held)):
            return "words such as 'not', 'or', 'about' leave open what it asserts"
        if any(self._is_bounded(rival) for rival in self.rivals):
            return "it says only roughly, or only a bound of, what is asked for"
        return None

    def _is_bounded(self, rival: Value) -> bool:
        """Whether a rival is about a value or a bound of it, where the key has no such word."""
        sign = comparator(self.text, rival)
        if sign not in ("~", *("<>≤≥" if rival.kind == "number" else "")):
            return False
        return all(comparator(self.asked.key, value) == "" for value in self.asked.values)

    def _partial(self, told: str) -> Grade:
        absent = ", ".join(value.text for value in self.asked.values if value not in self.right)
        if not self.rivals and (self.beside or self._has_unread()):
            return not_graded(f"it may say {absent} in words that code does not read")
        instead = f", but {self.rivals[0].text}" if self.rivals else ""
        return Grade("PARTIAL", f"It states {told}, not {absent}{instead}.", absent)

    def _has_unread(self) -> bool:
        """Whether the response has numbers that were read as nothing, or in words that say nothing alone."""
        values = values_in(self.text)
        read = [(value.start, value.end) for value in (*values, *self.right.values())]
        digits = (match.start() for match in re.finditer(r"\d", self.text))
        unread = any(not any(a <= at < b for a, b in read) for at in digits)
        return unread or any(v.is_small_word and v not in self.right.values() for v in values)

    def _wrong(self) -> Grade:
        invented = [value for value in self.rivals if not self._was_said(value)]
        value = (invented or self.rivals)[0]
        wanted = ", ".join(value.text for value in self.asked.values)
        if not invented:
            return Grade(
                "CONFUSED", f"{value.text} was said of something else; right is {wanted}.", value.text
            )
        return Grade("HALLUCINATED", f"{value.text} is not {wanted}, and nobody said it.", value.text)

    def _was_said(self, rival: Value) -> bool:
        """Whether the material has a rival; a right amount with another sign, bound or rate is made up."""
        if any(agreement(wanted, rival) == "same" for wanted in self.asked.values):
            return False
        letters = rival.kind == "letter"
        shown = (v for text in self.material for v in (as_letters(text) if letters else values_in(text)))
        return any(
            value.kind == rival.kind and _same(value, rival) and _same(rival, value) for value in shown
        ) or (rival.kind == "token" and any(states(text, rival) for text in self.material))

    def _sentences_of(self, values: Sequence[Value]) -> list[tuple[int, int]]:
        return [(a, b) for a, b in sentences(self.text) if any(a <= value.start < b for value in values)]

    def _foreign(self) -> str | None:
        """A value or an entry beside the right values that neither question and key nor their source have."""
        shown = self.messages if self.sources else self.material
        near = "\n".join([self.question, self.asked.key, *shown])
        for value in self.beside:
            if not states(near, value):
                return value.text
        entries = {number for number, _ in references(self.text)} - {number for number, _ in references(near)}
        return f"entry {min(entries)}" if entries else None


def _sources(values: Sequence[Value], material: Sequence[str]) -> tuple[str, ...]:
    """The sentences of the material that state one of the values."""
    return tuple(
        text[a:b]
        for text in material
        for a, b in sentences(text)
        if any(states(text[a:b], value) for value in values)
    )


_YEAR = re.compile(r"(?:1[89]|20)\d\d")


def _follows(right: dict[Value, Value], rivals: Sequence[Value]) -> bool:
    """Whether the one right number is the sum, difference, product or quotient of those beside it."""
    (value,) = right.values()
    if value.kind != "number" or not all(rival.kind == "number" for rival in rivals) or len(rivals) < 2:
        return False
    numbers = [rival.amount.value for rival in rivals]
    a, b, *more = numbers
    results = {sum(numbers)}
    if not more:
        results |= {abs(a - b), a * b, *((a / b, b / a) if a and b else ())}
    return value.amount.value in results
