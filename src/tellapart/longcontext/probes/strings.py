"""Grades by strings: exact ones, patterns, a set of strings, and a whole text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Answered, Category, Grade
from tellapart.longcontext.rules.polarity import refuses
from tellapart.longcontext.values.text import itself

_BETWEEN = re.compile(r";|,(?=\s)")


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


_SMALL_WORDS = re.compile(r"\b(?:a|an|the|and)\b")


def grade_token_f1(given: Answered) -> Grade:
    """Grade by the best F1 of words over all right answers, without case, articles and punctuation.

    Source:
        Rajpurkar et al. 2016, "SQuAD: 100,000+ Questions for Machine Comprehension of Text", section 6.1.
    """
    score = max(_f1(given.response, answer) for answer in given.key.answers)
    return _measured(score, f"Its words are those of the answer with an F1 of {score:.2f}.", given.response)


def _f1(response: str, answer: str) -> float:
    said, right = (
        Counter(re.findall(r"\w+", _SMALL_WORDS.sub(" ", text.lower()))) for text in (response, answer)
    )
    return 2 * (said & right).total() / max(1, said.total() + right.total())


def grade_as_asked(response: str, expected: Expected) -> Grade | None:
    """Grade by ``exact`` or else ``regex``; None where the key has neither."""
    if expected.exact:
        right, what = is_one_of(response, expected.answers), "is the right answer itself"
    elif expected.regex is not None:
        right, what = matches(expected.regex, response), f"matches {expected.regex!r}"
    else:
        return None
    if right:
        return Grade("CORRECT", f"It {what}.")
    return Grade(wrong_of(response), "It is not as the key asks.")


def is_one_of(response: str, answers: tuple[str, ...]) -> bool:
    """Whether a response is one of the answers, but for case, blanks and punctuation."""
    # Punctuation and blanks may stand around each sign, but a response of another length is no copy.
    near = [answer for answer in answers if len(response.strip()) <= 4 * len(answer) + 100]
    return bool(near) and itself(response) in {itself(answer) for answer in near}


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
