"""Who grades each probe, rules or a judge: from conversations and an answer key to all grades."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.llm.reasoning import without_reasoning
from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected
from tellapart.longcontext.defaults import TOKENS_A_CHARACTER, GraderChoice
from tellapart.longcontext.grades import NOT_GRADED, Answered, Grade
from tellapart.longcontext.probes import Probe, kind_of, probes_of
from tellapart.longcontext.transcript import PlayedCase, PlayedStep
from tellapart.report.numbers import listed


def gradable_probes(
    played: Sequence[PlayedCase], key: AnswerKey, cases: Mapping[str, Case], rate: float = TOKENS_A_CHARACTER
) -> Iterator[Probe]:
    """Go through the probes of all conversations, in the order in which they were asked."""
    for case in played:
        yield from probes_of(case, key, rate)
        yield from _unreached(case, cases.get(case.name), key)


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
    kind = kind_of(step.failure_mode, expected)
    if not kind.has_key(expected):
        return Grade("EVAL_ERROR", "No right answer is known.", missing="infeasible")
    expected = expected or Expected(step.id)
    if never_shown := kind.never_shown(expected, material):
        names = listed([part.name for part in never_shown])
        reason = f"Not measurable: {names} {'was' if len(never_shown) == 1 else 'were'} never shown."
        return Grade("EVAL_ERROR", reason, missing="infeasible")
    return kind.grade(Answered(step.user_message, without_reasoning(step.response), expected, material))


def is_judged(probe: Probe) -> bool:
    """Whether a judge grades it: not without a response, nor by a banned word, an enumeration, or no key."""
    if probe.step.response is None or not probe.has_key:
        return False
    return probe.kind.needs_judge(probe.key) and not probe.kind.never_shown(probe.key, probe.material)


def missing_of(step: PlayedStep) -> str:
    """Why there is no response, in the words of a score table: the record's own cause, else by the status."""
    if step.cause:
        return step.cause
    message = (step.error_message or "").lower()
    if re.search(r"content[ _]?(?:filter|policy)|moderation|safety|refus", message):
        return "refusal"
    return "timeout" if step.http_status in (408, 504, 524) or "timed out" in message else "provider"


Judge = Callable[[Sequence[Probe]], Sequence[Sequence[Grade]]]
"""From probes to the grades of each, the one that counts first, then the judge's other askings in order."""

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
    probes = list(gradable_probes(played, key, cases, rate))
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


def grade_all(decided: Sequence[Decided], *, judge: Judge | None = None) -> list[Probe]:
    """Complete the grades of all probes, asking the judge about those that need one."""
    open_probes = put_to_judge(decided)
    if open_probes and judge is None:
        raise ValueError(f"{len(open_probes)} probes need a judge, and there is none")
    judged = iter(judge(open_probes) if judge and open_probes else ())
    return [
        replace(probe, grades=(grade,) if grade is not None else tuple(next(judged)))
        for probe, grade in decided
    ]
