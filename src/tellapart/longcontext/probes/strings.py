"""Grades by strings: a set of them, one as it is written, a whole text, and the words that are shared."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher
from statistics import fmean

from tellapart.longcontext.grades import Answered, Category, Grade
from tellapart.longcontext.probes.stems import stem_of
from tellapart.longcontext.rules.refusals import refuses

_BETWEEN = re.compile(r";|,(?=\s)")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SMALL_WORDS = re.compile(r"\b(?:a|an|the|and)\b")


def wrong_of(response: str) -> Category:
    """REFUSED where a response says nothing or that it does not know, else HALLUCINATED."""
    return "REFUSED" if refuses(response) or not response.strip() else "HALLUCINATED"


def strings_of(answer: str | None) -> tuple[str, ...]:
    """The strings of an answer such as ``84; 1,912; Drova``, each once.

    They are separated by semicolons, or by commas that a space follows; the comma of ``1,912`` is part of it.
    """
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
    category: Category = "REFUSED" if refuses(given.response) else "HALLUCINATED"
    return Grade(category, "It contains none of the right answers.")


def _measured(score: float, reason: str, response: str) -> Grade:
    """A grade whose score is measured: CORRECT at 1, PARTIAL above 0."""
    wrong: Category = "REFUSED" if refuses(response) else "HALLUCINATED"
    return Grade("CORRECT" if score == 1 else "PARTIAL" if score > 0 else wrong, reason, score=score)


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
    """The harmonic mean of precision and recall of stems, with how often each occurs, in [0, 1].

    0 where no stem is shared, so also where one of them has no words.
    """
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
