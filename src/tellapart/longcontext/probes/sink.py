"""Probes whether a rule of the system prompt is still followed: a word that must not be used."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes.kind import ProbeKind
from tellapart.longcontext.probes.needs import Needs

BANNED = "excellent"
"""The word that the documented experiment forbids, for a probe whose author names none."""

_SUBSTITUTE = "notable"
_QUOTES = "\"'“”‘’«»`"


class _Sink(ProbeKind):
    name = "sink"
    precedence = 10
    failure_mode = "attention sink"
    one_answer = False
    of_system = True

    def is_given(self, expected: Expected, failure_mode: str) -> bool:
        return bool(expected.banned)

    def can_grade(self, expected: Expected | None) -> bool:
        return True

    def needs_judge(self, expected: Expected) -> bool:
        return False

    def needs(self, question: str, expected: Expected) -> Needs:
        return Needs((), "system", banned_of(expected))

    def banned(self, expected: Expected | None) -> str:
        return banned_of(expected)

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        return grade_sink(response, banned_of(expected))


KIND = _Sink()


def banned_of(expected: Expected | None) -> str:
    """The word that a probe for a banned word looks for: its author's, else the documented one."""
    return (expected.banned if expected is not None else None) or BANNED


def grade_sink(response: str, banned: str = BANNED) -> Grade:
    """FAIL where the banned word is anywhere in the response, in any case, as part of a word too; else PASS.

    Notes say where a person might decide otherwise: the word quoted or denied, only a word derived from it,
    or the wanted substitute not used either.

    Source:
        The document's first special case: a string search.
    """
    text, word = response.lower(), banned.lower()
    at = text.find(word) if word else -1
    if at < 0:
        note = f"Uses neither {banned!r} nor {_SUBSTITUTE!r}." if _SUBSTITUTE not in text else None
        if word != BANNED:
            note = None
        return Grade("PASS", f"The word {banned!r} is avoided.", note=note)
    used = response[at : at + len(banned)]
    return Grade("FAIL", f"The word {banned!r} is used.", used, note=_sink_note(text, word))


def _sink_note(text: str, word: str) -> str | None:
    kinds = []
    for match in re.finditer(re.escape(word), text):
        before, after = text[max(0, match.start() - 60) : match.start()], text[match.end() : match.end() + 1]
        if after.isalpha() or before[-1:].isalpha():
            kinds.append("part of a longer word")
        elif before[-1:] in _QUOTES and before and after in _QUOTES and after:
            kinds.append("quoted")
        elif re.search(r"\b(?:not|never|none|cannot|avoid\w*|without|no)\b[^.!?]*$|n['’]t\b[^.!?]*$", before):
            kinds.append("negated")
        else:
            return None
        if len(kinds) > 20:
            return None
    how = " and ".join(dict.fromkeys(kinds))
    return f"The word is only {how}; a plain text search, as in the original method, counts it."
