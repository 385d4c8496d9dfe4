"""Probes for something that was said and later corrected: what was said last is right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes.kind import JudgePrompt, ProbeKind, answer_of
from tellapart.longcontext.probes.match import strings_of
from tellapart.longcontext.rules.refusals import refuses

_REACH = 60
"""Characters beside a value in which words say that it no longer holds."""

# Before a value: "not 412", "it was 412", "up from 412"; after it: "412 at first", "412 was the old price".
_PAST_BEFORE = re.compile(
    r"(?:\b(?:not|no longer|rather than|instead of|was|were|been|used to be|from|original(?:ly)?|"
    r"previous(?:ly)?|former(?:ly)?|earlier|initial(?:ly)?|first|old|replac\w+|supersed\w+)\b|n['’]t\b)"
    r"[^.;\n]*$",
    re.I,
)
_PAST_AFTER = re.compile(
    r"[\s,)*_]*(?:(?:was|were|is|being)\s+)?(?:the\s+|an?\s+)?"
    r"(?:old|earlier|originally|original|previously|previous|initially|initial|formerly|former|first|"
    r"at first|at the beginning|outdated|before|until|no longer)\b",
    re.I,
)
_CORRECTED = re.compile(
    r"\b(?:no|now|sorry|actually|correction|corrected|changed|updated|raised|lowered|moved|then|later|since|"
    r"replaced by|to)\b|→|->",
    re.I,
)


class _Updated(ProbeKind):
    name = "updated"
    precedence = 90
    failure_mode = "knowledge update"
    judge = JudgePrompt(
        "judge",
        ("CORRECT", "PARTIAL", "HALLUCINATED", "CONFUSED", "REFUSED"),
        lambda expected: {"expected": _with_old(expected)},
    )

    def decidable(self, question: str, expected: Expected) -> bool:
        """Words and strings are compared."""
        return True

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        return grade_updated(response, answer_of(expected), strings_of(expected.early or ""))


KIND = _Updated()


def _with_old(expected: Expected) -> str:
    new = answer_of(expected) or "(none)"
    return f"{new} (this corrects {expected.early}, which is CONFUSED)" if expected.early else new


@dataclass(frozen=True)
class _Mention:
    start: int
    end: int
    is_new: bool


def grade_updated(response: str, new: str, old: Sequence[str]) -> Grade:
    """Grade by which value a response states: the last one, or one that it replaced.

    The last one alone is CORRECT, an old one alone CONFUSED. Where both are named, the one that nothing says
    is over ("was", "from", "not", "at first") decides; if that is both or none, the later mention decides
    where a correction leads to it ("412, no, 538"), and else the response leaves it open: PARTIAL. Without
    either it is REFUSED where it says that it does not know or says nothing, else HALLUCINATED.
    """
    mentions = sorted(
        (
            _Mention(*match.span(), value == new)
            for value in dict.fromkeys((new, *old))
            for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", response, re.I)
        ),
        key=lambda mention: mention.start,
    )
    if not mentions:
        if refuses(response) or not response.strip():
            return Grade("REFUSED", "It says that it does not know.")
        return Grade("HALLUCINATED", "It states neither what was said last nor what was said before.", new)
    if len({mention.is_new for mention in mentions}) > 1:
        now = {mention.is_new for at, mention in enumerate(mentions) if not _is_past(response, mentions, at)}
        decided = next(iter(now)) if len(now) == 1 else _last_word(response, mentions)
    else:
        decided = mentions[0].is_new
    if decided is None:
        return Grade("PARTIAL", "It names what was said last and what was said before, and decides for none.")
    if decided:
        return Grade("CORRECT", "It states what was said last.", new)
    first = next(mention for mention in mentions if not mention.is_new)
    return Grade("CONFUSED", "It states what was corrected later.", response[first.start : first.end])


def _is_past(response: str, mentions: Sequence[_Mention], at: int) -> bool:
    mention = mentions[at]
    begin = max(mention.start - _REACH, mentions[at - 1].end if at else 0)
    end = mentions[at + 1].start if at + 1 < len(mentions) else len(response)
    after = response[mention.end : min(mention.end + _REACH, end)]
    before = response[begin : mention.start]
    return _PAST_BEFORE.search(before) is not None or _PAST_AFTER.match(after) is not None


def _last_word(response: str, mentions: Sequence[_Mention]) -> bool | None:
    """Which of two the response ends with, where a correction stands between them."""
    last, before = mentions[-1], mentions[-2]
    if last.is_new != before.is_new and _CORRECTED.search(response[before.end : last.start]):
        return last.is_new
    return None
