"""Grades that need no model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tellapart.longcontext.case import BANNED, Expected
from tellapart.longcontext.grading.by_facts import grade_facts
from tellapart.longcontext.grading.claims import readable
from tellapart.longcontext.grading.enumeration import grade_enumeration
from tellapart.longcontext.grading.grades import Grade
from tellapart.longcontext.grading.recency import grade_recency
from tellapart.longcontext.played import PlayedStep
from tellapart.longcontext.probes import banned_of, has_answer, rule_of

_SUBSTITUTE = "notable"
_QUOTES = "\"'“”‘’«»`"


def grade_by_rules(step: PlayedStep, expected: Expected | None, material: Sequence[str]) -> Grade:
    """Grade one probe without a model.

    Args:
        step: The probe with its response.
        expected: What is known of the right answer; None gives EVAL_ERROR, as does a key without an answer.
        material: The texts of the user messages that the conversation held before it.

    Source:
        The document's categories and special cases, in its order; the modules beside this one say how each
        is decided by rule.
    """
    early = grade_without_judge(step, expected, material)
    if early is not None:
        return early
    if expected is None or step.response is None:
        return _without_answer()
    response = readable(step.response)
    if rule_of(step.id, step.failure_mode, expected) == "recency":
        return grade_recency(step.user_message, response, expected, material)
    return grade_facts(step.user_message, response, expected, material)


def grade_without_judge(step: PlayedStep, expected: Expected | None, material: Sequence[str]) -> Grade | None:
    """Grade what never needs a judge: no response, a banned word, an enumeration, no right answer.

    Returns:
        None where a judge is to be asked.
    """
    if step.response is None:
        cause = missing_of(step)
        said = f" ({step.error_message})" if step.error_message else ""
        return Grade("ERROR", f"There is no response{said}.", missing=cause)
    rule = rule_of(step.id, step.failure_mode, expected)
    if rule == "sink":
        return grade_sink(step.response, banned_of(expected))
    if expected is None or not has_answer(step.id, step.failure_mode, expected):
        return _without_answer()
    if rule == "enumeration" and expected.entries:
        return grade_enumeration(step.response, expected.entries)
    return None


def missing_of(step: PlayedStep) -> str:
    """Why there is no response, in the words of a score table: the record's own cause, else by the status."""
    if step.cause:
        return step.cause
    said = (step.error_message or "").lower()
    if re.search(r"content[ _]?(?:filter|policy)|moderation|safety|refus", said):
        return "refusal"
    return "timeout" if step.http_status in (408, 504, 524) or "timed out" in said else "provider"


def grade_sink(response: str, banned: str = BANNED) -> Grade:
    """FAIL where the banned word is anywhere in the response, in any case, as part of a word too; else PASS.

    Notes tell where a person might decide otherwise: the word quoted or denied, only a word derived from it,
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
    return f"The word is only {' and '.join(dict.fromkeys(kinds))}; the document's search counts it."


def _without_answer() -> Grade:
    return Grade("EVAL_ERROR", "Nobody says what the right answer is.", missing="infeasible")
