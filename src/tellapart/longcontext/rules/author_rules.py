"""How the author of a key says that a response is right: exact, or by a pattern."""

from __future__ import annotations

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.rules.refusals import refuses
from tellapart.longcontext.values.text import itself


def grade_as_asked(response: str, expected: Expected) -> Grade | None:
    """Grade by ``exact`` or else ``regex``; None where the key has neither."""
    if expected.exact:
        right = is_one_of(response, expected.answers)
        return _graded(right, response, "It is the right answer itself.", "It is not the right answer.")
    if expected.regex is not None:
        right = matches(expected.regex, response)
        shown = repr(expected.regex)
        return _graded(right, response, f"It matches {shown}.", f"It does not match {shown}.")
    return None


def is_one_of(response: str, answers: tuple[str, ...]) -> bool:
    """Whether a response is one of the answers, but for case, blanks and punctuation."""
    # Punctuation and blanks may stand around each sign, but a response of another length is no copy.
    near = [answer for answer in answers if len(response.strip()) <= 4 * len(answer) + 100]
    return bool(near) and itself(response) in {itself(answer) for answer in near}


def _graded(right: bool, response: str, why: str, why_not: str) -> Grade:
    if right:
        return Grade("CORRECT", why)
    return Grade("REFUSED" if refuses(response) or not response.strip() else "HALLUCINATED", why_not)


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
