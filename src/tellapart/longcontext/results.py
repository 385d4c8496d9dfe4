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
"""Where a run of ``grade`` has its record."""

Axis = Literal["by_length", "by_distance"]
"""Along which a score falls."""

Definition = Literal["absolute", "relative"]

Status = Literal["determined", "at_least", "below", "withheld", "not_determined"]
"""``determined``: a longer length does not pass. ``at_least``: every length passes, so the true one may be
longer. ``below``: not even the shortest passes. ``withheld``: the answer depends on what missing scores would
have been. ``not_determined``: there is too little to say, see the reason."""


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
    conversation_length: int | None


class ConversationRecord(Record):
    """One conversation as it was played; the model of a control is ``M (closed-book)``.

    Attributes:
        peak_tokens: The most tokens of one call.
        expected_tokens: What its case was meant to grow to, or else the most that the answer key intends for
            one of its probes; of a range the lower end, and ``expected_most_tokens`` is the upper one.
        statuses: How many steps had each HTTP status; ``none`` where it was not recorded.
        unknown: Ids of steps that may have been cut or not.
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

    Attributes:
        rule: Its kind, by which it is graded.
        item: What makes two probes the same question.
        expected: The right answer as a report shows it.
        context_tokens: Prompt tokens of the step, as measured.
        intended_tokens: Of a range the lower end; of a verification without a length that of its case.
        distance_tokens: From the nearest evidence, which stands at ``depth``, to the question.
        judgings: The category of each attempt of the judge, in order.
        decidable: Whether code can grade it, as follows from key and question alone.
        failure: Why the judge gave no evaluation; None where it gave one, or was not asked.
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
    """The score of the probes of one length, or of one distance.

    Attributes:
        tokens: What the cell is called: the length that was asked for, or the lower median of its probes.
        low_tokens: Where the cell begins, excluded; of a length that was asked for the length itself.
        value: Mean over items, each item the mean of its scores.
        interval: Wilson's of 95 % for clustered items; None where there is none.
        n: Items with a score.
        missing: How many askings have no score, by cause.
        lowest: The mean if every missing score were 0; ``highest`` if it were 1.
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
    """The score of probes whose evidence stood at one depth of contexts of one length.

    ``low_depth`` is included, ``high_depth`` excluded but for 1. Of ``n`` items there is a score, of
    ``n_missing`` there is none.
    """

    tokens: int
    low_depth: float
    high_depth: float
    value: float | None
    n: int
    n_missing: int


@dataclass(frozen=True)
class LengthInterval:
    """Tested lengths between which the share ``level`` of resampled experiments have theirs, both included.

    None is below the shortest; with ``open_above`` the true upper one may be longer than the longest.
    """

    low_tokens: int | None
    high_tokens: int | None
    open_above: bool
    level: float


@dataclass(frozen=True)
class EffectiveLength:
    """The longest length such that the score at it and at all shorter ones passes.

    Attributes:
        threshold: What a score must reach; None where there is no base score.
        base: The base score of ``relative``, and ``base_tokens`` its lengths.
    """

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
    """Curves, depths by length, and effective lengths of one model.

    Probes whose evidence was nowhere before them, such as traps and what an experiment never provided, are in
    none of them. One that failed before its evidence is known is a missing score of its length.
    """

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
    **{"model": "model", "epoch": "epoch", "decidable": "decidable"},
}
"""Keys of a grade as a file of experiment results spells them, and the fields of ``ProbeRecord``."""


def printed_grades(record: GradingRecord) -> dict[str, Any]:
    """Give what ``grade --json`` prints: grades by case, lost context, and counts of enumerations by step."""
    cases: dict[str, list[dict[str, Any]]] = {case.name: [] for case in record.cases}
    lists: dict[str, dict[str, Any]] = {}
    for probe in record.probes:
        cases[probe.case].append({key: getattr(probe, name) for key, name in _PRINTED.items()})
        if probe.of is not None:
            counts = {"correct": probe.correct, "of": probe.of, "value": probe.value}
            each = lists.setdefault(probe.step_id, counts | {"each": []})["each"]
            each.append({"model": probe.model, "case": probe.case, "epoch": probe.epoch} | counts)
    names = ("step_id", "previous_prompt_tokens", "prompt_tokens", "conversation_length", "rule")
    cuts = [
        {"case": case.name}
        | {to_camel(name): getattr(cut, name) for name in names}
        | {"model": case.model, "epoch": case.epoch}
        for case in record.cases
        for cut in case.truncations
    ]
    return {"cases": cases, "truncation": cuts, "enumeration": lists}
