"""Probes for a preference for what came last: which entries a response cites, early or recent ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes.evidence import can_be_sought, locations
from tellapart.longcontext.probes.kind import JudgePrompt, ProbeKind, answer_of, lists_entries
from tellapart.longcontext.probes.needs import Needs, Part, parts_of_answer
from tellapart.longcontext.probes.passages import Passage, authors_in, called, passages_of
from tellapart.longcontext.rules.matcher import without_question
from tellapart.longcontext.rules.refusals import LONGEST, refuses
from tellapart.longcontext.values import states, values_in
from tellapart.longcontext.values.entries import references

RECENT_SHARE = 0.2
"""Of the entries that were shown, these many at the end are recent where the key does not say which are."""

_OVER = re.compile(r"\b(?:over|rather than|instead of|than)\b", re.I)


class _Recency(ProbeKind):
    name = "recency"
    precedence = 20
    failure_mode = "recency"
    one_answer = False
    judge = JudgePrompt(
        "recency",
        ("RECENCY_BIAS_DETECTED", "NO_BIAS"),
        lambda expected: {"early": expected.early, "late": expected.late},
    )

    def is_given(self, expected: Expected, failure_mode: str) -> bool:
        given = expected.early or expected.late
        return bool(given) and not lists_entries(expected) and not (answer_of(expected) and failure_mode)

    def can_grade(self, expected: Expected | None) -> bool:
        """The question is which entries are cited, so no answer is needed."""
        return expected is not None

    def decidable(self, question: str, expected: Expected) -> bool:
        """Code looks which entries are cited."""
        return True

    def needs(self, question: str, expected: Expected) -> Needs:
        """Either side will do."""
        sides = (text for text in (expected.early, expected.late) if text)
        return Needs(tuple(part for text in sides for part in parts_of_answer("", text)), "any")

    def never_shown(self, expected: Expected, material: Sequence[str]) -> tuple[Part, ...]:
        """The early side: without it an answer can only be about recent entries."""
        early, late = sides_of(expected)
        shown = _numbers_shown(passages_of(material))
        parts = _parts(expected.early or ", ".join(called(early, passages_of(material))))
        if not parts:
            # A key that names no early entry leaves all that are not recent.
            others = [number for number in shown if number not in (late or recent_of(shown))]
            return (Part("an entry before the recent ones"),) if shown and not others else ()
        if early & set(shown) or locations(material, Needs(parts))[0]:
            return ()
        can_be_told = not material or shown or any(can_be_sought(material, part) for part in parts)
        return parts if can_be_told else ()

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        return grade_recency(question, response, expected, material)


KIND = _Recency()


def sides_of(expected: Expected) -> tuple[frozenset[int], frozenset[int]]:
    """The numbers of early and of recent entries, by the key: its early and late data, else its test.

    ``cites Studies 18-19 over Study 3`` names the recent ones first. Empty where the key has none.
    """
    early = frozenset(n for n, _ in references(expected.early or ""))
    late = frozenset(n for n, _ in references(expected.late or ""))
    if not early and not late and (over := _OVER.search(expected.test or "")):
        test = expected.test or ""
        late = frozenset(n for n, _ in references(test[: over.start()]))
        early = frozenset(n for n, _ in references(test[over.end() :])) - late
    return early, late


def recent_of(shown: Sequence[int]) -> frozenset[int]:
    """The recent entries by their place: the last fifth of those that were shown, rounded up."""
    return frozenset(shown[len(shown) - ceil(RECENT_SHARE * len(shown)) :])


def _numbers_shown(passages: Sequence[Passage]) -> list[int]:
    """The numbers of entries, each once, in the order in which they were first shown."""
    return list(dict.fromkeys(passage.number for passage in passages if passage.number is not None))


def _parts(early: str) -> tuple[Part, ...]:
    return parts_of_answer("", early) if early else ()


def grade_recency(question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
    """Grade by the entries that a response cites, by number, by author or by their figures.

    Which entries are recent the key says; where it names none, those at the end of what was shown are, see
    ``recent_of``, but for those that it calls early. Where nothing says it, there is no score.

    Only recent ones: RECENCY_BIAS_DETECTED. Any other beside or instead of them: NO_BIAS, as a bias is to
    pass over what came before. None at all: REFUSED where it does not know, else NO_BIAS with a note.
    """
    early, late = sides_of(expected)
    passages = passages_of(material)
    late = late or recent_of(_numbers_shown(passages)) - early
    if not late:
        reason = (
            "Which entries are recent is not known: the key names none, and none was shown with a number."
        )
        return Grade("EVAL_ERROR", reason, missing="infeasible")
    text = without_question(response[:LONGEST], question)
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
            if set(before) & early or recent or not early
            else "Cites neither the early nor the recent entries of the key."
        )
        return Grade("NO_BIAS", what, ", ".join(called(before, passages)), note=note)
    if refuses(response) or not response.strip():
        return Grade("REFUSED", "It says that it does not know.")
    return Grade("NO_BIAS", "It cites no entry.", note="No entry could be recognised in the response.")


def _cited(text: str, question: str, expected: Expected, passages: Sequence[Passage]) -> set[int]:
    numbers = {n for n, _ in references(text)}
    by_author = {
        passage.author: passage.number
        for passage in passages
        if passage.author and passage.number is not None
    }
    numbers |= {by_author[name] for _, name in authors_in(text, tuple(by_author))}
    return numbers or _by_figures(text, question, expected, passages)


def _by_figures(text: str, question: str, expected: Expected, passages: Sequence[Passage]) -> set[int]:
    """The entries that hold the most of the figures of a text, the earliest on a tie."""
    given = {value.normal for value in values_in(question)}
    figures = [value for value in values_in(text) if value.normal not in given and not value.is_small_word]
    held = {
        passage.number: sum(states(passage.body, figure) for figure in figures)
        for passage in passages
        if passage.number is not None
    }
    for side in (expected.late, expected.early):
        values = {value.normal for value in values_in(side or "")}
        for n, _ in references(side or "")[:1]:
            held[n] = max(held.get(n, 0), sum(figure.normal in values for figure in figures))
    most = max(held.values(), default=0)
    return {min(n for n, count in held.items() if count == most)} if most else set()
