"""Reading numbers, in whatever way they are written, with their units and currencies from ``units.toml``.

What is written in words is first put into digits, ``an hour and a half`` as ``1½ hours``; one regular
expression then reads all numbers.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from importlib.resources import files

from tellapart.longcontext.values.entries import reference_spans

MONEY = ("$", "€", "£", "¥", "CHF", "₹", "zł", "C$", "A$", "kr")
"""Currencies, as amounts are compared in them."""

TIMES = ("s", "month")

_TABLE: dict[str, dict[str, str]] = tomllib.loads(
    files(__package__).joinpath("units.toml").read_text("utf-8")
)
_UNITS = {
    spelling.replace("_", " "): (base, Fraction(factor))
    for base, written in _TABLE.items()
    for spellings, factor in written.items()
    for spelling in spellings.split()
}

BEFORE = r"(?:US\s?\$|(?-i:CA?|AU?)\$|[$€£¥₹]|(?:EUR|USD|GBP|CHF|JPY|INR|SEK|NOK|DKK|PLN|CAD|AUD)\b)"


def _pattern(spelling: str) -> str:
    words = re.escape(spelling).replace(r"\ ", r"s?\s", 1).replace(r"\ ", r"\s")
    # A short one has no plural: "41 has" says nothing of hectares.
    return words + (r"s?\b" if spelling[-1].isalpha() and len(spelling) > 2 else r"(?!\w)")


AFTER = "|".join(map(_pattern, sorted(dict.fromkeys(unit.lower() for unit in _UNITS), key=len, reverse=True)))
"""A unit behind its amount; a regular expression that takes no notice of case."""


@lru_cache(maxsize=4096)
def unit_of(written: str) -> tuple[str, Fraction]:
    """The unit in which an amount is compared, and how many of it the written one is."""
    word = re.sub(r"\s+", " ", re.sub(r"^[\s-]+|(?<!\s)\s+$", "", written))
    low = word.lower().replace("us $", "us$").replace("ca$", "c$").replace("au$", "a$")
    first, _, rest = low.partition(" ")
    singular = f"{first.removesuffix('s')} {rest}".strip()
    for spelling in (word, low, low.removesuffix("s"), singular, singular.removesuffix("s")):
        if spelling in _UNITS:
            return _UNITS[spelling]
    raise KeyError(written)


@dataclass(frozen=True)
class Amount:
    """A number in the unit that is compared, of which the written one is ``factor``; ``sign`` if written."""

    value: Fraction
    unit: str = ""
    factor: Fraction = Fraction(1)
    sign: str = ""

    @cached_property
    def written(self) -> Fraction:
        """The number in its own unit."""
        return self.value / self.factor


@dataclass(frozen=True)
class Numeral:
    """A number and where it stands in its text: its first character, and after its last."""

    start: int
    end: int
    amount: Amount


# --- words into digits ---

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: n for n, word in enumerate(_SMALL.split())} | {
    word: 20 + 10 * n for n, word in enumerate(_TENS.split())
}
_SCALES = {
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}
_SHORT_SCALES = {"k": 1000, "m": 10**6, "mio": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
_WORD, _SCALE = "|".join(sorted(_WORDS, key=len, reverse=True)), "|".join(_SCALES)
_PARTS = {"half": "½", "third": "⅓", "quarter": "¼", "3 quarters": "¾"}
_PART = r"(?:an?\s|one\s)?(?P<part>half|quarter|third|3[\s-]quarters)"
_LASTING = "second|minute|hour|day|week|fortnight|month|year|decade"


def _in_digits(match: re.Match[str]) -> str:
    """A number in words: digits one by one, and two numbers of two digits, as of a year, side by side."""
    words = re.findall(r"[a-z]+", match[0].lower())
    if not set(words) & set(_SCALES):
        groups = _groups([_WORDS[word] for word in words])
        aside = len(groups) > 2 and max(groups) < 10 or (len(groups) == 2 and min(groups) > 9)
        return "".join(map(str, groups)) if aside else str(sum(groups))
    total, current = 0, 0
    for word in words:
        if word in ("hundred", "dozen"):
            current = (current or 1) * _SCALES[word]
        elif word in _SCALES:
            total, current = total + (current or 1) * _SCALES[word], 0
        else:
            current += _WORDS.get(word, 0)
    return str((total + current) / 2 if words[0] == "half" else total + current).removesuffix(".0")


def _groups(values: Sequence[int]) -> list[int]:
    """Tens with the digit behind them as one: 44 and 90 of forty, four, ninety."""
    groups: list[int] = []
    for value in values:
        if groups and groups[-1] >= 20 and groups[-1] % 10 == 0 and 0 < value < 10:
            groups[-1] += value
        else:
            groups.append(value)
    return groups


_DIGIT = "|".join(list(_WORDS)[:10])


def _decimal(match: re.Match[str]) -> str:
    """``fourteen point two`` as ``fourteen.2``."""
    return f"{match['whole']}.{''.join(str(_WORDS[word]) for word in match['digits'].lower().split())}"


def _part(match: re.Match[str]) -> str:
    return _PARTS[match["part"].lower().replace("-", " ")]


_Rewrite = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]
# In this order; what each writes, the next ones read.
_REWRITES: tuple[_Rewrite, ...] = tuple(
    (re.compile(pattern, re.I), write)
    for pattern, write in (
        # a quarter of a million, half a dozen
        (rf"\b{_PART}\s(?:of\s)?an?\s(?=(?:{_SCALE})\b)", lambda m: f"{_part(m)} "),
        (rf"\b(?P<whole>{_WORD}|\d+)\spoint\s(?P<digits>(?:{_DIGIT})(?:\s(?:{_DIGIT}))*)\b", _decimal),
        (
            rf"\b(?:(?:half\s)?an?(?=\s(?:{_SCALE})\b)|{_WORD})"
            rf"(?:(?:-|\s|(?<=hundred)\sand\s|(?<=thousand)\sand\s|(?<=million)\sand\s)(?:{_WORD}|{_SCALE})){{0,7}}\b",
            _in_digits,
        ),
        (r"\bonce\b", lambda _: "1 x"),
        (r"\b(?:twice|double(?=\sthe\b))", lambda _: "2 x"),
        (r"\b(?:thrice|triple(?=\sthe\b))", lambda _: "3 x"),
        # two and a half; an hour and a half; half an hour; a quarter of an hour
        (rf"(?<=\d)\sand\s{_PART}\b", _part),
        (rf"\b(?:an?|1)\s(?P<unit>{AFTER})\sand\s{_PART}\b", lambda m: f"1{_part(m)} {m['unit']}"),
        (rf"\b{_PART}(?:\sof)?\san?\s(?:metric\s|full\s|whole\s)?(?={AFTER})", lambda m: f"{_part(m)} "),
        # an hour and 20 minutes; for a week
        (r"\b(?:an?|1)(?=\s(?:hour|minute|day|week|month|year)\s(?:and\s)?\d)", lambda _: "1"),
        (
            rf"(?:(?<=\bfor\s)|(?<=\bin\s)|(?<=\bof\s)|(?<=\btakes\s)|(?<=\btook\s)|(?<=\blasts\s)|(?<=\blasted\s)|"
            rf"(?<=\bwithin\s)|(?<=\babout\s)|(?<=\bafter\s)|^)an?(?=\s(?:{_LASTING})\b)",
            lambda _: "1",
        ),
        # twelve euros forty
        (
            r"\b(?P<whole>\d+)\s(?P<unit>euros?|dollars?|pounds?|francs?|met(?:re|er)s?)\s(?P<rest>[1-9]\d)(?![\d%]|[.,]\d|\s[a-z])",
            lambda m: f"{m['whole']}.{m['rest']} {m['unit']}",
        ),
    )
)


@dataclass(frozen=True)
class _Plain:
    """A text with its numbers in digits; ``starts`` and ``ends`` say where each character comes from."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def rewritten(self, pattern: re.Pattern[str], write: Callable[[re.Match[str]], str]) -> _Plain:
        text, starts, ends, at = [], list[int](), list[int](), 0
        for match in pattern.finditer(self.text):
            new = write(match)
            text += [self.text[at : match.start()], new]
            starts += [*self.starts[at : match.start()], *[self.starts[match.start()]] * len(new)]
            ends += [*self.ends[at : match.start()], *[self.ends[match.end() - 1]] * len(new)]
            at = match.end()
        if not text:
            return self
        rest = slice(at, None)
        return _Plain(
            "".join([*text, self.text[rest]]), (*starts, *self.starts[rest]), (*ends, *self.ends[rest])
        )


def _plain(text: str) -> _Plain:
    plain = _Plain(text, tuple(range(len(text))), tuple(range(1, len(text) + 1)))
    for pattern, write in _REWRITES:
        plain = plain.rewritten(pattern, write)
    return plain


# --- digits into amounts ---

# A number begins neither within a word (rs784), nor behind a decimal separator, nor behind a hyphen of an
# identifier (PDQ-20). It ends where no digit follows, so that 1,342 and 342.5 are never read as 342.
_NUMBER = re.compile(
    rf"""(?<![^\W_])(?<!\d[.,])(?<![A-Z]-)
    (?:(?P<money>{BEFORE})\s?(?P<minus>[-−](?=\d))?)?
    (?:(?P<whole>\d{{1,3}}\s)?(?P<over>\d{{1,3}})/(?P<under>[2-9]|10)(?=\s?(?:of\s(?:an?|the)\s)?(?:{AFTER}))\s?(?:of\s(?:an?|the)\s)?|
    (?P<digits>\d{{1,3}}(?:[,'’\u00a0\u202f\u2009]\d{{3}})+(?!\d)|
        \d{{1,3}}(?:\.\d{{3}})+(?=,\d\d?(?!\d)|\s?(?:€|EUR\b|euros?\b))(?!\d)|
        \d{{1,3}}(?:\ \d{{3}})+(?=\s?(?:{AFTER}))|\d{{1,999}}|(?=[.½⅓¼¾]))
    (?P<part>\.\d{{1,999}}|,\d\d?(?!\d)|\s?[½⅓¼¾])?
    (?P<power>(?<=\b10)\^[-−–]?\d{{1,3}}|\s?[x×*]\s?10\s?\^?[-−–⁻]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}}|e[-−+]?\d{{1,3}}\b)?
    (?!\d|,\d{{3}}(?!\d)))
    (?P<scale>\s?(?:(?:{_SCALE})s?|mio|mn|bn|(?-i:[kKM])|(?<=\d)[mb](?!\w))(?![^\W_]))?
    (?P<unit>[-\s]?(?:{AFTER})(?:/(?!\d)\w+)?)?
    (?![^\W_]|-(?-i:[A-Z]{{2}}))""",
    re.I | re.X,
)
# Exponents are written both ways: 10^-8 and 10⁻⁸.
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−–", "0123456789---")
# A sign has no blank behind it and no number before it, or it would be a dash, a bullet or a range.
_MINUS = re.compile(r"(?<![\w.,%°)\]])[-−–]$|[=(:]\s?[-−–]\s?$|\b(?:minus|negative)\s$", re.I)
_PLUS = re.compile(r"(?<![\w.,%°)\]])\+$|\bplus\s$", re.I)
_BELOW_ZERO = re.compile(r"(?:\s?degrees)?\sbelow\s(?:zero|freezing|0)", re.I)
# What may stand between two numbers that share the unit of the second: 22.4 to 21.8 %.
_JOIN = re.compile(rf" ?(?:%|to|and|or|vs\.?|versus|[-–—−]|through) ?(?:to )?[-−+]?(?:{BEFORE})? ?", re.I)
# What may stand between the parts of one amount: 1 hour and 30 minutes.
_GOES_ON = re.compile(r",?\s?(?:and\s)?", re.I)
_WITH_SLASH = ("km/h", "m/s", "bit/s", "kbit/s", "mbit/s", "gbit/s")


@lru_cache(maxsize=8192)
def numerals(text: str) -> tuple[Numeral, ...]:
    """Find the numbers, in order; ``Study 6`` refers to an entry and is none."""
    plain, taken = _plain(text), reference_spans(text)
    numbers: list[Numeral] = []
    for match in _NUMBER.finditer(plain.text):
        if match.end() > match.start() and re.search(r"[\d½⅓¼¾]", match[0]):
            start, end = plain.starts[match.start()], plain.ends[match.end() - 1]
            if not any(a <= start < b for a, b in taken):
                numbers.append(Numeral(start, end, _amount(match, text[max(0, start - 10) : start])))
    return tuple(_joined(_with_units(numbers, text), text))


def _amount(match: re.Match[str], before: str) -> Amount:
    scale, unit = (match["scale"] or "").strip().lower().removesuffix("s"), match["unit"]
    if scale in ("m", "b") and match["scale"].strip() != "M" and not match["money"]:
        scale, unit = "", scale if scale == "m" else None
    if unit == "s" and re.fullmatch(r"(?:1[89]|20)\d0", match["digits"] or ""):
        # The 1990s.
        unit = None
    base, factor = _unit(match["money"] or unit)
    value = _value(match) * {**_SCALES, **_SHORT_SCALES, "": 1}[scale] * factor
    if match["minus"] or _MINUS.search(before) or _BELOW_ZERO.match(match.string, match.end()):
        return Amount(value, base, factor, "-")
    return Amount(value, base, factor, "+" if _PLUS.search(before) else "")


def _value(match: re.Match[str]) -> Fraction:
    if match["over"]:
        return Fraction((match["whole"] or "0").strip()) + Fraction(int(match["over"]), int(match["under"]))
    digits, part = re.sub(r"\D", "", match["digits"]) or "0", (match["part"] or "").strip()
    if part in ("½", "⅓", "¼", "¾"):
        value = Fraction(digits) + Fraction(unicodedata.numeric(part)).limit_denominator(10)
    else:
        value = Fraction(digits + part.replace(",", "."))
    power = (match["power"] or "").translate(_SUPERSCRIPT)
    if power.startswith("^"):
        return Fraction(10) ** int(power[1:])
    return value * Fraction(10) ** int(re.sub(r"^\s?[x×*]\s?10\s?\^?|^e", "", power, flags=re.I) or 0)


def _unit(written: str | None) -> tuple[str, Fraction]:
    if not written:
        return "", Fraction(1)
    name, _, rest = written.partition("/")
    base, factor = unit_of(written if written.strip(" -").lower() in _WITH_SLASH else name)
    if base == "g" and rest.lower() in ("l", "dl", "ml"):
        volume, litres = unit_of(rest)
        return f"g/{volume}", factor / litres
    return base, factor


def _with_units(numbers: list[Numeral], text: str) -> list[Numeral]:
    """Give the first of ``22.4 to 21.8%`` the unit of the second."""
    for i in range(len(numbers) - 2, -1, -1):
        number, after = numbers[i], numbers[i + 1]
        unit, between = after.amount.unit, text[number.end : after.start]
        joined = _JOIN.fullmatch(between) and not (unit == "%" and re.search(r"and|or", between))
        if unit and joined and not number.amount.unit and text[number.start].isdigit():
            factor = after.amount.factor
            amount = replace(number.amount, value=number.amount.value * factor, unit=unit, factor=factor)
            numbers[i] = replace(number, amount=amount)
    return numbers


def _joined(numbers: list[Numeral], text: str) -> list[Numeral]:
    """Make one of ``1 hour 30 minutes``: amounts of one kind side by side, each in a smaller unit."""
    joined: list[Numeral] = []
    for number in numbers:
        last, amount = (joined[-1] if joined else None), number.amount
        if (
            last is not None
            and last.amount.unit == amount.unit
            and amount.unit in ("s", "month", "m", "g")
            and last.amount.factor > amount.factor
            and _GOES_ON.fullmatch(text[last.end : number.start])
        ):
            whole = replace(last.amount, value=last.amount.value + amount.value, factor=amount.factor)
            joined[-1] = Numeral(last.start, number.end, whole)
        else:
            joined.append(number)
    return joined
