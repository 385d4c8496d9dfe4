"""Which probes, answers and steps of an experiment have no partner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected
from tellapart.longcontext.probes import kind_of
from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Results


@dataclass(frozen=True)
class Unmatched:
    """What has no partner.

    Attributes:
        probes: Case and id of each probe that cannot be graded, see ``probes.ProbeKind``, in the order of
            the cases.
        answers: Ids of answers, as the key has them, that no probe asks for; of one that stands beside its
            probe ``CASE/ID``.
    """

    probes: tuple[tuple[str, str], ...]
    answers: tuple[str, ...]


def unmatched(sources: Sequence[Case] | Sequence[Results], key: AnswerKey) -> Unmatched:
    """Find probes without an answer and answers without a probe; what was not reached is a probe as well.

    Args:
        sources: Cases before they are played, or what was played; a probe that was played several times
            counts once.
        key: Of all of them; answers of cases that are not among ``sources`` are found too.
    """
    steps = tuple(_probes(sources))
    probes = dict.fromkeys((case, step.id) for case, step in steps)
    without = dict.fromkeys(
        (case, step.id) for case, step in steps if not _can_grade(step, key.expected(case, step.id))
    )
    ids = {id_ for _, id_ in probes}
    beside = {id_ for _, id_ in key.by_case}
    alone = [id_ for id_ in key.by_id if id_ not in ids and id_ not in beside]
    alone += [f"{case}/{id_}" for case, id_ in key.by_case if (case, id_) not in probes]
    return Unmatched(tuple(without), tuple(alone))


def _can_grade(step: CaseStep | PlayedStep, expected: Expected | None) -> bool:
    return kind_of(step.id, step.failure_mode, expected).can_grade(expected)


def _probes(sources: Iterable[Case | Results]) -> Iterator[tuple[str, CaseStep | PlayedStep]]:
    for one in sources:
        cases: Sequence[Case | PlayedCase] = one.cases if isinstance(one, Results) else [one]
        for case in cases:
            left = [s for s in case.not_asked if s.is_probe] if isinstance(case, PlayedCase) else []
            yield from ((case.name, step) for step in (*case.probes, *left))


def unknown_steps(results: Sequence[Results], cases: Sequence[Case]) -> tuple[tuple[str, str], ...]:
    """Find steps that were played but that no case has.

    A step may stand in any of the cases, as one may continue another; a repeat is the step that it repeats.

    Returns:
        Case and id of each, once, in the order of the results; empty where ``cases`` is.
    """
    case_steps = {step.id for case in cases for step in case.steps}
    played = (
        (case.name, step.id)
        for one in results
        for case in one.cases
        for step in case.steps
        if step.id.partition("-R")[0] not in case_steps and step.id not in case_steps
    )
    return tuple(dict.fromkeys(played)) if case_steps else ()
