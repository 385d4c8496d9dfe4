"""Who grades each probe, rules or a judge: from conversations and an answer key to all grades."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.llm.reasoning import without_reasoning
from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected
from tellapart.longcontext.defaults import TOKENS_A_CHARACTER
from tellapart.longcontext.grades import NOT_GRADED, Grade, GradedProbe
from tellapart.longcontext.probes import Evidence, ProbeKind, evidence_for, kind_of
from tellapart.longcontext.transcript import PlayedCase, PlayedStep
from tellapart.report.numbers import listed


@dataclass(frozen=True)
class GradableProbe:
    """One probe to be graded.

    Attributes:
        position: Of the step among those that were played; None of one that was never reached.
        expected: What is known of the right answer; None where nothing is.
    """

    case: PlayedCase
    position: int | None
    step: PlayedStep
    expected: Expected | None

    @cached_property
    def kind(self) -> ProbeKind:
        """How it is graded."""
        return kind_of(self.step, self.expected)

    @property
    def material(self) -> list[str]:
        """What the conversation had shown when it was asked, in order."""
        if self.position is None:
            return []
        return self.case.material(self.position)


def gradable_probes(
    played: Sequence[PlayedCase], key: AnswerKey, cases: Mapping[str, Case]
) -> Iterator[GradableProbe]:
    """Go through the probes of all conversations, in the order in which they were asked.

    Where a conversation broke off with an error, the probes that were never reached follow, those that the
    results name and those of the case file, each once and without a response, for the reason of the last
    failure.
    """
    for case in played:
        written = cases.get(case.name)
        for position, step in enumerate(case.steps):
            if step.is_probe:
                yield GradableProbe(case, position, step, key.expected(case.name, step.id))
        yield from _unreached(case, written, key)


def _unreached(case: PlayedCase, written: Case | None, key: AnswerKey) -> Iterator[GradableProbe]:
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
            yield GradableProbe(case, None, step, key.expected(case.name, probe.id))


def _without_response(probe: CaseStep, last: PlayedStep) -> PlayedStep:
    return PlayedStep(
        probe.id,
        probe.type,
        probe.failure_mode,
        probe.text,
        None,
        http_status=last.http_status,
        error_message=f"never asked: the conversation ended at {last.id}"
        + (f" ({last.error_message})" if last.error_message else ""),
        cause=last.cause,
    )


def grade_by_rules(step: PlayedStep, expected: Expected | None, material: Sequence[str]) -> Grade:
    """Grade one probe without a model.

    Source:
        The document's categories and special cases, in its order; the modules beside this one say how each
        is decided by rule.
    """
    if step.response is None:
        message = f" ({step.error_message})" if step.error_message else ""
        return Grade("ERROR", f"There is no response{message}.", missing=missing_of(step))
    kind = kind_of(step, expected)
    if not kind.can_grade(expected):
        return Grade("EVAL_ERROR", "No right answer is known.", missing="infeasible")
    expected = expected or Expected(step.id)
    if never_shown := kind.never_shown(expected, material):
        names = listed([part.name for part in never_shown])
        reason = f"Not measurable: {names} {'was' if len(never_shown) == 1 else 'were'} never shown."
        return Grade("EVAL_ERROR", reason, missing="infeasible")
    return kind.grade(step.user_message, without_reasoning(step.response), expected, material)


def is_judged(probe: GradableProbe) -> bool:
    """Whether a judge grades it: not without a response, nor by a banned word, an enumeration, or no key."""
    expected = probe.expected or Expected(probe.step.id)
    if probe.step.response is None or not probe.kind.can_grade(probe.expected):
        return False
    return probe.kind.needs_judge(expected) and not probe.kind.never_shown(expected, probe.material)


def missing_of(step: PlayedStep) -> str:
    """Why there is no response, in the words of a score table: the record's own cause, else by the status."""
    if step.cause:
        return step.cause
    message = (step.error_message or "").lower()
    if re.search(r"content[ _]?(?:filter|policy)|moderation|safety|refus", message):
        return "refusal"
    return "timeout" if step.http_status in (408, 504, 524) or "timed out" in message else "provider"


GraderChoice = Literal["auto", "rules", "judge"]
"""Who decides. ``auto``: the rules, and what they leave the judge, if there is one."""

GRADER_CHOICES: tuple[GraderChoice, ...] = get_args(GraderChoice)

Judge = Callable[[Sequence[GradableProbe]], Sequence[Sequence[Grade]]]
"""From probes to the grades of each, the one that counts first, then the judge's other askings in order."""

Decided = tuple[GradableProbe, Grade | None]
"""A probe with the grade that needs no judge; None for one that is put to a judge."""


def decide_without_judge(
    played: Sequence[PlayedCase],
    key: AnswerKey,
    cases: Mapping[str, Case],
    grader: GraderChoice,
    progress: Progress = SILENT,
) -> list[Decided]:
    """Grade what the grader decides without a judge, in the order in which probes were asked.

    What needs no model (no response, no known answer, a banned word, an enumeration) is decided by rules
    whoever the grader is, and never put to the judge.
    """
    probes = list(gradable_probes(played, key, cases))
    return [
        (probe, _without_judge(probe, grader))
        for probe in counted(probes, progress, "graded by rules", unit="answers")
    ]


def _without_judge(probe: GradableProbe, grader: GraderChoice) -> Grade | None:
    if grader == "judge" and is_judged(probe):
        return None
    grade = grade_by_rules(probe.step, probe.expected, probe.material)
    return None if grader == "auto" and grade.missing == NOT_GRADED else grade


def put_to_judge(decided: Iterable[Decided]) -> list[GradableProbe]:
    """The probes that are put to a judge, in order."""
    return [probe for probe, grade in decided if grade is None]


def grade_all(
    decided: Sequence[Decided], *, judge: Judge | None = None, rate: float = TOKENS_A_CHARACTER
) -> list[GradedProbe]:
    """Complete the grades of all probes, asking the judge about those that need one."""
    open_probes = put_to_judge(decided)
    if open_probes and judge is None:
        raise ValueError(f"{len(open_probes)} probes need a judge, and there is none")
    judged = iter(judge(open_probes) if judge and open_probes else ())
    return [
        _graded(probe, (grade,) if grade is not None else tuple(next(judged)), rate)
        for probe, grade in decided
    ]


def _graded(probe: GradableProbe, grades: tuple[Grade, ...], rate: float) -> GradedProbe:
    evidence: Evidence | None = None
    if probe.position is not None:
        evidence = evidence_for(probe.case, probe.position, probe.expected, rate)
    case = probe.case
    return GradedProbe(
        case.model,
        case.name,
        case.epoch,
        probe.step,
        probe.expected,
        grades,
        evidence.distance_tokens if evidence else None,
        evidence.depth if evidence else None,
    )
