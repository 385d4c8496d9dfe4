"""Grades by strings: exact ones, patterns, a set of strings, a whole text, and the words that are shared."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from statistics import fmean

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Answered, Category, Grade, not_graded
from tellapart.longcontext.rules.polarity import refuses
from tellapart.longcontext.values.text import itself, nearly

_BETWEEN = re.compile(r";|,(?=\s)")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SMALL_WORDS = re.compile(r"\b(?:a|an|the|and)\b")


def wrong_of(response: str) -> Category:
    """REFUSED where a response says nothing or that it does not know, else HALLUCINATED."""
    return "REFUSED" if refuses(response) or not response.strip() else "HALLUCINATED"


def strings_of(answer: str | None) -> tuple[str, ...]:
    """The strings of an answer such as ``84; 1,912; Drova``, each once."""
    return tuple(dict.fromkeys(text for text in map(str.strip, _BETWEEN.split(answer or "")) if text))


def has_string(text: str, wanted: str) -> bool:
    """Whether a text has a string, in any letter case."""
    return wanted.casefold() in text.casefold()


def grade_match(given: Answered) -> Grade:
    """Grade by the share of strings that a response contains, in any order and letter case.

    What else the response contains does not count against it, and a string that is part of a longer word
    counts, as published.

    Source:
        Hsieh et al. 2024, "RULER: What's the Real Context Size of Your Long-Context Language Models?",
        section 4: a prediction is scored by whether it contains the outputs (``string_match_all`` of the
        code that its authors published, which all tasks but question answering use).
    """
    response, strings = given.response, strings_of(given.key.answer)
    absent = [text for text in strings if not has_string(response, text)]
    correct, of = len(strings) - len(absent), len(strings)
    counts, wrong = f"{correct}/{of} correct", wrong_of(response)
    if not absent:
        grade = Grade("CORRECT", f"{counts}.", ", ".join(strings))
    elif wrong == "REFUSED" and not correct:
        grade = Grade(wrong, f"{counts}: it says that it does not know.")
    else:
        grade = Grade("PARTIAL" if correct else wrong, f"{counts}: not {', '.join(absent)}.", absent[0])
    # One string is right or wrong; there is nothing to count.
    return replace(grade, correct=correct, of=of) if of > 1 else grade


def grade_contains(given: Answered) -> Grade:
    """CORRECT where the response contains one of the right answers, capitals and small letters apart.

    Source:
        The metric ``contains`` of NoLiMa (Modarressi et al., 2025).
    """
    stated = next((answer for answer in given.key.answers if answer in given.response), None)
    if stated is not None:
        return Grade("CORRECT", f"It contains {stated!r}.", stated)
    return Grade(wrong_of(given.response), "It contains none of the right answers.")


def _measured(score: float, reason: str, response: str) -> Grade:
    """A grade whose score is measured: CORRECT at 1, PARTIAL above 0."""
    category: Category = "CORRECT" if score == 1 else "PARTIAL" if score > 0 else wrong_of(response)
    return Grade(category, reason, score=score)


def grade_sequence(given: Answered) -> Grade:
    """Grade by twice the characters in matching blocks over those of both texts, after a required prefix.

    Source:
        The grading of OpenAI's MRCR: ``SequenceMatcher.ratio`` of Python's difflib, after the required
        prefix was taken off both.
    """
    response, prefix, answer = given.response, given.key.prefix or "", given.key.answer or ""
    if not response.startswith(prefix):
        return _measured(0.0, f"It does not begin with {prefix!r}, as was asked.", response)
    ratio = SequenceMatcher(None, response.removeprefix(prefix), answer.removeprefix(prefix)).ratio()
    return _measured(ratio, f"The sequences of letters agree to {100 * ratio:.1f} %.", response)


def stems(text: str) -> list[str]:
    """Stems of the words, in lower case, without punctuation, articles and ``and``."""
    return [stem_of(word) for word in _SMALL_WORDS.sub(" ", text.lower().translate(_PUNCTUATION)).split()]


def token_f1(response: str, answer: str) -> float:
    """The harmonic mean of precision and recall of stems, with how often each occurs, in [0, 1]."""
    said, right = stems(response), stems(answer)
    shared = (Counter(said) & Counter(right)).total()
    return 2 * shared / (len(said) + len(right)) if shared else 0.0


def token_f1_of_parts(response: str, answer: str) -> float:
    """The mean over the comma-separated parts of the answer of the best F1 of a part of the response."""
    said = response.split(",")
    return fmean(max(token_f1(part, right) for part in said) for right in answer.split(","))


def grade_token_f1(given: Answered, score_of: Callable[[str, str], float] = token_f1) -> Grade:
    """Grade by the best token F1 over all right answers.

    Source:
        The evaluation that LoCoMo was published with (Maharana et al., ACL 2024).
    """
    score = max(score_of(given.response, answer) for answer in given.key.answers)
    return _measured(score, f"Its words are those of the answer with an F1 of {score:.2f}.", given.response)


def grade_token_f1_parts(given: Answered) -> Grade:
    """The same of an answer whose parts have commas between them."""
    return grade_token_f1(given, token_f1_of_parts)


def grade_as_asked(response: str, expected: Expected) -> Grade | None:
    """Grade by ``exact`` or else ``regex``; None where the key has neither."""
    if expected.exact:
        right, what = is_one_of(response, expected.answers, itself), "is the right answer itself"
        if not right and is_one_of(response, expected.answers, nearly):
            return not_graded("it is the right answer but for signs or accents")
    elif expected.regex is not None:
        right, what = matches(expected.regex, response), f"matches {expected.regex!r}"
    else:
        return None
    if right:
        return Grade("CORRECT", f"It {what}.")
    return Grade(wrong_of(response), "It is not as the key asks.")


def is_one_of(response: str, answers: tuple[str, ...], form: Callable[[str], tuple[str, ...]]) -> bool:
    """Whether a response is one of the answers in a form; an exclamation mark at its end may be prose."""
    # Punctuation and blanks may stand around each sign, but a response of another length is no copy.
    near = [answer for answer in answers if len(response.strip()) <= 4 * len(answer) + 100]
    return any(form(answer) in (form(response), form(response.strip().rstrip("!"))) for answer in near)


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern is found somewhere in a text, without the blanks around it.

    The engine is that of polars, whose time grows with the text and not faster: ``(a+)+$`` takes no more than
    ``a+$``. It has neither lookaround nor backreferences, which is what allows the bound.
    """
    import polars as pl

    # What is no text, such as half of a pair of surrogates, matches as a question mark.
    plain = text.strip().encode("utf-8", "replace").decode("utf-8")
    try:
        return bool(pl.Series([plain], dtype=pl.String).str.contains(pattern)[0])
    except pl.exceptions.ComputeError as error:
        why = [line.removeprefix("error: ") for line in str(error).splitlines() if line.startswith("error: ")]
        raise ValueError(
            "is no regular expression that can be matched in bounded time: "
            f"{why[0] if why else str(error).splitlines()[-1]}"
        ) from None


_IRREGULAR = {
    **{"skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news"},
    **{"innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing", "howe": "howe"},
    **{"cannings": "canning", "canning": "canning"},
    **{"proceed": "proceed", "exceed": "exceed", "succeed": "succeed"},
}
# Endings and what they become; the first that a word has decides.
_SECOND = (
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous "
    "ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive "
    "biliti:ble fulli:ful"
)
_THIRD = "icate:ic ative: alize:al iciti:ic ical:ic ful: ness:"
_FOURTH = (
    "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: sion:s tion:t ion:ion ou: ism: ate: iti: "
    "ous: ive: ize:"
)


def _kinds(word: str) -> str:
    """``c`` for a consonant, ``v`` for a vowel; ``y`` is a consonant first and after a vowel."""
    kinds = ""
    for letter in word:
        kinds += "v" if letter in "aeiou" or (letter == "y" and kinds.endswith("c")) else "c"
    return kinds


def _measure(stem: str) -> int:
    """How often a vowel is followed by a consonant: Porter's m."""
    return _kinds(stem).count("vc")


def _ends_cvc(word: str) -> bool:
    """Consonant, vowel, consonant other than w, x and y; or the last two of them alone."""
    kinds = _kinds(word)
    return kinds == "vc" or (kinds.endswith("cvc") and word[-1] not in "wxy")


def _replaced(word: str, endings: str, least: int) -> str:
    """Replace the first ending that the word has, if the rest measures more than ``least``."""
    for pair in endings.split():
        ending, _, new = pair.partition(":")
        if word.endswith(ending):
            # Of "adoption" the t is measured too.
            kept = word.removesuffix(ending) + (new if len(new) == 1 and ending.endswith("ion") else "")
            return word.removesuffix(ending) + new if _measure(kept) > least else word
    return word


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and "v" in _kinds(stem):
            return _mended(stem)
    return word


def _mended(stem: str) -> str:
    """What is left of a past or a participle as a word again."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and _kinds(stem)[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem


def _y(word: str) -> str:
    stem = word[:-1]
    return stem + "i" if word.endswith("y") and len(stem) > 1 and _kinds(stem)[-1] == "c" else word


def _second(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _second(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, _SECOND, 0)


def _end(word: str) -> str:
    stem = word.removesuffix("e")
    if stem != word and (_measure(stem) > 1 or (_measure(stem) == 1 and not _ends_cvc(stem))):
        word = stem
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


@lru_cache(maxsize=1 << 16)
def stem_of(word: str) -> str:
    """The stem of a word in lower case; a word of one or two letters is its own."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _second(_y(_past(_plural(word))))
    return _end(_replaced(_replaced(word, _THIRD, 0), _FOURTH, 1))
