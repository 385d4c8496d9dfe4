"""The three lines in which a judge replies: SCORE, REASON and KEY_DETAIL.

Strict beats guessing, since one more attempt is asked for where a reply cannot be used. These are read, since
they cannot mean anything else: blank lines, wherever they stand; spaces around a line and after a colon;
Markdown's bold around a label, a value or a whole line; a category in small letters; a key detail that is
empty. All else has no score: prose before or after, a line too many or too few, another order, a label
written otherwise, a code fence, two categories, a category that there is not, a reason that is empty.

A reply whose line of the reason stands in the material is a quotation of it and no evaluation, whatever score
and detail it has, and whatever look-alike letters, marks and line ends the one or the other has.
"""

from __future__ import annotations

import re
import unicodedata

from pydantic import BaseModel, ConfigDict

from tellapart.llm.questions import Failure, Kind, TextForm
from tellapart.llm.quoting import visible

LABELS = ("SCORE", "REASON", "KEY_DETAIL")
"""What the lines begin with, in their order."""

_NAMED = re.compile(r"<U\+[0-9A-F]{4,6}[^<>\n]*>")
_CATEGORY = re.compile(r"[A-Za-z_]+")
_LOOK_ALIKES = str.maketrans(
    # Cyrillic, Greek and Armenian small letters that print as Latin ones.
    "аеорсухіјѕһԁԛԝвкмнтгαεορτυχικνηωѵսոօց",
    "aeopcyxijshdqwbkmhtraeoptyxiknnwvunog",
)


class Evaluated(BaseModel):
    """What a judge says of a response.

    Attributes:
        score: A category, in capitals; whether it is one that was offered is not known here.
        reason: One line, not empty.
        key_detail: One line, empty where there is nothing to name.
    """

    model_config = ConfigDict(extra="forbid")

    score: str
    reason: str
    key_detail: str


def read_three_lines(reply: str, material: str) -> Evaluated | Failure:
    """Read a reply.

    Args:
        reply: All of it.
        material: What the judge was shown, for telling an evaluation from a quotation.

    Returns:
        The value; or a failure with cause ``parse`` and kind ``schema``, or ``quoted``.
    """
    lines = [line.strip() for line in visible(reply).split("\n") if line.strip()]
    if len(lines) != len(LABELS):
        return _failure("schema", f"it has {len(lines)} {_lines(len(lines))} of text, expected exactly 3")
    values = []
    for number, (label, line) in enumerate(zip(LABELS, lines, strict=True), 1):
        value = _value(label, line)
        if value is None:
            return _failure("schema", f"its line {number} does not begin with '{label}: '")
        values.append(value)
    score, reason, detail = values
    if not _CATEGORY.fullmatch(score):
        return _failure("schema", "what follows 'SCORE: ' is not exactly one category")
    if not reason:
        return _failure("schema", "there is nothing after 'REASON: '")
    if _skeleton(f"REASON: {reason}") in _skeleton(material):
        return _failure("quoted", "it only repeats what stands in the material")
    return Evaluated(score=score.upper(), reason=reason, key_detail=detail)


THREE_LINES = TextForm(
    read_three_lines,
    "exactly the three lines that were asked for, 'SCORE: ', 'REASON: ' and 'KEY_DETAIL: ', in this order",
)
"""The form of a judge's reply."""


def _value(label: str, line: str) -> str | None:
    """What follows a label; None where the line does not begin with it."""
    match = re.fullmatch(rf"(?:\*\*)?{label}(?:\*\*)?:(?:\*\*)?(?: *(.*))?", line)
    if match is None:
        return None
    value = (match[1] or "").strip()
    if line.startswith("**") and line.endswith("**") and line.count("**") == 2:
        value = value.removesuffix("**")
    elif value.startswith("**") and value.endswith("**") and value.count("**") == 2 and len(value) > 4:
        value = value[2:-2]
    return value.strip()


def _skeleton(text: str) -> str:
    """Letters and digits alone, as a reader takes them who does not tell look-alikes apart."""
    seen = _NAMED.sub("", visible(text))
    plain = unicodedata.normalize("NFKD", seen).casefold().translate(_LOOK_ALIKES)
    return "".join(character for character in plain if character.isalnum())


def _lines(number: int) -> str:
    return "line" if number == 1 else "lines"


def _failure(kind: Kind, detail: str) -> Failure:
    return Failure("parse", kind, detail)
