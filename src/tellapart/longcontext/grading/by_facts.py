"""A response against the facts of the right answer."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts.facts import facts_of
from tellapart.longcontext.grading.asked import Asked, Detail, asked
from tellapart.longcontext.grading.by_words import grade_words, shared_words
from tellapart.longcontext.grading.claims import Claim, assertive, claims_of
from tellapart.longcontext.grading.denials import denial_in, grade_denial
from tellapart.longcontext.grading.entry_names import NamedEntries, named_entries
from tellapart.longcontext.grading.grades import Grade
from tellapart.longcontext.grading.manner import hedges, refuses
from tellapart.longcontext.grading.matching import extra, matched, misplaced, near, replaces
from tellapart.longcontext.grading.passages import Passage, called, passages_of
from tellapart.longcontext.grading.targets import origin_of, targets_of
from tellapart.longcontext.grading.verdicts import FLOOD, Tally, verdict


def grade_facts(question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
    """Grade a response by what it states of the facts that the question asks for.

    All stated: CORRECT, or PARTIAL where something beside them is wrong. Some, or only roughly: PARTIAL, or
    CONFUSED where what stands in the place of the rest belongs to another entry. None: CONFUSED where what is
    given instead belongs to another entry, HALLUCINATED where it belongs nowhere, PARTIAL where it belongs to
    the entry in question, REFUSED where nothing is given.
    """
    passages = passages_of(material)
    targets = targets_of(question, expected, passages)
    if denial_in(expected.answer or ""):
        return grade_denial(question, response, expected, targets, passages)
    wanted = asked(question, expected)
    text = assertive(response, question)
    if not wanted.details and not wanted.entries:
        return grade_words(question, response, text, expected)
    claims = claims_of(text, passages, response)
    named = named_entries(text, wanted, targets, passages)
    tally = _tally(question, text, expected, wanted, claims, named, targets, passages)
    refused = refuses(response) or hedges(response)
    return verdict(tally, refused=refused, hinted=bool(shared_words(question, text, expected)))


def _given(
    text: str, expected: Expected, wanted: Asked, claims: Sequence[Claim], targets: Sequence[Passage]
) -> tuple[list[str], list[str], list[Detail], set[int]]:
    """The details that are stated, given roughly and not given; and where the rough ones stand."""
    right, roughly, absent, rough = [], [], [], set()
    for detail in wanted.details:
        about = near(detail, claims, text)
        stated = matched(detail, claims, targets, text)
        if stated and not misplaced(detail, wanted, expected.answer or "", text):
            right.append(detail.fact.text)
        elif about is not None:
            roughly.append(detail.fact.text)
            rough.add(about.start)
        else:
            absent.append(detail)
    return right, roughly, absent, rough


def _tally(
    question: str,
    text: str,
    expected: Expected,
    wanted: Asked,
    claims: Sequence[Claim],
    named: NamedEntries,
    targets: Sequence[Passage],
    passages: Sequence[Passage],
) -> Tally:
    given = {fact.normal for fact in facts_of(question)}
    claims = [one for one in claims if one.fact.normal not in given]
    right, roughly, absent, rough = _given(text, expected, wanted, claims, targets)
    others = [
        (claim, *origin_of(claim, wanted.known, targets, passages))
        for claim in claims
        if claim.start not in rough
        and (any(replaces(claim, detail) for detail in absent) if absent or roughly else extra(claim))
    ]
    others = [one for one in others if one[1] in ("own", "foreign", "invented")]
    if len(wanted.details) == 1 and absent:
        others = others[:1] if len(others) <= FLOOD else others
    names = [one.fact.text for one in absent]
    count = len(wanted.details)
    if wanted.entries and (absent or not wanted.people):
        count += 1
        (right if named.right else names).append(" and ".join(called(wanted.entries, passages)))
    return Tally(
        count,
        tuple(right),
        tuple(roughly),
        tuple(names),
        [(claim, other) for claim, origin, other in others if origin == "foreign" and other],
        [claim for claim, origin, _ in others if origin == "invented"],
        [claim for claim, origin, _ in others if origin == "own"],
        named.wrong,
        named.mixed,
    )
