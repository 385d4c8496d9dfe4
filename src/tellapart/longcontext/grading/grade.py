"""From conversations and a key to the grade of every probe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from tellapart.longcontext.case import AnswerKey, Case
from tellapart.longcontext.evidence.evidence import Evidence, evidence_for
from tellapart.longcontext.grading.gradable import AskedProbe, asked_probes
from tellapart.longcontext.grading.grades import Grade, GradedProbe
from tellapart.longcontext.grading.rules import grade_by_rules, grade_without_judge
from tellapart.longcontext.played import PlayedCase
from tellapart.longcontext.tokens import TOKENS_A_CHARACTER

GraderChoice = Literal["rules", "judge", "both"]
"""Who decides. ``both``: the judge, and what the rules say stands beside it."""

GRADERS: tuple[GraderChoice, ...] = ("rules", "judge", "both")

Judge = Callable[[Sequence[AskedProbe]], Sequence[Sequence[Grade]]]
"""From probes to the grades of each, the one that counts first, then the judge's other askings in order."""

Told = Callable[[AskedProbe, Grade], None]


def _nobody(_: AskedProbe, __: Grade) -> None:
    return None


def grade_all(
    played: Sequence[PlayedCase],
    key: AnswerKey,
    cases: Mapping[str, Case],
    *,
    grader: GraderChoice = "rules",
    judge: Judge | None = None,
    rate: float = TOKENS_A_CHARACTER,
    told: Told = _nobody,
) -> list[GradedProbe]:
    """Grade every checkpoint and verification.

    What needs no model (no response, no known answer, a banned word, an enumeration) is decided by rules
    whoever the grader is, and never put to the judge.

    Args:
        played: The conversations.
        key: Of all of them.
        cases: Case files by the names of their cases.
        grader: Who decides.
        judge: Asked once, with all probes that need it; needed unless ``grader`` is ``rules``.
        rate: Tokens a character, for distances.
        told: Of every grade by rules that counts, as it is given.

    Returns:
        Conversation after conversation, in the order in which the probes were asked.

    Raises:
        ValueError: A judge is needed, and there is none.
    """
    if grader != "rules" and judge is None:
        raise ValueError(f"the grader is {grader!r}, and there is no judge")
    probes = list(asked_probes(played, key, cases))
    decided: list[Sequence[Grade] | None] = []
    for probe in probes:
        decide = grade_by_rules if grader == "rules" else grade_without_judge
        grade = decide(probe.step, probe.expected, probe.material)
        if grade is not None:
            told(probe, grade)
        decided.append(None if grade is None else (grade,))
    open_probes = [probe for probe, grades in zip(probes, decided, strict=True) if grades is None]
    judged = iter(judge(open_probes) if judge and open_probes else ())
    found = []
    for probe, grades in zip(probes, decided, strict=True):
        given = tuple(grades or next(judged))
        if grades is None and grader == "both":
            given += (grade_by_rules(probe.step, probe.expected, probe.material),)
        found.append(_graded(probe, given, rate))
    return found


def put_to_judge(played: Sequence[PlayedCase], key: AnswerKey, cases: Mapping[str, Case]) -> list[AskedProbe]:
    """The probes that ``grade_all`` puts to a judge, in order."""
    return [
        probe
        for probe in asked_probes(played, key, cases)
        if grade_without_judge(probe.step, probe.expected, probe.material) is None
    ]


def _graded(probe: AskedProbe, grades: tuple[Grade, ...], rate: float) -> GradedProbe:
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
