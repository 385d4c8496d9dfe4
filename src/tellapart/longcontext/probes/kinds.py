"""The kinds of probes, a row each: how a response is graded, by whom, and what must have been shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Answered, Category, Grade, not_graded
from tellapart.longcontext.probes.entries import (
    grade_enumeration,
    grade_recency,
    recency_needs,
)
from tellapart.longcontext.probes.evidence import Needs, Part, part_of_entry, parts_of_answer
from tellapart.longcontext.probes.strings import (
    grade_as_asked,
    grade_contains,
    grade_match,
    grade_sequence,
    grade_token_f1,
    grade_token_f1_parts,
    has_string,
    strings_of,
)
from tellapart.longcontext.rules.asked import asked_of, number_asked
from tellapart.longcontext.rules.manner import comparator
from tellapart.longcontext.rules.matcher import IN_OTHER_WORDS, grade_values
from tellapart.longcontext.rules.polarity import adds, refuses
from tellapart.longcontext.values import Value, facts_of, values_in
from tellapart.longcontext.values.entries import has_name, names_in
from tellapart.longcontext.values.numerals import numerals
from tellapart.longcontext.values.text import NEGATION, content_stems


@dataclass(frozen=True)
class JudgePrompt:
    """One way of asking a judge."""

    name: str
    offered: tuple[Category, ...]
    answer: Callable[[Expected], dict[str, str | None]]


def _right(key: Expected) -> dict[str, str | None]:
    return {"expected": "; or: ".join(key.answers) or "(none)"}


# The prompt of the original experiment, with its fields marked as material. It names more categories, which
# are decided without a judge: ERROR of a response that there is contradicts itself.
_JUDGE = JudgePrompt("judge", ("CORRECT", "PARTIAL", "HALLUCINATED", "CONFUSED", "REFUSED"), _right)


def answer_of(expected: Expected | None) -> str:
    """The right answer in words; empty where there is none."""
    return ((expected.answer if expected else None) or "").strip()


@dataclass(frozen=True, eq=False)
class ProbeKind:
    """Everything that follows from what a probe asks for; defaults are those of one right answer in words.

    Attributes:
        name: In case files, as ``rule``, and in records.
        mode: A failure mode that contains this, in lower case, means this kind; empty where none does.
        is_given: Whether what is known of the answer means this kind; the failure mode is in lower case.
        has_key: Whether what is known of the answer is enough.
        needs_judge: Whether ``--grader judge`` puts it to the judge; a kind that exact strings alone decide
            says no, and code grades it whoever the grader is.
        gives_away: Whether the question states its own answer.
        one_answer: Whether there is one right answer that comes from the messages: it can be guessed or given
            away, and the probe counts in curves and effective lengths.
        of_system: Whether it asks if a rule of the system prompt is followed.
        has_entries: Whether lines with numbers in a file of answers are the entries of a list.
    """

    name: str
    grade: Callable[[Answered], Grade]
    mode: str = ""
    is_given: Callable[[Expected, str], bool] = lambda key, mode: False
    has_key: Callable[[Expected | None], bool] = lambda key: bool(answer_of(key))
    decidable: Callable[[str, Expected], bool] = lambda question, key: True
    needs_judge: Callable[[Expected], bool] = lambda key: True
    needs: Callable[[str, Expected], Needs] = lambda question, key: Needs(
        parts_of_answer(question, key.answer or "")
    )
    gives_away: Callable[[str, Expected], bool] = lambda question, key: False
    banned: Callable[[Expected | None], str | None] = lambda key: None
    judge: JudgePrompt = _JUDGE
    one_answer: bool = True
    of_system: bool = False
    has_entries: bool = False


def _no_judge(key: Expected) -> bool:
    return False


def _nothing(question: str, key: Expected) -> Needs:
    return Needs()


# facts

_BEST_FIRST = ("CORRECT", "EVAL_ERROR", "PARTIAL", "CONFUSED", "HALLUCINATED", "REFUSED")
"""Of the grades by several right answers the first counts; one that code cannot give may be the best."""


def _facts_decidable(question: str, expected: Expected) -> bool:
    """Whether the author says how to compare, or every right answer can be compared by values."""
    if expected.exact or expected.regex is not None:
        return True
    asked = [asked_of(question, answer) for answer in expected.answers]
    return bool(asked) and None not in asked


def _facts_given_away(question: str, expected: Expected) -> bool:
    """Whether the question has all that the answer says, and does not offer it beside another."""
    answer = expected.answer
    if not answer or NEGATION.search(answer) or " or " in f" {question.lower()} ":
        return False
    values, given = ({fact.normal for fact in facts_of(text)} for text in (answer, question))
    return bool(values) and values <= given and content_stems(answer) <= content_stems(question)


def _grade_facts(given: Answered) -> Grade:
    """By the author's rule, else the best by any of the right answers."""
    question, response, key = given.question, given.response, given.key
    if grade := grade_as_asked(response, key):
        return grade
    if response.strip() and not _facts_decidable(question, key):
        return not_graded(IN_OTHER_WORDS)
    asked = [asked_of(question, answer) for answer in key.answers]
    grades = [grade_values(question, response, one, given.material) for one in asked]
    return min(grades, key=lambda grade: _BEST_FIRST.index(grade.category))


_MARK = re.compile(r"^[ \t]*(?:\d+[.)]|#\d+)\s", re.M)
_TOTAL_BEFORE = re.compile(
    r"(?:\btotals?(?:\s+of)?|\baltogether|\bin all|\boverall|\b(?:so|therefore|thus|hence)|\banswer|=)"
    r"[\s:,*]*(?:(?:is|are|was|were|it|that|makes|there|comes|to)[\s:,*]+){0,4}$",
    re.I,
)
_TOTAL_AFTER = re.compile(r"[\s*]*(?:\w+\s+)?(?:in total|in all|altogether|overall)\b", re.I)


def _grade_count(given: Answered) -> Grade:
    """By the number that is asked for; not where it is only about that, or others stand beside it."""
    asked = number_asked(given.question, answer_of(given.key))
    grade = grade_values(given.question, given.response, asked, given.material)
    if grade.category == "CORRECT" and asked and _is_doubtful(given, asked.values[0]):
        return not_graded("it gives a bound, or several counts")
    return grade


def _is_doubtful(given: Answered, count: Value) -> bool:
    """Whether a response bounds a count, or has numbers that are neither the question's nor its parts."""
    text = _MARK.sub(lambda mark: " " * len(mark[0]), given.response)
    stated = [v for v in values_in(text) if v.kind == "number" and v.amount.value == count.amount.value]
    if any(comparator(text, value) for value in stated):
        return True
    numbers = numerals(text)
    if any(_TOTAL_BEFORE.search(text[: n.start]) or _TOTAL_AFTER.match(text, n.end) for n in numbers):
        return False
    known = {count.amount.written, *(n.amount.written for n in numerals(given.question))}
    others = [n.amount.written for n in numbers if n.amount.written not in known]
    return bool(others) and sum(others) != count.amount.written


_FACTS = ProbeKind(
    "facts",
    _grade_facts,
    has_key=lambda key: bool(key and (answer_of(key) or key.accept or key.regex)),
    decidable=_facts_decidable,
    gives_away=_facts_given_away,
)


# sink

BANNED, _SUBSTITUTE = "excellent", "notable"
"""The word that the documented experiment forbids, for a probe that names none, and the one that it wants."""

_QUOTES = "\"'“”‘’«»`"
_NEGATED = re.compile(r"\b(?:not|never|none|cannot|avoid\w*|without|no)\b[^.!?]*$|n['’]t\b[^.!?]*$")


def _banned_of(expected: Expected | None) -> str:
    return (expected.banned if expected is not None else None) or BANNED


def grade_sink(response: str, banned: str = BANNED) -> Grade:
    """FAIL where the banned word is anywhere in the response, in any case, as part of a word too; else PASS.

    Notes say where a person might decide otherwise: the word quoted or denied, only a word derived from it,
    or the wanted substitute not used either.

    Source:
        The original experiment's first special case: a string search.
    """
    text, word = response.lower(), banned.lower()
    at = text.find(word)
    if at < 0:
        is_documented = word == BANNED and _SUBSTITUTE not in text
        note = f"Uses neither {banned!r} nor {_SUBSTITUTE!r}." if is_documented else None
        return Grade("PASS", f"The word {banned!r} is avoided.", note=note)
    hows = dict.fromkeys(_how_used(text, match) for match in re.finditer(re.escape(word), text))
    only = " and ".join(hows)
    note = f"The word is only {only}; a plain text search, as in the original method, counts it."
    used = response[at : at + len(banned)]
    return Grade("FAIL", f"The word {banned!r} is used.", used, note=None if "used" in hows else note)


def _how_used(text: str, match: re.Match[str]) -> str:
    before, after = text[max(0, match.start() - 60) : match.start()], text[match.end() : match.end() + 1]
    if after.isalpha() or before[-1:].isalpha():
        return "part of a longer word"
    if before and after and before[-1] in _QUOTES and after in _QUOTES:
        return "quoted"
    return "negated" if _NEGATED.search(before) else "used"


# What was never said

_NOT_MENTIONED = re.compile(r"\(([ab])\)\s*not mentioned", re.I)


def _grade_abstention(given: Answered) -> Grade:
    """CORRECT where a response only says that this was not said, HALLUCINATED where it answers."""
    question, response = given.question, given.response
    if not response.strip():
        return Grade("REFUSED", "It says nothing.")
    known = {value.normal for value in values_in(question)}
    values = [v.text for v in values_in(response) if v.normal not in known and not v.is_small_word]
    if refuses(response):
        if values or adds(response, question):
            return not_graded("it says that this was not said, and more")
        return Grade("CORRECT", "It says that this was not said.")
    if NEGATION.search(response):
        return not_graded("it may say in words that code does not read that this was not said")
    shown = "\n".join(given.material)
    names = [name for _, name in names_in(response) if has_name(shown, name) and not has_name(question, name)]
    if answers := values + names:
        return Grade("HALLUCINATED", "It answers a question about something that was never said.", answers[0])
    return not_graded("it neither answers nor says in words that code reads that this was not said")


def _grade_not_mentioned(given: Answered) -> Grade:
    """CORRECT where the response is the letter of that option or says the same; else HALLUCINATED.

    Source:
        The evaluation that LoCoMo was published with: a response of one letter, or of one in brackets, is
        its option, ``b`` where it is not ``a``; any other is right if it has one of two phrases.
    """
    option = _NOT_MENTIONED.search(given.question)
    reply = given.response.strip().lower()
    if option and len(reply) in (1, 3):
        chosen = "a" if ("a" if len(reply) == 1 else "(a)") in reply else "b"
        right = chosen == option[1].lower()
    else:
        right = any(phrase in reply for phrase in ("no information available", "not mentioned"))
    if right:
        return Grade("CORRECT", "It chooses that this was not mentioned.")
    return Grade("HALLUCINATED", "It does not choose that this was not mentioned.")


_ABSTENTION = ProbeKind(
    "abstention",
    _grade_abstention,
    has_key=lambda key: True,
    needs=_nothing,
    judge=JudgePrompt("abstention", ("CORRECT", "HALLUCINATED"), lambda key: {"expected": key.answer}),
    one_answer=False,
)


# The table


def _lists_entries(expected: Expected) -> bool:
    """Whether a list is the answer: "See the list below." is none that could be right or wrong."""
    return bool(expected.entries) and not facts_of(answer_of(expected))


def _is_recency(key: Expected, mode: str) -> bool:
    return bool(key.early or key.late) and not _lists_entries(key) and not (answer_of(key) and mode)


def _strings_needed(question: str, key: Expected) -> Needs:
    return Needs(tuple(Part(text, text, facts_of(text), strict=True) for text in strings_of(key.answer)))


def _sides(key: Expected) -> dict[str, str | None]:
    return {"early": key.early, "late": key.late}


def _shows_old(key: Expected) -> dict[str, str | None]:
    old = f" (this corrects {key.early}, which is CONFUSED)" if key.early else ""
    return {"expected": f"{answer_of(key) or '(none)'}{old}"}


KINDS: dict[str, ProbeKind] = {
    kind.name: kind
    for kind in (
        _FACTS,
        ProbeKind(
            "sink",
            lambda given: grade_sink(given.response, _banned_of(given.key)),
            "attention sink",
            is_given=lambda key, mode: bool(key.banned),
            has_key=lambda key: True,
            needs_judge=_no_judge,
            needs=lambda question, key: Needs(banned=_banned_of(key)),
            banned=_banned_of,
            one_answer=False,
            of_system=True,
        ),
        ProbeKind(
            "recency",
            grade_recency,
            "recency",
            is_given=_is_recency,
            has_key=lambda key: key is not None,
            needs=lambda question, key: recency_needs(key),
            judge=JudgePrompt("recency", ("RECENCY_BIAS_DETECTED", "NO_BIAS"), _sides),
            one_answer=False,
        ),
        ProbeKind(
            "enumeration",
            grade_enumeration,
            "enumeration",
            is_given=lambda key, mode: _lists_entries(key),
            has_key=lambda key: key is not None and bool(answer_of(key) or key.entries),
            decidable=lambda question, key: bool(key.entries),
            needs_judge=lambda key: not key.entries,
            needs=lambda question, key: Needs(tuple(map(part_of_entry, key.entries))),
            has_entries=True,
        ),
        _ABSTENTION,
        replace(_ABSTENTION, name="not-mentioned", grade=_grade_not_mentioned),
        ProbeKind(
            "rubric",
            lambda given: not_graded("the right answer is described, and not given"),
            decidable=lambda question, key: False,
            needs=_nothing,
            judge=JudgePrompt("rubric", ("CORRECT", "PARTIAL", "HALLUCINATED", "REFUSED"), _right),
            one_answer=False,
        ),
        ProbeKind("sequence-ratio", grade_sequence, needs_judge=_no_judge, needs=_nothing),
        ProbeKind("token-f1", grade_token_f1),
        ProbeKind("token-f1-parts", grade_token_f1_parts),
        ProbeKind("contains", grade_contains),
        ProbeKind(
            "match",
            grade_match,
            has_key=lambda key: bool(strings_of(answer_of(key))),
            needs_judge=_no_judge,
            needs=_strings_needed,
            gives_away=lambda question, key: any(has_string(question, s) for s in strings_of(key.answer)),
        ),
        replace(_FACTS, name="updated", mode="knowledge update", judge=replace(_JUDGE, answer=_shows_old)),
        # The number itself stands nowhere; what is to be counted has to be named as evidence.
        replace(
            _FACTS,
            name="count",
            mode="counting",
            grade=_grade_count,
            decidable=lambda question, key: number_asked(question, answer_of(key)) is not None,
            needs=_nothing,
        ),
    )
}
"""All kinds, by name; where a failure mode or an answer fits several, the first counts."""


def kind_of(failure_mode: str | None, expected: Expected | None = None) -> ProbeKind:
    """The kind of a probe: what its author says, else by its failure mode, else by what is given."""
    if expected is not None and expected.rule is not None:
        return KINDS[expected.rule]
    mode = (failure_mode or (expected.failure_mode if expected else None) or "").lower()
    by_mode = (kind for kind in KINDS.values() if kind.mode and kind.mode in mode)
    by_answer = (kind for kind in KINDS.values() if expected is not None and kind.is_given(expected, mode))
    return next(by_mode, None) or next(by_answer, None) or KINDS["facts"]


def needs_of(kind: ProbeKind, question: str, expected: Expected) -> Needs:
    """Say what to look for: texts that the author names as evidence, else what the kind of probe needs."""
    if expected.evidence:
        return Needs(tuple(Part(text, text, strict=True) for text in expected.evidence))
    return _needs(kind, question, expected)


@lru_cache(maxsize=4096)
def _needs(kind: ProbeKind, question: str, expected: Expected) -> Needs:
    return kind.needs(question, expected)


def answer_parts(kind: ProbeKind, question: str, expected: Expected) -> tuple[Part, ...]:
    """What a reply must state to give the answer away, whatever is named as evidence."""
    return _needs(kind, question, replace(expected, evidence=())).parts if kind.one_answer else ()
