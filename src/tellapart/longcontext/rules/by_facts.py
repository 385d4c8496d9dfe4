"""A response against what is asked for of the right answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts.kind import plain_words
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.rules.answer_spec import AnswerSpec, answer_spec
from tellapart.longcontext.rules.author_rules import best_of, grade_as_asked, is_one_of
from tellapart.longcontext.rules.by_words import denial_in, grade_denial, shared_words
from tellapart.longcontext.rules.claims import LONGEST, assertive, claims_of, is_cut, readable, targets_of
from tellapart.longcontext.rules.exchanged import is_crossed
from tellapart.longcontext.rules.manner import hedges, refuses
from tellapart.longcontext.rules.named_entries import named_entries
from tellapart.longcontext.rules.numbers_off import with_unit
from tellapart.longcontext.rules.passages import Passage, passages_of
from tellapart.longcontext.rules.stated_facts import given_details, tally_of
from tellapart.longcontext.rules.stated_words import other_words, with_words
from tellapart.longcontext.rules.verdict import cannot_tell, crossed, verdict


def grade_answer(question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
    """Grade as the key says, else by facts; of several right answers by the one that fits best."""
    graded = grade_as_asked(question, response, expected)
    if graded is not None:
        return graded
    if is_one_of(response, expected.answers):
        return Grade("CORRECT", "It is the right answer itself.", coverage=1.0)
    text, expected = readable(response), replace(expected, answer=_lined(expected.answer))
    answers = [with_unit(answer, expected.unit) for answer in expected.answers]
    grade = best_of(
        answers, lambda answer: grade_facts(question, text, replace(expected, answer=answer), material)
    )
    if is_cut(response) and (grade.category == "CORRECT" or _comes_later(question, response, expected)):
        return cannot_tell(f"only its first {LONGEST:,} characters are read")
    return grade


def _comes_later(question: str, response: str, expected: Expected) -> bool:
    """Whether behind what is read of a response there are the words of something that is asked for."""
    words = set(re.findall(r"[a-z0-9]+", response[LONGEST:].lower()))
    specs = [answer_spec(question, replace(expected, answer=answer)) for answer in expected.answers]
    parts = [
        text
        for spec in specs
        for text in (*(d.fact.text for d in spec.details), *(t.text for t in spec.terms))
    ]
    return any(set(plain_words(part)) <= words for part in parts)


def grade_facts(question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
    """Grade a response by what it states of what the question asks for.

    All stated: CORRECT, or PARTIAL where something beside them is wrong. Some, or only roughly: PARTIAL, or
    CONFUSED where what stands in the place of the rest belongs to another entry. None: CONFUSED where what is
    given instead belongs to another entry, HALLUCINATED where it belongs nowhere, PARTIAL where it belongs to
    the entry in question, REFUSED where nothing is given. EVAL_ERROR where the answer says something that is
    asked for and that rules cannot see, or the response may say it in other words: never CORRECT on trust.
    """
    spec = spec_among(question, expected, material)
    return replace(
        _graded(question, response, expected, material, spec), coverage=spec.coverage, unasked=spec.unasked
    )


def _lined(answer: str | None) -> str | None:
    """With line ends as responses have them."""
    return answer and re.sub(r"\r\n?|[\x85\u2028\u2029]", "\n", answer)


def spec_among(question: str, expected: Expected, material: Sequence[str]) -> AnswerSpec:
    """What a response has to say; of a denial, that there is none, which rules see in whatever words."""
    spec = answer_spec(question, expected)
    if not _is_denial(expected, passages_of(material), spec):
        return spec
    return replace(spec, coverage=1.0, hidden=())


def _is_denial(expected: Expected, passages: Sequence[Passage], spec: AnswerSpec) -> bool:
    """Whether the right answer only says that something was never told or, of an entry, that it is not so."""
    denial = denial_in(expected.answer or "")
    numbered = any(passage.number is not None for passage in passages)
    return spec.polarity is None and (denial == "unsaid" or (denial is not None and numbered))


def _graded(
    question: str, response: str, expected: Expected, material: Sequence[str], spec: AnswerSpec
) -> Grade:
    passages = passages_of(material)
    targets = targets_of(question, expected, passages)
    answer = expected.answer or ""
    if _is_denial(expected, passages, spec):
        return grade_denial(question, response, expected, targets, passages)
    text = assertive(response, question)
    claims = claims_of(text, passages, response)
    refused = refuses(response) or hedges(response) or not response.strip()
    if spec.coverage < 1:
        nothing = not given_details(answer, text, spec, claims, targets)[0] and not shared_words(
            question, text, expected
        )
        if refused and nothing:
            return Grade("REFUSED", "It says that it does not know.")
        return cannot_tell(f"{', '.join(spec.hidden) or 'the answer'} can be said in other words")
    named = named_entries(text, spec, targets, passages)
    tally = tally_of(question, text, expected, spec, claims, named, targets, passages)
    tally = with_words(tally, spec, question, response, text, expected, material)
    if tally.right and not tally.exchanged and is_crossed(answer, text):
        return crossed(tally)
    return verdict(tally, refused=refused, unread=bool(claims or other_words(question, response, expected)))
