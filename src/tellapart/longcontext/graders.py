"""Who grades each probe: code, or a judge; what a judge is asked, and how its reply of three lines is read.

A reply has exactly these lines, or is asked for once more. One whose reason stands in the material quotes it
and is no evaluation, whatever look-alike letters, marks and line ends the one or the other has.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import Prompt, read_prompt
from tellapart.llm.questions import Answer, Failure, Question, TextForm
from tellapart.llm.quoting import quote, visible
from tellapart.llm.reasoning import without_reasoning
from tellapart.llm.run_models import RunCalls
from tellapart.longcontext.case import AnswerKey, Case, CaseStep
from tellapart.longcontext.defaults import TOKENS_A_CHARACTER, GraderChoice, Standard
from tellapart.longcontext.grades import NOT_GRADED, VALUES, Category, Grade
from tellapart.longcontext.probes import KINDS, JudgePrompt, Probe, grade_by_rules, probes_of
from tellapart.longcontext.transcript import PlayedCase, PlayedStep
from tellapart.report.numbers import plural


def _unreached(case: PlayedCase, written: Case | None, key: AnswerKey) -> Iterator[Probe]:
    last = next((step for step in reversed(case.steps) if step.response is None), None)
    broke_off = last is not None and last is case.steps[-1]
    of_file = {probe.id: probe for probe in written.probes} if written is not None else {}
    left = {s.id: s if s.text else of_file.get(s.id, s) for s in case.not_asked if s.is_probe}
    if broke_off:
        left |= {id_: probe for id_, probe in of_file.items() if id_ not in left}
    there = {step.id for step in case.steps}
    for probe in left.values():
        if probe.id not in there:
            step = _without_response(probe, last or case.steps[-1])
            yield Probe(case, None, step, key.expected(case.name, probe.id))


def _without_response(probe: CaseStep, last: PlayedStep) -> PlayedStep:
    why = f" ({last.error_message})" if last.error_message else ""
    why = f"never asked: the conversation ended at {last.id}{why}"
    return PlayedStep(*probe.turn, http_status=last.http_status, error_message=why, cause=last.cause)


def is_judged(probe: Probe) -> bool:
    """Whether a judge grades it: not without a response, nor by a banned word, an enumeration, or no key."""
    return probe.step.response is not None and probe.has_key and probe.kind.needs_judge(probe.key)


Decided = tuple[Probe, Grade | None]
"""A probe with the grade that needs no judge; None for one that is put to a judge."""


def decide_without_judge(
    played: Sequence[PlayedCase],
    key: AnswerKey,
    cases: Mapping[str, Case],
    grader: GraderChoice,
    progress: Progress = SILENT,
    rate: float = TOKENS_A_CHARACTER,
) -> list[Decided]:
    """Grade what the grader decides without a judge, in the order in which probes were asked."""
    probes = [
        probe
        for case in played
        for probe in (*probes_of(case, key, rate), *_unreached(case, cases.get(case.name), key))
    ]
    return [
        (probe, _without_judge(probe, grader))
        for probe in counted(probes, progress, "graded by rules", unit="answers")
    ]


def _without_judge(probe: Probe, grader: GraderChoice) -> Grade | None:
    if grader == "judge" and is_judged(probe):
        return None
    grade = grade_by_rules(probe.step, probe.expected, probe.material)
    return None if grader == "auto" and grade.missing == NOT_GRADED else grade


def put_to_judge(decided: Iterable[Decided]) -> list[Probe]:
    """The probes that are put to a judge, in order."""
    return [probe for probe, grade in decided if grade is None]


def grade_all(decided: Sequence[Decided], judged: Iterable[Sequence[Grade]] = ()) -> list[Probe]:
    """Complete the grades of all probes by those of the judge, in the order of ``put_to_judge``."""
    left = iter(judged)
    return [
        replace(probe, grades=(grade,) if grade is not None else tuple(next(left)))
        for probe, grade in decided
    ]


LABELS = ("SCORE", "REASON", "KEY_DETAIL")

_NAMED = re.compile(r"<U\+[0-9A-F]{4,6}[^<>\n]*>")
_CATEGORY = re.compile(r"[A-Za-z_]+")
_LOOK_ALIKES = str.maketrans(
    # Cyrillic, Greek and Armenian small letters that print as Latin ones.
    "аеорсухіјѕһԁԛԝвкмнтгαεορτυχικνηωѵսոօց",
    "aeopcyxijshdqwbkmhtraeoptyxiknnwvunog",
)


class Evaluated(BaseModel):
    """What a judge says of a response."""

    model_config = ConfigDict(extra="forbid")

    score: str
    reason: str
    key_detail: str


def read_three_lines(reply: str, material: str) -> Evaluated | Failure:
    """Read a reply."""
    lines = [line.strip() for line in visible(reply).split("\n") if line.strip()]
    if len(lines) != len(LABELS):
        return Failure("parse", "schema", f"it has {plural(len(lines), 'line')} of text, expected exactly 3")
    values = []
    for number, (label, line) in enumerate(zip(LABELS, lines, strict=True), 1):
        value = _value(label, line)
        if value is None:
            return Failure("parse", "schema", f"its line {number} does not begin with '{label}: '")
        values.append(value)
    score, reason, detail = values
    if not _CATEGORY.fullmatch(score):
        return Failure("parse", "schema", "what follows 'SCORE: ' is not exactly one category")
    if not reason:
        return Failure("parse", "schema", "there is nothing after 'REASON: '")
    if _skeleton(f"REASON: {reason}") in _skeleton(material):
        return Failure("parse", "quoted", "it only repeats what stands in the material")
    return Evaluated(score=score.upper(), reason=reason, key_detail=detail)


THREE_LINES = TextForm(
    read_three_lines,
    "exactly the three lines that were asked for, 'SCORE: ', 'REASON: ' and 'KEY_DETAIL: ', in this order",
)
"""The form of a judge's reply."""


def _value(label: str, line: str) -> str | None:
    """What follows a label, of which Markdown's bold is no part; None where the line does not begin so."""
    before, colon, value = line.replace("**", "").partition(":")
    return value.strip() if colon and before == label else None


def _skeleton(text: str) -> str:
    """Letters and digits alone, as a reader takes them who does not tell look-alikes apart."""
    seen = _NAMED.sub("", visible(text))
    plain = unicodedata.normalize("NFKD", seen).casefold().translate(_LOOK_ALIKES)
    return "".join(character for character in plain if character.isalnum())


_PACKAGE = "tellapart.longcontext.probes"


def standard_prompt(standard: Standard) -> Prompt | None:
    """What stands in the prompt before the categories; None of the documented one."""
    return None if standard == "documented" else read_prompt(_PACKAGE, standard)


@cache
def prompts() -> Mapping[str, Prompt]:
    """The prompts of all kinds of probes, by name."""
    names = dict.fromkeys(kind.judge.name for kind in KINDS.values())
    return {name: read_prompt(_PACKAGE, name) for name in names}


class JudgeQuestions:
    """The questions about probes, all repeats of one in a row; prompts are made while they are iterated."""

    def __init__(self, probes: Sequence[Probe], repeats: int = 1, standard: Standard = "documented") -> None:
        """Ask about ``probes``."""
        self.probes, self.repeats, self.standard = probes, repeats, standard

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.probes) * self.repeats

    def __iter__(self) -> Iterator[Question[Evaluated]]:
        """Make the questions, in the order of the probes."""
        prompt_of_standard = standard_prompt(self.standard)
        standard = prompt_of_standard.render() if prompt_of_standard else ""
        for number, probe in enumerate(self.probes):
            form = probe.kind.judge
            prompt = _filled(form, probe, standard)
            for repeat in range(self.repeats):
                id_ = question_id(number, probe, repeat)
                yield Question(id_, prompt, Evaluated, _one_of(form.offered), repeat, THREE_LINES)


def question_id(number: int, probe: Probe, repeat: int) -> str:
    """Name a question: the probe's place, model, case, epoch and step, and which asking it is."""
    model, case, epoch, step = probe.place
    return visible(f"{number}:{model}/{case}.{epoch}/{step}#{repeat}")


def judge_grade(answer: Answer[Evaluated], judging: int) -> Grade:
    """What one asking says; a judge that said nothing that could be used has not said that it is wrong."""
    value, failure = answer.value, answer.failure
    if value is not None:
        category: Category = value.score  # type: ignore[assignment]  # the question's check has seen to it
        return Grade(category, value.reason, value.key_detail, "judge", judging=judging)
    assert failure is not None
    cause = f"{failure.cause} ({failure.kind}): {' '.join(visible(failure.detail).split())}"
    missing = "budget" if failure.cause == "budget" else "judge"
    grade = Grade("EVAL_ERROR", "The judge gave no evaluation.", "", "judge", missing, cause)
    return replace(grade, judging=judging, failure=failure.cause)


def _filled(form: JudgePrompt, probe: Probe, standard: str) -> str:
    step, expected = probe.step, probe.key
    parts = {
        "step_id": step.id,
        "failure_mode": probe.failure_mode or "(none)",
        "question": step.user_message,
        "response": without_reasoning(step.response or ""),
        "test": expected.test,
    }
    parts |= form.answer(expected)
    shown = {name: text for name, text in parts.items() if text is not None}
    quoted = quote(shown.values())
    filled = dict(zip(shown, quoted.texts, strict=True))
    texts = {name: filled.get(name, "") for name in parts}
    return prompts()[form.name].render(marker=quoted.marker, standard=standard, **texts)


_ORDER = list(VALUES)


def counting_first(grades: Sequence[Grade]) -> tuple[Grade, ...]:
    """Put the grade that counts before the others: the first one with the category of most that have a score.

    Of equally frequent categories the one with the lowest value counts, and of those the first of ``VALUES``.
    """
    votes = Counter(grade.category for grade in grades if grade.value is not None)
    if not votes:
        return tuple(grades)
    most = min(
        votes, key=lambda category: (-votes[category], VALUES[category] or 0.0, _ORDER.index(category))
    )
    counting = next(grade for grade in grades if grade.category == most)
    return (counting, *(grade for grade in grades if grade is not counting))


@cache
def _one_of(offered: tuple[Category, ...]) -> Callable[[Evaluated], str | None]:
    def check(reply: Evaluated) -> str | None:
        wrong = reply.score not in offered
        return f"the score is none of {', '.join(offered)}" if wrong else None

    return check


def ask_judge(
    questions: JudgeQuestions, model: LanguageModel, calls: RunCalls
) -> tuple[list[tuple[Grade, ...]], dict[str, Any]]:
    """Give the grades of each probe, the one that counts first, and what was asked of the model.

    Every reply is kept in the run directory of ``calls``, and never asked for twice.
    """
    with calls.opened() as open_calls:
        session = open_calls.ask(questions, model, label=f"{model.name}, judging")
        attempts = [
            [
                judge_grade(session.by_id[question_id(number, probe, repeat)], repeat)
                for repeat in range(questions.repeats)
            ]
            for number, probe in enumerate(questions.probes)
        ]
    return [counting_first(grades) for grades in attempts], session.record


def prompts_of(probes: Iterable[Probe]) -> dict[str, str]:
    """Hashes of the prompts by which the judge is asked about probes."""
    names = {probe.kind.judge.name for probe in probes}
    return {f"{name}_prompt": prompts()[name].sha256 for name in sorted(names)}
