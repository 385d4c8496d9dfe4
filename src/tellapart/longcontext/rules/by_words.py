"""Right answers without facts: plain words, and denials (nothing was compared, nothing changed)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import facts_of
from tellapart.longcontext.facts.name import KIND as NAME
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.rules.answer_spec import details_of
from tellapart.longcontext.rules.claims import LONGEST, Claim, assertive, claims_of, holds, origin_of
from tellapart.longcontext.rules.manner import hedges, refuses, sentences_of
from tellapart.longcontext.rules.passages import Passage
from tellapart.longcontext.rules.verdict import cannot_tell
from tellapart.longcontext.rules.words import content_words, stems_of


def shared_words(question: str, text: str, expected: Expected) -> tuple[str, ...]:
    """Words of the right answer that the question does not have and the text has."""
    in_question, in_text = set(content_words(question)), set(content_words(text))
    return tuple(
        word for word in content_words(expected.answer or "") if word not in in_question and word in in_text
    )


_NONE = re.compile(r"\b(?:not|never|no|none|nothing|nowhere|neither|without)\b|n['’]t\b", re.I)
_COMES_UP = re.compile(r"\bc[oa]me\sup\b|\bon\srecord\b|\bcovered\b|\bdiscuss", re.I)

Denial = Literal["absent", "unchanged", "unsaid"]
"""Something was not done, did not change, or was never said."""

_SPOKEN = (
    r"(?:sa(?:y|id)|stat\w+|mention\w*|g[ia]ve\w*|provid\w*|t[eo]ll|told|specif\w+|show\w*|disclos\w+|reveal\w*|indicat\w+|shar\w+|"
    r"wr(?:ite|ote|itten)|c[oa]me\s(?:\w+\s)?up|br[io](?:ng|ught)\s(?:\w+\s)?up|talk\w*|discuss\w*|cover\w*|record\w*|note[ds]?|refer\w*)\b"
)
# In a right answer: that a thing was never told, and not that something is not given or covered.
_NEVER_TOLD = re.compile(
    r"(?:\b(?:not|never|nowhere|nothing)\b|n['’]t\b)\s+(?:[\w'’]+\s+){0,3}?(?:said|say|stated?|mention\w*|told|tell|specif\w+|disclos\w+|"
    r"reveal\w*|shared?|wr(?:ite|ote|itten)|c[oa]me\s(?:\w+\s)?up|br(?:ing|ought)\s(?:\w+\s)?up|discuss\w*|provided)\b|"
    r"\bno\b[^.;]{0,60}\b(?:was|were)\s(?:ever\s)?(?:given|mentioned|said|stated|shared|told|provided)\b|"
    r"\bno\s+(?:mention|information|record)\b|\b(?:unstated|unmentioned|unspecified)\b|^\W*(?:it\sis\s|that\sis\s)?(?:unknown|not\sknown)\b",
    re.I,
)
# Some words may stand between the negation and its verb: "not explicitly said", "not in what you told me".
_UNSAID = re.compile(
    rf"(?:\b(?:not|never|nowhere|nothing|cannot)\b|n['’]t\b)\s+(?:[\w'’]+\s+){{0,4}}?{_SPOKEN}|"
    r"\bno\s+(?:mention|information|statement|indication|record|note|word)\b|\bunstated\b|\bunmentioned\b|"
    rf"\b(?:no|none\sof|nothing)\s+(?:[\w'’]+\s+){{0,5}}?(?:{_SPOKEN}|c[oa]mes?\sup\b)",
    re.I,
)

_UNCHANGED = re.compile(
    r"\bunchanged\b|\bunaffected\b|\bno\s+(?:\w+\s+){0,3}(?:change|difference|effect|increase|decrease|impact)s?\b|"
    r"\b(?:not|n['’]t)\s+(?:\w+\s+){0,2}(?:significant(?:ly)?|change|differ|alter|affect)\b|\bnon-?significant\b|"
    r"\bneither\b[^.]{0,60}\bnor\b|\b(?:remained|stayed|was|were)\s+(?:\w+\s+)?(?:stable|constant|the\s+same)\b|"
    r"\binsignificant\b|\bdid\s+not\s+reach\s+significance\b",
    re.I,
)
_CHANGED = re.compile(
    r"\bsignificant(?:ly)?\s+(?:\w+\s+)?(?:increase|decrease|reduc|reduction|rise|rose|fell|"
    r"decline|suppress|longer|shorter|higher|lower)\w*|"
    r"\b(?:increased|decreased|reduced|rose|fell|declined|dropped)\s+(?:\w+\s+)?significantly\b",
    re.I,
)
_NEGATION = re.compile(
    r"\b(?:did|does|do|was|were|is|are|can|could)\s?n(?:o|['’])t\b|\bnot\b|\bno\b|\bnever\b|\bnone\b|\bneither\b|\bwithout\b|"
    r"\black(?:s|ed)?\b|\bonly\b|\babsence\s+of\b",
    re.I,
)
# A negation that compares ("did not differ") takes for granted what the right answer denies.
_COMPARED = re.compile(
    r"\b(?:no|not|n['’]t|non)[\s-]+(?:\w+\s+){0,3}?(?:differ\w*|inferior\w*|superior\w*|significan\w*|worse|better|more|less|"
    r"as\s+\w+\s+as|chang\w*)\b",
    re.I,
)
# Tells "I have no record of a comparison" from "there was no comparison".
_UNKNOWN = re.compile(
    r"\b(?:information|data|details?|access|record|recall|remember|know|knowledge|memory|context|available)\b|"
    r"\bI\s+(?:do\s+not|don['’]t|no\s+longer|never|have\s+no)\s*have\b|\bhave\s+no\b",
    re.I,
)


def denial_in(answer: str) -> Denial | None:
    """What a right answer denies, by its first sentence; None where that states a fact, or denies nothing."""
    spans = sentences_of(answer)
    if not spans:
        return None
    first = answer[spans[0][0] : spans[0][1]]
    if any(detail.fact.kind.is_value and not detail.bracketed for detail in details_of(first)):
        return None
    if _NEVER_TOLD.search(first):
        return "unsaid"
    if _UNCHANGED.search(first):
        return "unchanged"
    return "absent" if re.search(r"\b(?:not|never|no|none)\b|n['’]t\b", first, re.I) else None


def grade_denial(
    question: str, response: str, expected: Expected, targets: Sequence[Passage], passages: Sequence[Passage]
) -> Grade:
    """Grade a response where the right answer denies.

    Denied: CORRECT, or PARTIAL with a wrong detail beside it. Not denied: REFUSED where it only says that it
    does not know; CONFUSED where at least half of its details belong to other entries; HALLUCINATED where it
    makes details up or speaks of what is denied; else rules cannot tell.
    """
    text, answer = response[:LONGEST], expected.answer or ""
    if denial_in(answer) == "unsaid":
        return _grade_unsaid(question, text, passages)
    foreign, invented = _wrong(question, text, answer, targets, passages)
    if _denied(question, text, answer):
        wrong = [*(claim for claim, _ in foreign), *invented]
        if not wrong:
            return Grade("CORRECT", "It denies what there is not, as the right answer does.", answer)
        what = wrong[0].fact.text
        return Grade("PARTIAL", f"It denies rightly, but {what} beside that is wrong.", what)
    telling = [(claim, where) for claim, where in foreign if claim.label != "p"]
    made_up = [claim for claim in invented if claim.label != "p"]
    if not telling and not made_up and (refuses(text) or hedges(text) or not text.strip()):
        return Grade("REFUSED", "It says that it does not know.", "")
    if telling and len(telling) >= len(made_up):
        claim, where = telling[0]
        return Grade("CONFUSED", f"{claim.fact.text} belongs to {where.label}.", claim.fact.text)
    if not made_up and not _is_about(question, text, answer):
        return cannot_tell(
            "it neither denies nor affirms what the right answer denies, in words that they read"
        )
    what = made_up[0].fact.text if made_up else " ".join(text.split()[:12])
    return Grade("HALLUCINATED", "It affirms what the right answer denies.", what)


def _is_about(question: str, text: str, answer: str) -> bool:
    """Whether a response speaks of what the right answer denies."""
    topics = _topics(answer, question, denial_in(answer))
    return not topics or any(stem in text.lower() for stem in topics)


def _grade_unsaid(question: str, text: str, passages: Sequence[Passage]) -> Grade:
    """Where nothing was said, not to know is right; a detail from elsewhere is confused, another made up."""
    asserted = assertive(text, question)
    given = {fact.normal for fact in facts_of(question)}
    words = set(content_words(question))
    claims = [
        claim
        for claim in claims_of(asserted, passages, text)
        if claim.fact.normal not in given and not set(claim.value.split()) <= words
    ]
    shown = [
        (claim, where) for claim in claims if (where := next((p for p in passages if holds(p, claim)), None))
    ]
    made_up = [claim for claim in claims if claim not in [other for other, _ in shown]]
    if _UNSAID.search(text) or refuses(text) or hedges(text) or _denies_topic(question, text):
        if not made_up:
            return Grade("CORRECT", "It says that there is no answer, which is right.", "")
        return Grade(
            "PARTIAL",
            f"It says that there is no answer, but {made_up[0].fact.text} is made up.",
            made_up[0].fact.text,
        )
    if shown and len(shown) >= len(made_up):
        claim, where = shown[0]
        return Grade(
            "CONFUSED", f"{claim.fact.text} is from {where.label}, on something else.", claim.fact.text
        )
    what = made_up[0].fact.text if made_up else " ".join(text.split()[:12])
    return Grade("HALLUCINATED", "It answers what was never said.", what)


def _denies_topic(question: str, text: str) -> bool:
    """Whether a sentence or clause says of what is asked for, or of "that", that there is none."""
    topics = set(stems_of(question))
    for start, end in sentences_of(text):
        for no in _NONE.finditer(text, start, end):
            after = set(stems_of(text[no.end() : end]))
            if (
                topics & after
                or (topics & set(stems_of(text[start : no.start()])))
                or _COMES_UP.search(text, no.start(), end)
            ):
                return True
    return False


def _denied(question: str, text: str, answer: str) -> bool:
    kind = denial_in(answer)
    topics = _topics(answer, question, kind)
    denied = False
    for start, end in sentences_of(text):
        sentence = text[start:end]
        about = any(stem in sentence.lower() for stem in topics)
        if kind == "unchanged":
            if about and _affirms(sentence):
                return False
            denied |= about and _UNCHANGED.search(sentence) is not None
        elif about and _NEGATION.search(sentence) and not _COMPARED.search(sentence):
            denied |= not (refuses(sentence) and _UNKNOWN.search(sentence))
    return denied


def _affirms(sentence: str) -> bool:
    """Whether it says that something changed significantly, and not that it did not."""
    changes = (sentence[max(0, match.start() - 40) : match.start()] for match in _CHANGED.finditer(sentence))
    return any(
        not re.search(r"\b(?:not|no|neither|nor|without)\b|n['’]t\b|\bnon-?\s?$|\bin$", before, re.I)
        for before in changes
    )


def _topics(answer: str, question: str, kind: Denial | None) -> tuple[str, ...]:
    """Beginnings of the words that say what is denied: those of the first sentence that the question has too.

    Names and what every sentence of such a conversation holds are no topic, but where nothing else is left.
    """
    start, end = sentences_of(answer)[0]
    names = {
        word for fact in facts_of(answer[start:end]) if fact.kind is NAME for word in fact.normal.split()
    }
    in_question = {word[:6] for word in content_words(question)}
    stems = [
        word[:6] for word in content_words(answer[start:end]) if word not in names and not word.isdigit()
    ]
    shared = [stem for stem in stems if stem in in_question]
    if kind == "absent" and len(shared) > 1:
        negation = re.search(r"\b(?:not|never|no|none)\b|n['’]t\b", answer[start:end], re.I)
        words = content_words(answer[start:end][negation.end() :] if negation else answer[start:end])
        if words:
            return words[0][:6], words[-1][:6]
    return tuple(shared or stems)


def _wrong(
    question: str, text: str, answer: str, targets: Sequence[Passage], passages: Sequence[Passage]
) -> tuple[list[tuple[Claim, Passage]], list[Claim]]:
    in_answer, given = facts_of(answer), {fact.normal for fact in facts_of(question)}
    foreign, invented = [], []
    for claim in claims_of(text, passages):
        if claim.fact.normal in given or claim.fact.kind is NAME or not re.search(r"\d", claim.value):
            continue
        origin, where = origin_of(claim, in_answer, targets, passages)
        if origin == "foreign" and where is not None:
            foreign.append((claim, where))
        elif origin == "invented":
            invented.append(claim)
    return foreign, invented
