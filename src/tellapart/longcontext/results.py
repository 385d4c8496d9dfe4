"""What the suite prints as JSON, stores in its runs and shows on its page: one model a record.

``grade`` stores a ``GradingRecord`` as ``artifacts/grades.json`` of its run, and reports are made from it.
Unknown is null everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.alias_generators import to_camel

from tellapart.core.estimate import Interval
from tellapart.core.record import Record
from tellapart.core.severity import Severity
from tellapart.longcontext.case import StepType
from tellapart.longcontext.grades import Category
from tellapart.longcontext.transcript import Control
from tellapart.longcontext.truncation import Truncation

GRADES_FILE = "artifacts/grades.json"

Axis = Literal["by_length", "by_distance"]

Definition = Literal["absolute", "relative"]

Status = Literal["determined", "at_least", "below", "withheld", "not_determined"]
"""``at_least``: every length passes. ``below``: none does. ``withheld``: it depends on missing scores."""


@dataclass(frozen=True)
class Finding:
    """One thing to know before trusting an experiment; those with the same remedy are shown as one."""

    severity: Severity
    check: str
    case: str | None
    step: str | None
    message: str
    remedy: str = ""


class StepTokens(Record):
    """What was counted at one step of a conversation; a repeat repeats an earlier message."""

    step: str
    type: StepType
    prompt_tokens: int | None
    forked: bool
    repeat: bool


class ConversationRecord(Record):
    """One conversation as it was played; the model of a control is ``M (closed-book)``.

    ``statuses`` counts steps by HTTP status, and ``unknown`` are steps that may have been cut or not.
    """

    model: str
    name: str
    epoch: int
    control: Control | None
    steps: int
    messages: int | None
    peak_tokens: int | None
    expected_tokens: int | None
    failed_steps: int
    statuses: dict[str, int]
    tokens: tuple[StepTokens, ...]
    truncations: tuple[Truncation, ...]
    unknown: tuple[str, ...]
    expected_most_tokens: int | None


class ProbeRecord(Record):
    """One graded probe: what was asked, what came back, the grade that counts and what stands beside it.

    Two probes with the same ``item`` ask the same question. The nearest evidence stands at ``depth``, from 0
    to 1, and ``distance_tokens`` before the question. ``judgings`` are all attempts of the judge, in order.
    """

    model: str
    case: str
    epoch: int
    step_id: str
    type: StepType
    failure_mode: str | None
    rule: str
    item: str
    question: str
    expected: str | None
    response: str | None
    http_status: int | None
    error: str | None
    category: Category
    reason: str
    key_detail: str
    value: Annotated[float | None, Field(ge=0, le=1)]
    grader: str
    note: str | None
    missing: str | None
    correct: int | None
    of: int | None
    context_tokens: int | None
    intended_tokens: int | None
    distance_tokens: int | None
    depth: float | None
    judgings: tuple[Category, ...]
    banned: str | None
    decidable: bool
    intended_most_tokens: int | None
    failure: str | None

    @property
    def place(self) -> tuple[str, str, int, str]:
        """Its model, case, epoch and step, which no two probes of a record share."""
        return self.model, self.case, self.epoch, self.step_id


class JudgeRepeats(Record):
    """How often a judge changes its mind."""

    probes_repeated: int
    flip_rate: float | None
    flip_ci: tuple[float, float] | None


@dataclass(frozen=True)
class CurveCell:
    """The score of the probes of one length, or of one distance: the mean over ``n`` items.

    ``tokens`` is the length that was asked for, or the lower median of its probes. A bin begins above
    ``low_tokens``. ``lowest`` is the mean if every missing score were 0, ``highest`` if it were 1.
    """

    tokens: int
    low_tokens: int
    high_tokens: int
    measured_tokens: int | None
    value: float | None
    interval: Interval | None
    n: int
    missing: dict[str, int]
    lowest: float
    highest: float


@dataclass(frozen=True)
class HeatCell:
    """The score of probes whose evidence stood at one depth of contexts of one length."""

    tokens: int
    low_depth: float
    high_depth: float
    value: float | None
    n: int
    n_missing: int


@dataclass(frozen=True)
class LengthInterval:
    """Tested lengths between which a share ``level`` of experiments have theirs; None: below all."""

    low_tokens: int | None
    high_tokens: int | None
    open_above: bool
    level: float


@dataclass(frozen=True)
class EffectiveLength:
    """The longest length such that the score at it and at all shorter ones reaches the threshold."""

    definition: Definition
    status: Status
    tokens: int | None
    threshold: float | None
    base: float | None
    base_tokens: tuple[int, ...]
    interval: LengthInterval | None
    reason: str | None
    interval_reason: str | None


@dataclass(frozen=True)
class ModelLengths:
    """Curves, depths by length, and effective lengths of one model, from probes that have evidence."""

    model: str
    by_length: tuple[CurveCell, ...]
    by_distance: tuple[CurveCell, ...]
    heatmap: tuple[HeatCell, ...]
    absolute: EffectiveLength
    relative: EffectiveLength


@dataclass(frozen=True)
class EffectiveLengths:
    """All models of an experiment; ``level`` is that of the intervals."""

    level: float
    models: tuple[ModelLengths, ...]


class GradingRecord(Record):
    """What ``grade`` found, controls included."""

    generated_at: int | None
    grader: str
    judge: str | None
    models: tuple[str, ...]
    cases: tuple[ConversationRecord, ...]
    probes: tuple[ProbeRecord, ...]
    findings: tuple[Finding, ...]
    effective_length: EffectiveLengths | None
    judging: JudgeRepeats | None

    @cached_property
    def controls(self) -> frozenset[str]:
        """Models as they were asked without the conversation; none where nothing else was asked."""
        names = frozenset(case.model for case in self.cases if case.control)
        return names if names != {*self.models} else frozenset()

    @property
    def failed_on_the_way(self) -> int:
        """Probes whose judge failed in a way that may pass another time: with its provider, or for money."""
        return sum(probe.failure in ("budget", "provider", "timeout") for probe in self.probes)

    @property
    def errors(self) -> Iterator[Finding]:
        """Findings that are errors."""
        return (finding for finding in self.findings if finding.severity == "error")


_PRINTED = {
    **{"stepId": "step_id", "failureMode": "failure_mode", "score": "category", "reason": "reason"},
    **{"keyDetail": "key_detail", "grader": "grader", "promptTokens": "context_tokens"},
    **{"evidenceDistanceTokens": "distance_tokens", "missing": "missing", "value": "value", "note": "note"},
    **{"model": "model", "epoch": "epoch", "decidable": "decidable", "correct": "correct", "of": "of"},
}
"""Keys of a grade as a file of experiment results spells them, and the fields of ``ProbeRecord``."""


def printed_grades(record: GradingRecord) -> dict[str, Any]:
    """Give what ``grade --json`` prints: grades by case, and where context was lost."""
    cases: dict[str, list[dict[str, Any]]] = {case.name: [] for case in record.cases}
    for probe in record.probes:
        cases[probe.case].append({key: getattr(probe, name) for key, name in _PRINTED.items()})
    names = ("step_id", "previous_prompt_tokens", "prompt_tokens", "conversation_length", "rule")
    cuts = [
        {"case": case.name}
        | {to_camel(name): getattr(cut, name) for name in names}
        | {"model": case.model, "epoch": case.epoch}
        for case in record.cases
        for cut in case.truncations
    ]
    return {"cases": cases, "truncation": cuts}
