"""What the controls say: whether a probe can be guessed, and whether it can be answered at all."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.longcontext.grading.grades import Grade
from tellapart.longcontext.grading.manner import refuses
from tellapart.longcontext.grading.rules import grade_by_rules
from tellapart.longcontext.lint.findings import Finding
from tellapart.longcontext.lint.subject import Subject
from tellapart.longcontext.played import PlayedCase, PlayedStep
from tellapart.longcontext.probes import rule_of


def controls(subject: Subject) -> Iterator[Finding]:
    """Errors: probes that are right without any context, or wrong with nothing but their evidence.

    Questions of a word that is forbidden and of which entry is named have no right answer that could be
    guessed, and what was never said is rightly not known without context: they are
    left out. Results without any control are told once.
    """
    graded = {(one.case, one.model, one.epoch, one.step): one.grade for one in subject.graded or ()}
    for played in subject.controls:
        for position, step in enumerate(played.steps):
            expected = subject.key.expected(played.name, step.id)
            if not step.is_probe or rule_of(step.id, step.failure_mode, expected) in ("sink", "recency"):
                continue
            if expected is not None and refuses(expected.answer or ""):
                continue
            names = (played.model, f"{played.model} ({played.control})")
            grades = [graded.get((played.name, name, played.epoch, step)) for name in names]
            grade = next(filter(None, grades), None)
            if grade is None:
                material = [turn.user_message for turn in played.before(position)]
                grade = grade_by_rules(step, expected, material)
            yield from _finding(played, step, grade)
    if subject.results and not subject.controls:
        message = (
            "no control was run: whether the probes can be guessed, or answered at all, is not known. Run "
            "with --control closed-book and --control oracle"
        )
        yield Finding("info", "controls", None, None, message)


def _finding(played: PlayedCase, step: PlayedStep, grade: Grade) -> Iterator[Finding]:
    value = grade.value
    who = f" by {played.model}" if played.model else ""
    if played.control == "closed-book" and value == 1:
        message = f"guessable: answered right{who} without any context. A right answer is no sign of memory"
        yield Finding("error", "controls", played.name, step.id, message)
    elif played.control == "oracle" and value is not None and value < 1:
        what = "wrong" if value == 0 else "only partly right"
        message = (
            f"not answerable even with the evidence alone: {what}{who} ({grade.category}). Look at the "
            "question, the expected answer and the evidence before blaming the length"
        )
        yield Finding("error" if value == 0 else "warning", "controls", played.name, step.id, message)
