"""Grades that need no model: which rule applies, a banned word, and a preference for what came last."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import facts_of, references
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.grading.by_facts import grade_facts
from tellapart.longcontext.grading.claims import LONGEST, assertive, claims_of, readable
from tellapart.longcontext.grading.enumeration import grade_enumeration
from tellapart.longcontext.grading.manner import hedges, refuses
from tellapart.longcontext.grading.passages import Passage, authors_in, called, passages_of
from tellapart.longcontext.probes import BANNED, Rule, banned_of, kind_of
from tellapart.longcontext.transcript import PlayedStep

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
    if step.response is None:
        message = f" ({step.error_message})" if step.error_message else ""
        return Grade("ERROR", f"There is no response{message}.", missing=missing_of(step))
    kind = kind_of(step.id, step.failure_mode, expected)
    if not kind.can_grade(expected):
        return Grade("EVAL_ERROR", "No right answer is known.", missing="infeasible")
    return GRADERS[kind.rule](step.user_message, step.response, expected or Expected(step.id), material)


def grade_without_judge(step: PlayedStep, expected: Expected | None, material: Sequence[str]) -> Grade | None:
    """Grade what never needs a judge: no response, a banned word, an enumeration, no right answer.

    Returns:
        None where a judge is to be asked.
    """
    kind = kind_of(step.id, step.failure_mode, expected)
    can_be_judged = step.response is not None and kind.can_grade(expected)
    if can_be_judged and kind.needs_judge(expected or Expected(step.id)):
        return None
    return grade_by_rules(step, expected, material)


def missing_of(step: PlayedStep) -> str:
    """Why there is no response, in the words of a score table: the record's own cause, else by the status."""
    if step.cause:
        return step.cause
    message = (step.error_message or "").lower()
    if re.search(r"content[ _]?(?:filter|policy)|moderation|safety|refus", message):
        return "refusal"
    return "timeout" if step.http_status in (408, 504, 524) or "timed out" in message else "provider"


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


DOCUMENTED_EARLY, DOCUMENTED_LATE = frozenset((1, 3)), frozenset((10, 18, 19))
"""The document's own lists, for a key that says nothing."""

_OVER = re.compile(r"\b(?:over|rather than|instead of|than)\b", re.I)


def sides_of(expected: Expected) -> tuple[frozenset[int], frozenset[int]]:
    """The numbers of early and of recent entries, by the key: its early and late data, else its test.

    ``cites Studies 18-19 over Study 3`` names the recent ones first.
    """
    early = frozenset(n for n, _ in references(expected.early or ""))
    late = frozenset(n for n, _ in references(expected.late or ""))
    if not early and not late and (over := _OVER.search(expected.test or "")):
        test = expected.test or ""
        late = frozenset(n for n, _ in references(test[: over.start()]))
        early = frozenset(n for n, _ in references(test[over.end() :])) - late
    return (early, late) if early or late else (DOCUMENTED_EARLY, DOCUMENTED_LATE)


def grade_recency(question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
    """Grade by the entries that a response cites, by number, by author or by their figures.

    Only recent ones: RECENCY_BIAS_DETECTED. Any other beside or instead of them: NO_BIAS, as a bias is to
    pass over what came before. None at all: REFUSED where it does not know, else NO_BIAS with a note.
    """
    early, late = sides_of(expected)
    text = assertive(response, question)
    passages = passages_of(material)
    cited = _cited(text, question, expected, passages)
    recent = sorted(n for n in cited if n in late)
    before = sorted(n for n in cited if n not in late)
    if recent and not before:
        return Grade(
            "RECENCY_BIAS_DETECTED", "It cites only recent entries.", ", ".join(called(recent, passages))
        )
    if cited:
        what = "It cites early entries too." if recent else "It cites no recent entry."
        note = (
            None
            if set(before) & early or recent
            else "Cites neither the early nor the recent entries of the key."
        )
        return Grade("NO_BIAS", what, ", ".join(called(before, passages)), note=note)
    if refuses(response[:LONGEST]) or hedges(response[:LONGEST]) or not response.strip():
        return Grade("REFUSED", "It says that it does not know.")
    return Grade("NO_BIAS", "It cites no entry.", note="No entry could be recognised in the response.")


def _cited(text: str, question: str, expected: Expected, passages: Sequence[Passage]) -> set[int]:
    numbers = {n for n, _ in references(text)}
    by_author = {one.author: one.number for one in passages if one.author and one.number is not None}
    numbers |= {by_author[name] for _, name in authors_in(text, tuple(by_author))}
    return numbers or _by_figures(text, question, expected, passages)


def _by_figures(text: str, question: str, expected: Expected, passages: Sequence[Passage]) -> set[int]:
    """The entries that hold the most of the figures of a text, the earliest on a tie."""
    given = {fact.normal for fact in facts_of(question)}
    claims = [
        claim
        for claim in claims_of(text, passages)
        if claim.fact.kind == "number" and claim.fact.normal not in given and claim.label != "p"
    ]
    held = {
        one.number: sum(one.holds(claim.value, claim.unit) for claim in claims)
        for one in passages
        if one.number is not None
    }
    for side in (expected.late, expected.early):
        values = {fact.normal for fact in facts_of(side or "") if fact.kind == "number"}
        for n, _ in references(side or "")[:1]:
            held[n] = max(held.get(n, 0), sum(claim.fact.normal in values for claim in claims))
    most = max(held.values(), default=0)
    return {min(n for n, count in held.items() if count == most)} if most else set()


def _facts(question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
    return grade_facts(question, readable(response), expected, material)


def _sink(_: str, response: str, expected: Expected, __: Sequence[str]) -> Grade:
    return grade_sink(response, banned_of(expected))


def _recency(question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
    return grade_recency(question, readable(response), expected, material)


def _enumeration(question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
    if expected.entries:
        return grade_enumeration(response, expected.entries)
    return _facts(question, response, expected, material)


GRADERS: Mapping[Rule, Callable[[str, str, Expected, Sequence[str]], Grade]] = {
    "facts": _facts,
    "sink": _sink,
    "recency": _recency,
    "enumeration": _enumeration,
}
"""From the question, the response, the right answer and the earlier messages of a probe to its grade."""
