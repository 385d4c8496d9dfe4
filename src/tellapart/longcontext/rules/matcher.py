"""Grading by values: whether a probe is decidable, which follows from key and question alone, and its grade.

A probe is decidable where the key holds nothing but values (numbers, dates, times, verbatim tokens), an
option letter, yes or no, or one of two things that the question offers, beside words of the question. Then an
answer that asserts them and nothing that contradicts them is CORRECT, one that asserts others is wrong, and
code abstains only where it cannot tell what is asserted. Nothing is right because words occur in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade, not_graded
from tellapart.longcontext.rules.author_rules import tolerance_of
from tellapart.longcontext.rules.manner import (
    Agreed,
    asserts_otherwise,
    comparator,
    manner_agrees,
    plain_words,
    sentences,
)
from tellapart.longcontext.rules.polarity import asks_yes_or_no, key_polarity, said_polarity
from tellapart.longcontext.rules.refusals import LONGEST, refuses
from tellapart.longcontext.values import Value, agreement, states, values_in
from tellapart.longcontext.values.dates import Day
from tellapart.longcontext.values.entries import references
from tellapart.longcontext.values.names import has_name, names_in
from tellapart.longcontext.values.text import content_stems, stems_of
from tellapart.longcontext.values.tokens import normal_token, token_spans
from tellapart.longcontext.values.value import Amount, Kind, as_letters

IN_OTHER_WORDS = "the right answer can be said in other words; a judge or a person must grade it"
"""Why a probe that is not decidable has no grade."""


@dataclass(frozen=True)
class Asked:
    """What a decidable probe asks for; exactly one of ``values``, ``polarity`` and ``choice`` is given.

    Attributes:
        values: In the order of the key.
        optional: Values of the key that nobody has to state, such as those in brackets.
        polarity: ``yes`` or ``no``.
        choice: The words that tell the right one of two things, and those that tell the other.
    """

    key: str
    values: tuple[Value, ...] = ()
    optional: tuple[Value, ...] = ()
    polarity: str | None = None
    choice: tuple[frozenset[str], frozenset[str]] | None = None


# An order, a direction, or what was before: values alone do not say it.
_ORDER = re.compile(
    r"\b(?:in\s(?:which|what)\sorder|order\sof|sequence|rank\w*|sorted|from\s(?:largest|smallest|first|highest|lowest)|"
    r"(?:which|what|who)\s(?:\w+\s){0,3}(?:comes?|came|happened)\s(?:first|last|before|after)|before\sand\safter|"
    r"from\swhere|in\s(?:which|what)\sdirection|how\s(?:has|have|did)\s(?:\w+\s){1,6}(?:develop|change|evolve)\w*)\b",
    re.I,
)
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
_ASKS_KIND: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("time", re.compile(r"\bwhat\stime\b|\bat\swhat\shour\b|\bwhich\shour\b", re.I)),
    ("date", re.compile(r"\b(?:what|which)\s(?:date|day|weekday|month|year)\b", re.I)),
    ("number", re.compile(r"\bhow\s(?:many|much|long|old|far|tall|heavy)\b|\bwhat\spercentage\b", re.I)),
)
_PARTS = re.compile(r",|;|\band\b|\?.*\w", re.I)
_CHOICE_WORDS = 8


@lru_cache(maxsize=4096)
def asked_of(question: str, answer: str, unit: str | None = None) -> Asked | None:
    """What a probe asks for; None where its answer can be said in other words, so that code cannot decide."""
    key = _with_unit(answer.strip(), unit or _asked_unit(question))
    if not key or _ORDER.search(question):
        return None
    polarity = key_polarity(key)
    if polarity is not None and asks_yes_or_no(question):
        rest = content_stems(re.sub(r"^\W*\w+", "", key)) - content_stems(question)
        rest -= {"not"} if polarity == "no" else set()
        words = {stem for value in values_in(key) for stem in stems_of(value.text)}
        return Asked(key, optional=values_in(key), polarity=polarity) if rest <= words else None
    bare = _BRACKETS.sub(lambda match: " " * len(match[0]), key)
    letters: Sequence[Value] = as_letters(bare)
    if not letters and (choice := _choice(question, bare)) is not None:
        return Asked(key, optional=values_in(key), choice=choice)
    if _KEY_DENIES.search(bare):
        return None
    values = _values_of_key(question, bare)
    letters = [x for x in letters if not any(v.start <= x.start < v.end for v in values)]
    values = tuple(sorted((*values, *letters), key=lambda value: value.start))
    if not values or _other_words(question, bare, values):
        return None
    optional = tuple(value for value in values_in(key) if not bare[value.start : value.end].strip())
    given = [value for value in values if _is_in(value, values_in(question))]
    wanted = tuple(value for value in values if value not in given) or values
    wanted = _of_asked_kind(question, wanted)
    if len({_dimension(value, question) for value in wanted}) > _parts_of(question):
        return None
    return Asked(key, wanted, (*optional, *(value for value in values if value not in wanted)))


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


def _of_asked_kind(question: str, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Of several kinds those that a question of one part asks for by name."""
    if len({value.kind for value in values}) < 2 or _PARTS.search(question.rstrip("? ")):
        return values
    kinds = [kind for kind, pattern in _ASKS_KIND if pattern.search(question)]
    wanted = tuple(value for value in values if value.kind in kinds)
    return wanted if len(kinds) == 1 and wanted else values


def _dimension(value: Value, question: str) -> str:
    """What several values can be of: dates and times together where a question says ``when``."""
    if value.kind in ("date", "time") and re.search(r"\bwhen\b|\bdates?\b|\bdeadline\b", question, re.I):
        return "when"
    return f"{value.kind} {value.amount.unit}" if value.kind == "number" else value.kind


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


def _choice(question: str, key: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The stems that tell the right one of two things that a question offers, and those of the other."""
    right = stems_of(key)
    for match in re.finditer(r"\bor\b", question, re.I):
        before = re.split(r"[,:;.]|\b(?:was|is|were|are)\b", question[: match.start()], flags=re.I)[-1]
        after = re.split(r"[?,;.]", question[match.end() :])[0]
        sides = [stems_of(before)[-_CHOICE_WORDS:], stems_of(after)[:_CHOICE_WORDS]]
        for mine, other in (sides, sides[::-1]):
            if not right or not set(right) <= set(mine) or set(right) <= set(other):
                continue
            rival = other[-len(right) :] if other is sides[0] else other[: max(len(right), 1)]
            rival = other if other is sides[1] and len(other) <= 3 else rival
            only_right, only_other = set(right) - set(rival), set(rival) - set(right)
            if only_right and only_other and not values_in(key):
                return frozenset(only_right), frozenset(only_other)
    return None


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
    if asked.choice is not None:
        return _grade_choice(asked, question, text)
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


def _grade_choice(asked: Asked, question: str, text: str) -> Grade:
    assert asked.choice is not None
    words = set(stems_of(text))
    right, other = (stems <= words for stems in asked.choice)
    partly = any(stems & words for stems in asked.choice)
    if right == other or (right and asked.choice[1] & words) or (other and asked.choice[0] & words):
        if refuses(text) and not partly:
            return Grade("REFUSED", "It says that it does not know.")
        return not_graded("it does not assert exactly one of the two")
    beside = [value for value in values_in(text) if not _is_in(value, values_in(question))]
    if asserts_otherwise(text) or refuses(text) or any(not _is_in(v, asked.optional[:1]) for v in beside):
        return not_graded("it says more than which of the two")
    what = " ".join(sorted(asked.choice[0] if right else asked.choice[1]))
    if right:
        return Grade("CORRECT", f"It says which of the two: {what}.", what)
    return Grade("CONFUSED", f"It says the other of the two: {what}.", what)


class _Reading:
    """What a response says beside the values that are asked for."""

    def __init__(
        self, asked: Asked, question: str, text: str, material: tuple[str, ...], tolerance: str | None
    ) -> None:
        self.asked, self.question, self.text, self.material = asked, question, text, material
        self.tolerance = tolerance_of(tolerance) if tolerance else None
        self.sources = _sources(asked.values, material)
        self.messages = [text for text in material if any(states(text, value) for value in asked.values)]
        self.given = () if self._key_is_given() else values_in(question)
        self.right: dict[Value, Value] = {}
        self.rivals: list[Value] = []
        self.unclear: list[Value] = []
        self.beside: list[Value] = []
        self.optional: list[Value] = []
        self._sort()

    def _key_is_given(self) -> bool:
        offered = re.search(r"\bor\b", self.question) is not None
        if offered and content_stems(self.asked.key) <= content_stems(self.question):
            return True
        return any(_is_in(value, values_in(self.question)) for value in self.asked.values)

    def _sort(self) -> None:
        values = list(values_in(self.text))
        if any(value.kind == "letter" for value in self.asked.values):
            values += as_letters(self.text)
        for wanted in self.asked.values:
            if wanted.kind == "token":
                for start, end in token_spans(self.text, str(wanted.normal)):
                    values = [v for v in values if v.end <= start or end <= v.start]
                    values.append(Value("token", self.text[start:end], start, wanted.normal))
        values = _joined_paths(values, self.asked.values)
        # Values that are plainly right first: what else there is depends on them.
        for value in sorted(values, key=lambda value: value.start):
            self._place(value)
        if len(self.right) < len(self.asked.values):
            self.rivals = sorted([*self.rivals, *self.optional], key=lambda value: value.start)
        else:
            self._leave_out()

    def _place(self, value: Value) -> None:
        by_wanted = {wanted: self._agreement(wanted, value) for wanted in self.asked.values}
        same = [wanted for wanted, how in by_wanted.items() if how == "same"]
        if same:
            self.right.setdefault(next((w for w in same if w not in self.right), same[0]), value)
        elif _is_in(value, self.given):
            return
        elif _is_in(value, self.asked.optional):
            self.optional.append(value)
        elif value.is_small_word and not self._counts(value):
            return
        elif "unclear" in by_wanted.values():
            self.unclear.append(value)
        elif "other" in by_wanted.values():
            self.rivals.append(value)
        else:
            self.beside.append(value)

    def _agreement(self, wanted: Value, value: Value) -> Agreed | None:
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
        """Take out what is no rival beside a right value: other quantities, conversions and true working."""
        rights = [value.amount for value in self.right.values() if value.kind == "number"]
        united = any(amount.unit for amount in rights)
        for value in [v for v in self.rivals if v.kind == "number"]:
            if united and not value.amount.unit:
                self.rivals.remove(value)
                self.beside.append(value)
        if len(self.asked.values) == 1 and _follows(self.right, self.rivals):
            self.rivals = []
        known = [
            *rights,
            *(v.amount for v in (*self.asked.optional, *values_in(self.question)) if v.kind == "number"),
        ]
        self.rivals = [v for v in self.rivals if not (v.kind == "number" and _concludes(self.text, v, known))]
        self.beside = [v for v in self.beside if not (v.kind == "number" and _concludes(self.text, v, known))]
        # A part of a right date or time contradicts nothing; nor does a conversion in brackets.
        self.unclear = [
            v
            for v in self.unclear
            if v.kind not in ("date", "time")
            and not (v.kind == "number" and _BRACKET.search(self.text[: v.start]))
        ]
        rivals = [
            v
            for v in self.rivals
            if _counts_something_else(self.text, v, self.question, [*self.right.values()])
        ]
        rivals += [
            v for v in self.rivals if v.text.isdigit() and _YEAR.fullmatch(v.text) and not self._asks_years()
        ]
        self.beside += rivals
        self.rivals = [v for v in self.rivals if v not in rivals]

    def _asks_years(self) -> bool:
        return any(_YEAR.search(value.text) for value in self.asked.values)

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
        order = self._order()
        if order == "exchanged":
            return Grade("CONFUSED", f"It gives {told} in each other's places.", told)
        if order == "open":
            return not_graded("it states the values in another order")
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
        if self._encloses():
            return not_graded("it states a range")
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

    def _encloses(self) -> bool:
        """Whether two neighbours are the ends of a range, where one value is asked for."""
        pairs = zip(self.rivals, self.rivals[1:], strict=False)
        joined = re.compile(r"\s?(?:-|–|—|to|and|through|until)\s?[$€£]?", re.I)
        return len(self.asked.values) == 1 and any(
            joined.fullmatch(self.text[a.end : b.start]) for a, b in pairs
        )

    def _sentences_of(self, values: Sequence[Value]) -> list[tuple[int, int]]:
        return [(a, b) for a, b in sentences(self.text) if any(a <= value.start < b for value in values)]

    def _order(self) -> str:
        """Whether values of one kind belong to the words that the key has: same, exchanged or open."""
        kinds = [value.kind for value in self.asked.values]
        if len(kinds) == len(set(kinds)):
            return "same"
        labels = [stem for stem in stems_of(self.asked.key) if stem in content_stems(self.question)]
        said = [self.right[value] for value in self.asked.values]
        if not labels or not any(stem in labels for stem in stems_of(self.text)):
            starts = {kind: [v.start for v in said if v.kind == kind] for kind in kinds}
            in_order = all(places == sorted(places) for places in starts.values())
            return "same" if in_order or (not labels and not _RANGE.search(self.asked.key)) else "open"
        key, response = (
            _labelled(self.asked.key, labels, self.asked.values),
            _labelled(self.text, labels, said),
        )
        if key is None or response is None:
            same = _sequence(self.asked.key, labels, self.asked.values) == _sequence(self.text, labels, said)
            return "same" if same else "open"
        if all(a & b for a, b in zip(key, response, strict=True)):
            return "same"
        return "exchanged" if all(any(a & b for b in key) for a in response) else "open"

    def _foreign(self) -> str | None:
        """What it names beside the right values that neither question and key nor their source have."""
        computed = not self.sources
        near = "\n".join([self.question, self.asked.key, *(self.material if computed else self.messages)])
        for value in self.beside:
            if not states(near, value):
                return value.text
        entries = {number for number, _ in references(self.text)} - {number for number, _ in references(near)}
        if entries:
            return f"entry {min(entries)}"
        spans = [(value.start, value.end) for value in values_in(self.text)]
        return next(
            (
                name
                for at, name in names_in(self.text)
                if not has_name(near, name) and not any(a <= at < b for a, b in spans)
            ),
            None,
        )


def _sources(values: Sequence[Value], material: Sequence[str]) -> tuple[str, ...]:
    """The sentences of the material that state one of the values."""
    return tuple(
        text[a:b]
        for text in material
        for a, b in sentences(text)
        if any(states(text[a:b], value) for value in values)
    )


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


def _joined_paths(values: list[Value], wanted: Sequence[Value]) -> list[Value]:
    """A folder and a file that are named apart as the path that is asked for."""
    paths = [value for value in values if value.kind == "token"]
    for path in (str(value.normal) for value in wanted if value.kind == "token" and "/" in str(value.normal)):
        for folder in paths:
            for file in paths:
                if f"{str(folder.normal).rstrip('/')}/{file.normal}" == path:
                    rest = [value for value in values if value not in (folder, file)]
                    return [*rest, replace(file, normal=path)]
    return values


_BRACKET = re.compile(r"\((?:about\s|roughly\s|around\s|i\.e\.,?\s|or\s|~|≈|approx\.?\s)*$", re.I)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_COUNTED = re.compile(r"\s(?:[a-z-]+\s)?(?P<noun>[a-z]{3,}s|people|children|women|men)\b")


def _counts_something_else(text: str, value: Value, question: str, right: Sequence[Value]) -> bool:
    """Whether a bare number counts what neither question nor right value speak of: ``12 centers``."""
    noun = _COUNTED.match(text, value.end)
    if noun is None or value.kind != "number" or value.amount.unit:
        return False
    words = " ".join([question, *(text[v.end : v.end + 30] for v in right)])
    return not set(stems_of(noun["noun"])) & content_stems(words)


_SO = re.compile(
    r"(?:\(|\bso|=|\bi\.?e\.?|\bthat\sis|\bthat['’]s|\bmak(?:es|ing)|\bleav(?:es|ing)|\bwhich\sis|\bworks?\sout\s(?:at|to)|\bcomes?\sto)"
    r"(?:[\s,]+(?:so|it|you|we|just|a|an|total|of|is|about|around|roughly|equals|only|another|to|at)){0,4}[\s,:*$€£]*$",
    re.I,
)
_TIMES = (2, 3, 4, 7, 12, 52, 60, 24, 365)


def _concludes(text: str, value: Value, known: Sequence[Amount]) -> bool:
    """Whether a number is said to follow from known ones, and does: a sum, a share, a conversion."""
    if not _SO.search(text[max(0, value.start - 40) : value.start]):
        return False
    given = value.amount
    results = []
    for a in known:
        results += [a.value * n for n in _TIMES] + [a.value / n for n in _TIMES] + [a.written]
        if a.unit == "%":
            results.append(100 - a.value)
        if (a.unit, given.unit) in (("°C", "°F"), ("°C", "°")):
            results.append(a.value * 9 / 5 + 32)
        if a.unit == "°F":
            results.append((a.value - 32) * 5 / 9)
        for b in known:
            results += [
                a.value + b.value,
                a.value - b.value,
                a.value * b.value,
                a.value / (b.value or 1),
            ]
            if b.unit == "%":
                share = a.value * b.value / 100
                results += [share, a.value + share, a.value - share]
    about = Fraction(2, 100) if given.unit in ("°F", "°C", "°") else Fraction(1, 200)
    return any(abs(given.value - result) <= about * abs(result) for result in results if result)


_RANGE = re.compile(r"\bto\b|\buntil\b|[-–—→]", re.I)


def _labelled(text: str, labels: Sequence[str], values: Sequence[Value]) -> list[frozenset[str]] | None:
    """The labels of each value, where each has some before it, or each behind it; None where that is open."""
    order = sorted(values, key=lambda value: value.start)
    before: dict[Value, frozenset[str]] = {}
    behind: dict[Value, frozenset[str]] = {}
    for last, value, after in zip([None, *order], order, [*order[1:], None], strict=False):
        head = text[last.end if last else 0 : value.start]
        tail = text[value.end : after.start if after else len(text)]
        before[value] = frozenset(stems_of(head)) & set(labels)
        behind[value] = frozenset(stems_of(tail)) & set(labels)
    if all(before.values()) and not behind[order[-1]]:
        return [before[value] for value in values]
    if all(behind.values()) and not before[order[0]]:
        return [behind[value] for value in values]
    return None


def _sequence(text: str, labels: Sequence[str], values: Sequence[Value]) -> list[str]:
    """Labels and values in the order in which a text has them, each once."""
    items = [(value.start, f"value {place}") for place, value in enumerate(values)]
    for match in re.finditer(r"[^\W_]+", text):
        for stem in stems_of(match[0]):
            if stem in labels and not any(v.start <= match.start() < v.end for v in values):
                items.append((match.start(), stem))
    return list(dict.fromkeys(item for _, item in sorted(items)))
