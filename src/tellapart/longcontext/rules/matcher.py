"""Grading by values: what a response asserts of the values that a decidable probe asks for.

A response that asserts these values and nothing that contradicts them is CORRECT, one that asserts others
is wrong, and code abstains only where it cannot tell what is asserted. Nothing is right because words occur
in it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile

from tellapart.longcontext.grades import Grade, not_graded
from tellapart.longcontext.rules.asked import Asked, is_in
from tellapart.longcontext.rules.manner import (
    Spans,
    asks_bound,
    asserted,
    clauses,
    comparator,
    concluded,
    denies,
    is_difference,
    is_term,
    leaves_open,
    manner_agrees,
    plain_words,
    rate_of,
    rates_in,
    segments,
    sentences,
)
from tellapart.longcontext.rules.polarity import LONGEST, grade_polarity, refuses
from tellapart.longcontext.values import Agreement, Value, agreement, states, values_in
from tellapart.longcontext.values.entries import references
from tellapart.longcontext.values.text import content_stems, words_called
from tellapart.longcontext.values.tokens import shape_of, token_spans
from tellapart.longcontext.values.value import as_kind, as_letters, days_of_pair

IN_OTHER_WORDS = "the right answer can be said in other words; a judge or a person must grade it"


def grade_values(question: str, response: str, asked: Asked | None, material: Sequence[str]) -> Grade:
    """Grade a response by values; EVAL_ERROR where nothing is asked that can be decided or code abstains."""
    text = without_question(response[: 2 * LONGEST], question)
    if not text.strip():
        return Grade("REFUSED", "It says nothing.")
    if asked is None:
        return not_graded(IN_OTHER_WORDS)
    if len(text) > LONGEST:
        return not_graded(f"it is longer than {LONGEST:,} characters")
    if asked.polarity is not None:
        return grade_polarity(asked.polarity, asked.key, question, text, material)
    return _Reading(asked, question, text, tuple(material)).grade()


# $2$, \\(2\\) and \\boxed{2} are 2; what follows "Final answer:" is the answer.
_MATHS = re.compile(r"\$?\\boxed\{([^{}$]*)\}\$?|\$(?=[\d.,]+\$)|(?<=\d)\$(?!\d)|\\[()\[\]]")
_CONCLUSION = re.compile(
    r"(?:^|[.!\n])[*_#\s]{0,8}(?:(?:my\s|the\s)?final\sanswer(?:\sis)?\s?[:=]?|answer[*_]{0,3}\s?[:=\n])[*_\s]{0,8}",
    re.I,
)


# A question claims nothing, but for "Or was it Thursday?".
_QUESTION = re.compile(r"(?<![^.!?\n])(?!\W{0,20}or\b)[^.!?\n]{0,400}\?[\"”]?(?=\s|$)", re.I)


# What is struck out, or a comment, is not said.
_STRUCK = re.compile(r"~~[^~\n]{1,400}~~|<(del|s|strike)>.{0,400}?</\1>|<!--.{0,400}?-->", re.I | re.S)


def without_question(text: str, question: str) -> str:
    """Without questions, which claim nothing, and with the signs that nobody sees left out."""
    text = re.sub(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]", "", text)
    text = re.sub(r"\r\n?|[\x85\u2028\u2029]", "\n", text)
    text = _MATHS.sub(r"\1", text.replace(question.strip(), " "))
    text = _CONCLUSION.split(text)[-1]
    text = _STRUCK.sub(" ", text)
    return _QUESTION.sub(" ", text) if "?" in text else text


_Divide = Callable[[str], Spans]
_ALTERNATIVES = re.compile(
    r"\W{0,4}(?:or|and)\W(?:(?:maybe|perhaps|possibly|also|the|at|on)\W){0,2}\W{0,4}", re.I
)
_MANY = 5
_OF_WHOLE = re.compile(r"(?:^|[.\n]\s{0,3}|\d\s)(?:out\s)?of\s(?:the\s|all\s)?$", re.I)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_FROM_ANOTHER = re.compile(
    r"\b(?:(?:days?|nights?|weeks?|weekends?|months?|years?|hours?|minutes?|version|one|number|shortly|soon|just|right|sometime|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day)\s(?:before|after|prior\sto|following)|"
    r"(?:eve|week|weekend|month|reverse)\sof|prior\sto|next\sto|(?:newer|older|other)\sthan|"
    r"(?:downgraded|moved(?:\saway)?)\sfrom|past|quarter\sto)\s(?:the\s)?$",
    re.I,
)
_PART_OF = re.compile(r"\b(?:early|late|mid|middle|end|start|beginning)\W*(?:of\W*|in\W*)?$|\d\.\s$", re.I)
# What touches a value: before it a sign such as √ and NZ$, a code as CAD, "x ="; behind it a sign, a noun.
_SIGN = r"[^\w\s\x00-\x1f\ud800-\udfff.,;:!?…\"'“”‘’«»()\[\]{}*|`#=~≈<>≤≥+\-–—−/\\→⇒]"
_SIGN_BEFORE, _SIGN_BEHIND = (re.compile(rf"{_SIGN}$|[$¢-¥฿₠-⃏]\s$"), re.compile(rf"{_SIGN}|\s[$¢-¥฿₠-⃏]"))
_CODE_BEFORE = re.compile(r"(?<!\w)(?:[A-Z][A-Za-z]{1,2}|kr)(?=\.?\s?$)")
_LABEL_BEFORE = re.compile(r"(?<!\w)[a-mo-z](?=\s?[=<>≤≥]\s?$)", re.I)
_BEHIND = re.compile(r"(?:\.[–-])?\s?(?:\((?=[A-Z]\w{1,3}\)))?((?:[\s-]?[^\W\d_]+){1,3})")
_UNIT = re.compile(r"^(?:us|(?!I$)[^a-z]+)$")
# A noun with up to two words before it; the user is whoever asks.
_THING = re.compile(
    r"\b(?:the|an?|for|of|our|your|my|his|her|their|its)\s(?!user\b)((?:\w+[\s-]){0,2}\w+)", re.I
)
_CHOOSING = content_stems(" ".join(words_called("choosing")))
_OPTION = re.compile(r"\(?\b([A-Z])\s?[).:–-]\s(.*?)(?=[\s,;]*(?:\(?\b[A-Z]\s?[).:–-]\s|$))", re.S)
_SPAN_END, _SPAN_START = re.compile(r"\d\s?[-–—]\s?$"), re.compile(r"\s?[-–—]\s?\d")


class _Reading:
    """What a response says beside the values that are asked for."""

    def __init__(self, asked: Asked, question: str, text: str, material: tuple[str, ...]) -> None:
        self.asked, self.question, self.text, self.material = asked, question, text, material
        self.sources = _passages(sentences, asked.values, material)
        self.messages = [text for text in material if any(states(text, value) for value in asked.values)]
        given = values_in(question)
        offers = re.search(r"\bor\b", question) or any(is_in(value, given) for value in asked.values)
        self.given = () if offers else given
        starts = [v.start for v in self._values() if any(self._agreement(w, v) for w in asked.values)]

        def has_value(begin: int, end: int) -> bool:
            return any(begin <= start < end for start in starts)

        self.said = concluded(text, has_value)
        self.text = asserted(self.said, question, has_value)
        self._sort()
        if not self.is_complete or self._offers_both():
            return
        if aside := [rival for rival in self.rivals if self._is_of_another(rival)]:
            for a, b in self._spans(clauses, aside):
                self.text = self.text[:a] + " " * (b - a) + self.text[b:]
            self._sort()

    @property
    def is_complete(self) -> bool:
        return len(self.right) == len(self.asked.values)

    def _sort(self) -> None:
        self.right: dict[Value, Value] = {}
        self.rivals: list[Value] = []
        self.unclear: list[Value] = []
        self.beside: list[Value] = []
        for value in self._values():
            self._place(value)
        if self.is_complete:
            self._leave_out()

    def _values(self) -> list[Value]:
        """The values of the text, read as what is asked for where they can be that."""
        values = list(values_in(self.text))
        for wanted in self.asked.values:
            read: list[Value] = []
            if wanted.kind == "letter":
                values += as_letters(self.text)
            elif wanted.kind == "token":
                spans = token_spans(self.text, str(wanted.normal))
                read = [Value("token", self.text[a:b], a, wanted.normal) for a, b in spans]
            elif wanted.kind == "date":
                pairs = re.finditer(r"(?<![\w./])\d\d?/\d\d?(?![\w/]|[.,]\d)", self.text)
                read = [Value("date", m[0], m.start(), days) for m in pairs if (days := days_of_pair(m[0]))]
            values = [v for v in values if all(v.end <= r.start or r.end <= v.start for r in read)] + read
        return sorted(values, key=lambda value: value.start)

    def _place(self, value: Value) -> None:
        by_wanted = {wanted: self._agreement(wanted, value) for wanted in self.asked.values}
        same = [wanted for wanted, how in by_wanted.items() if how == "same"]
        if same and not self._is_relative(value):
            self.right.setdefault(same[0], value)
        elif is_in(value, self.given) or value.is_small_word and not self._counts(value):
            return
        elif self._is_relative(value) or self._has_other_rate(value) or "unclear" in by_wanted.values():
            self.unclear.append(value)
        elif "other" in by_wanted.values():
            self.rivals.append(value)
        else:
            self.beside.append(value)

    def _agreement(self, wanted: Value, value: Value) -> Agreement | None:
        if wanted.kind == value.kind == "letter" and not self._is_chosen(value):
            return "unclear"
        how = agreement(wanted, value)
        if how is None and wanted.kind == "token" and value.text == self.text.strip(' .*`"\n'):
            how = "other"
        if how == "other" and wanted.kind == value.kind == "number":
            if value.amount.unit and not wanted.amount.unit:
                return None
            return "unclear" if re.match(r"/\d", self.text[value.end :]) else how
        given = as_kind(wanted, value)
        if how != "same" or self._is_touched(wanted, given):
            return "unclear" if how == "same" else how
        context = "\n".join([self.question, *self.sources])
        return manner_agrees(self.asked.key, wanted, self.text, given, self.question, context)

    def _is_touched(self, wanted: Value, value: Value) -> bool:
        """Whether an equal value has a sign, a unit or a noun that neither key, question nor source have."""
        right, unit = (v.amount.unit if v.kind == "number" else "" for v in (wanted, value))
        if wanted.kind not in ("number", "token") or right and unit:
            return False
        before, behind = self.text[: value.start][-12:], self.text[value.end : value.end + 60]
        version = wanted.kind == "token" and shape_of(str(wanted.normal)) == "version"
        if _SIGN_BEFORE.search(before) or _SIGN_BEHIND.match(behind) or version and before[-1:] == "~":
            return True
        texts = [self.question, self.asked.key, *self.sources]
        nouns, known = _nouns(behind if version else plain_words(behind)), content_stems("\n".join(texts))
        counted = re.search(r"\bhow\smany\b(.*)", self.question, re.I)
        if unit:
            units = {v.amount.unit for text in texts for v in values_in(text) if v.kind == "number"}
            nouns = _nouns(re.sub(r"[^\s\w]|[\d_]", "", value.text))
            return unit not in units and (not nouns <= known if nouns else counted is not None)
        codes = content_stems(" ".join((_CODE_BEFORE if right else _LABEL_BEFORE).findall(before)))
        if right or version or codes:
            return not nouns | codes <= known
        if wanted.kind == "token" or not nouns or not _BEHIND.match(self.asked.key, wanted.end):
            return False
        said = (_nouns(text[v.end :]) for text in texts[1:] for v in values_in(text) if is_in(v, [wanted]))
        return nouns.isdisjoint(_nouns(counted[1] if counted else "").union(*said))

    def _is_chosen(self, letter: Value) -> bool:
        """Whether beside a letter stand only words of choosing, of the question, and of no other option."""
        known = _beside_letter(str(letter.normal), self.question, self.text, (self.asked.key, *self.material))
        others = " ".join(text for name, text in _OPTION.findall(self.question) if name != letter.normal)
        spans = (divide(self.text) for divide in (clauses, sentences))
        around = (span[bisect_left(span, (letter.start + 1,)) - 1] for span in spans)
        near, whole = (content_stems(self.text[a:b]) for a, b in around)
        return all(stem in known or len(stem) == 1 for stem in near | whole & content_stems(others))

    def _counts(self, value: Value) -> bool:
        """Whether a small number in words may be the count that is asked for."""
        counts = any(wanted.kind == "number" and not wanted.amount.unit for wanted in self.asked.values)
        opens = not self.text[: value.start].strip(' *"“')
        return counts and (opens or value.text.lower() not in ("one", "once", "zero"))

    def _has_other_rate(self, value: Value) -> bool:
        """Whether it is another amount a year where the key, or the question, asks for one a month."""
        if value.kind != "number" or is_in(value, self.asked.values):
            return False
        said = rate_of(self.text, value)
        rates = {rate_of(self.asked.key, wanted) for wanted in self.asked.values} | rates_in(self.question)
        return bool(said and rates - {""}) and said not in rates

    def _is_relative(self, value: Value) -> bool:
        """Whether it is a date from which another one is counted, or one end of a span of days."""
        kinds = {as_kind(wanted, value).kind for wanted in self.asked.values}
        if kinds.isdisjoint({"date", "time", "token"}):
            return False
        before, behind = self.text[: value.start], self.text[value.end :]
        return bool(_FROM_ANOTHER.search(before) or _SPAN_END.search(before) or _SPAN_START.match(behind))

    def _leave_out(self) -> None:
        """Take out what contradicts no right value: differences, years, bare numbers, wholes."""
        right = list(self.right.values())
        if len(right) == 1 and _gives(right[0], self.rivals, "+"):
            self.rivals = []
        if not any(is_difference(self.text, value) for value in right):
            self.rivals = [value for value in self.rivals if not is_difference(self.text, value)]
            self.beside = [value for value in self.beside if not is_difference(self.text, value)]
        if not any(value.is_small_word for value in right):
            self.rivals = [value for value in self.rivals if not value.is_small_word]
        units = {value.amount.unit for value in right if value.kind == "number"} - {""}
        said = {
            value.amount.written
            for text in self.material
            for value in values_in(text)
            if value.kind == "number" and value.amount.unit in units
        }
        asks_years = any(_YEAR.fullmatch(value.text) for value in self.asked.values)
        aside = [
            value
            for value in self.rivals
            if value.kind == "number"
            and not value.amount.unit
            and (
                units
                and value.amount.value not in said
                or _YEAR.fullmatch(value.text)
                and not asks_years
                or _OF_WHOLE.search(self.text[: value.start])
            )
        ]
        self.rivals = [value for value in self.rivals if value not in aside]
        self.beside += aside
        self.unclear = []

    def _is_of_another(self, rival: Value) -> bool:
        """Whether it was said, and its clause has fewer words of the question, or a subject of its own."""
        (span,) = self._spans(clauses, [rival])
        spans = self._spans(clauses, list(self.right.values()))
        if span in spans or not any(states(text, rival) for text in self.material):
            return False
        bounds = {comparator(self.text, value) for value in self.right.values()}
        if (sign := comparator(self.text, rival)) in list("≤≥<>") and sign not in bounds:
            return any(states(text, rival) for text in self.sources)
        asked = content_stems(self.question)
        near = min(len(asked & content_stems(self.text[a:b])) for a, b in spans)
        if len(asked & content_stems(self.text[slice(*span)])) < near:
            return True
        about = self._names_beyond(span) - content_stems(rival.text)
        return bool(about & content_stems("\n".join(_said_with([rival], self.material))))

    def _names_beyond(self, span: tuple[int, int]) -> frozenset[str]:
        """The words of a clause that the question has not, nor what is said with the right values."""
        own = [self.question, self.asked.key, *_said_with(self.asked.values, self.material)]
        return content_stems(self.text[slice(*span)]) - content_stems("\n".join(own))

    def grade(self) -> Grade:
        """Decide."""
        told = ", ".join(value.text for value in self.right.values())
        nothing = not (self.right or self.rivals or self.unclear) and refuses(self.said)
        if nothing:
            return Grade("REFUSED", "It says that it does not know.")
        if self.is_complete and self._offers_both():
            return Grade("PARTIAL", f"It states {told} or {self.rivals[0].text}, and does not choose.", told)
        if part := self._part_of_date():
            return Grade("PARTIAL", f"It states only {part.text} of {self.asked.key}.", part.text)
        if why := self._open():
            return not_graded(why)
        if not self.right:
            return self._rough() or self._wrong()
        if not self.is_complete:
            return self._partial(told)
        if self.rivals:
            return not_graded(f"it states {told} and {self.rivals[0].text}")
        if foreign := self._foreign():
            return not_graded(f"it states {told}, and beside it {foreign}")
        if other := self._said_of_another():
            return not_graded(f"it may state {told} of {other}")
        return Grade("CORRECT", f"It states {told}.", told)

    def _offers_both(self) -> bool:
        """Whether the right value and another one stand side by side, as in ``30 or 45 days``."""
        right = list(self.right.values())
        for rival in self.rivals:
            for value in right:
                first, second = sorted((value, rival), key=lambda v: v.start)
                if _ALTERNATIVES.fullmatch(self.text[first.end : second.start]):
                    return True
        return False

    def _part_of_date(self) -> Value | None:
        """The only date that a response states, where it says less than the right one."""
        if len(self.asked.values) > 1 or self.right or self.rivals or len(self.unclear) != 1:
            return None
        (part,), (wanted,) = self.unclear, self.asked.values
        if part.kind != "date" or agreement(wanted, part) != "unclear":
            return None
        rough = _PART_OF.search(self.text[: part.start]) or self._leaves_open(leaves_open)
        return None if rough else part

    def _leaves_open(self, leaves: Callable[[str, str], bool]) -> bool:
        """Whether a sentence with one of the values denies it, or doubts it, in words that are no values."""
        held = [*self.right.values(), *self.rivals, *self.unclear]
        if any(is_term(self.text, value) for value in self.right.values()):
            return True
        text = self.text
        for value in held:
            text = text[: value.start] + "0" * (value.end - value.start) + text[value.end :]
        return any(leaves(text[a:b], self.question) for a, b in self._spans(sentences, held))

    def _open(self) -> str | None:
        """Why it is open what the response asserts; None where it is not."""
        held = [*self.right.values(), *self.rivals]
        if self.unclear:
            return f"{self.unclear[0].text} is not plainly what is asked for, or only roughly or in part"
        if not held:
            return "it states no value of the kind that is asked for"
        if refuses(self.said) and not (self.right and not self.rivals and len(self.asked.values) > 1):
            return "it states a value, and that it does not know"
        # Doubt between values all of which are wrong makes none of them right.
        if self._leaves_open(leaves_open if self.right else denies):
            return "words such as 'not', 'or', 'perhaps' leave open what it asserts"
        if not self.right and (_gives(self.asked.values[0], self.rivals) or self._in_parts()):
            return "it states what the right answer can be computed from"
        return None

    def _in_parts(self) -> bool:
        """Whether numbers stand side by side, as in ``86 euros and 40 cents`` and ``1 m 80``."""
        numbers = [value for value in self._values() if value.kind == "number"]
        return any(re.fullmatch(r"\s?(?:and\s)?", self.text[a.end : b.start]) for a, b in pairwise(numbers))

    def _rough(self) -> Grade | None:
        """Of a value that is said roughly, or as a bound, and so near that it may mean the right one."""
        near = [rival for rival in self.rivals if self._is_rough(rival)]
        if not near:
            return None
        if len(self.rivals) > 1 or near[0].kind != "number":
            return not_graded("it says only roughly, or only a bound of, what is asked for")
        return Grade("PARTIAL", f"It says {near[0].text}, and that only roughly or as a bound.", near[0].text)

    def _is_rough(self, rival: Value) -> bool:
        sign = comparator(self.text, rival)
        if not sign or asks_bound(sign, self.question):
            return False
        return any(_may_mean(value, sign, rival) for value in self.asked.values)

    def _partial(self, told: str) -> Grade:
        absent = ", ".join(value.text for value in self.asked.values if value not in self.right)
        if self.rivals:
            return Grade("PARTIAL", f"It states {told}, not {absent}, but {self.rivals[0].text}.", absent)
        rest = self.text
        for value in self.right.values():
            rest = rest[: value.start] + rest[value.end :].rjust(len(rest) - value.start)
        if re.search(r"\d", rest):
            return not_graded(f"it may say {absent} in words that code does not read")
        return Grade("PARTIAL", f"It states {told}, not {absent}.", absent)

    def _wrong(self) -> Grade:
        invented = [value for value in self.rivals if not self._was_said(value)]
        wanted, value = ", ".join(value.text for value in self.asked.values), self.rivals[0]
        if not invented:
            why = f"{value.text} was said of something else; right is {wanted}."
            return Grade("CONFUSED", why, value.text)
        value = invented[0]
        return Grade("HALLUCINATED", f"{value.text} is not {wanted}, and nobody said it.", value.text)

    def _was_said(self, rival: Value) -> bool:
        """Whether the material has a rival; a right amount with another sign, bound or rate is made up."""
        if is_in(rival, self.asked.values):
            return False
        read = as_letters if rival.kind == "letter" else values_in
        for text in self.material:
            for sentence in (text[a:b] for a, b in sentences(text)):
                for value in read(sentence):
                    if value.kind != rival.kind or not is_in(rival, [value]):
                        continue
                    alike = rival.kind != "number" or value.amount.unit == rival.amount.unit
                    if alike or not value.amount.unit and _has_unit(value, rival, sentence):
                        return True
        return rival.kind == "token" and rival.text.casefold() in "\n".join(self.material).casefold()

    def _spans(self, divide: _Divide, values: Sequence[Value]) -> list[tuple[int, int]]:
        """The sentences or clauses in which values stand."""
        return [(a, b) for a, b in divide(self.text) if any(a <= value.start < b for value in values)]

    def _said_of_another(self) -> str | None:
        """A subject, or a label, of the right values that the conversation has beside a different value."""
        right = list(self.right.values())
        words = frozenset[str]()
        for a, b in self._spans(clauses, right):
            first = min(value.start for value in right if a <= value.start < b)
            labels = filter(_is_label, self.text[first:b].split())
            things = _THING.findall(self.text[a:first]) + list(filter(_is_label, self.text[a:first].split()))
            nouns = (_nouns(self.text[value.end :]) for value in right if value.kind == "number")
            words |= self._names_beyond((a, b)) & content_stems(" ".join([*things, *labels])).union(*nouns)
        words -= content_stems(" ".join(value.text for value in (*right, *values_in(self.text))))
        others = [
            content_stems(sentence[a:b])
            for text in (self.material if words else ())
            for sentence in (text[start:end] for start, end in sentences(text))
            for a, b in clauses(sentence)
            if _has_others(sentence[a:b], self.asked.values, sentence)
        ]
        # A word that stands with many values, such as "enrolled", is the subject of none.
        subjects = [word for word in words if 0 < sum(word in clause for clause in others) < _MANY]
        return min(subjects, default=None)

    def _foreign(self) -> str | None:
        """A value or entry that neither question, key nor source have, or another year than asked."""
        years = set(_YEAR.findall(self.question))
        shown = self.messages if self.sources else self.material
        near = "\n".join([self.question, self.asked.key, *shown])
        spans = self._spans(segments, list(self.right.values()))
        for value in self.beside:
            if not any(a <= value.start < b for a, b in spans):
                continue
            if not states(near, value) or years and _YEAR.fullmatch(value.text) and value.text not in years:
                return value.text
        entries = {number for number, _ in references(self.text)} - {number for number, _ in references(near)}
        return f"entry {min(entries)}" if entries else None


@lru_cache(maxsize=64)
def _beside_letter(letter: str, question: str, text: str, material: tuple[str, ...]) -> frozenset[str]:
    """The words that may stand beside a letter by which its option is chosen."""
    said = [option for name, option in _OPTION.findall(question) if name == letter]
    said += [_OPTION.sub(" ", question), *(value.text for value in values_in(text))]
    said += _passages(sentences, [Value("letter", letter, 0, letter)], material)
    return _CHOOSING | content_stems("\n".join(said))


def _nouns(text: str) -> frozenset[str]:
    """The stems of the words that begin a text, up to a plain one; a capital such as A is a unit."""
    found = _BEHIND.match(text)
    words = re.findall(r"[^\W\d_]+", found[1]) if found else []
    stems = (content_stems(word) or frozenset(_UNIT.findall(word)) for word in words)
    return frozenset[str]().union(*takewhile(bool, stems))


def _passages(divide: _Divide, values: Sequence[Value], material: Sequence[str]) -> tuple[str, ...]:
    """The sentences or clauses of the material that state one of the values."""
    return tuple(
        text[a:b]
        for text in material
        if any(states(text, value) for value in values)
        for a, b in divide(text)
        if any(states(text[a:b], value) for value in values)
    )


def _said_with(values: Sequence[Value], material: Sequence[str]) -> list[str]:
    """What the material says with values: segments of it, and clauses of those that have other ones too."""
    said: list[str] = []
    for segment in _passages(segments, values, material):
        others = _has_others(segment, values, segment)
        said += _passages(clauses, values, [segment]) if others else [segment]
    return said


def _is_label(word: str) -> bool:
    return any(letter.isupper() or letter.isdigit() for letter in word)


def _has_others(text: str, values: Sequence[Value], sentence: str) -> bool:
    """Whether a clause of a sentence has a value that could be said instead of one of the values."""
    return any(
        agreement(wanted, value) == "other" and (value.kind != "number" or _has_unit(value, wanted, sentence))
        for wanted in values
        for value in values_in(text)
    )


def _has_unit(number: Value, wanted: Value, sentence: str) -> bool:
    """Whether a number has a unit, if the wanted one has, or its sentence gives it that of others."""
    if number.amount.unit or wanted.kind != "number" or not wanted.amount.unit:
        return True
    return any(v.kind == "number" and v.amount.unit == wanted.amount.unit for v in values_in(sentence))


def _may_mean(right: Value, sign: str, given: Value) -> bool:
    """Whether a rough value, or a bound, may mean the right one: a number up to a quarter away from it."""
    if right.kind != "number" or given.kind != "number":
        return sign in "~≠"
    off = right.amount.value - given.amount.value
    if right.amount.unit != given.amount.unit or 4 * abs(off) > abs(right.amount.value):
        return False
    return sign in "~≠" or (off != 0 and (off > 0) == (sign in ">≥"))


def _gives(right: Value, terms: Sequence[Value], signs: str = "+-") -> bool:
    """Whether a number is the sum or the difference of others, each of which may be said again."""
    if right.kind != "number" or not all(value.kind == "number" for value in terms):
        return False
    alike = {value.amount.unit for value in terms} == {right.amount.unit}
    wanted, *amounts = (v.amount.value if alike else v.amount.written for v in (right, *terms))
    for side in (amounts, list(dict.fromkeys(amounts))):
        results = {"+": sum(side), "-": abs(2 * side[0] - sum(side))} if len(side) > 1 else {}
        if wanted in [results[sign] for sign in signs if sign in results]:
            return True
    return False
