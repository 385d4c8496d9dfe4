"""What the suite prints as JSON, stores in its runs and shows on its page: one model a record.

``grade`` stores a ``GradingRecord`` as ``artifacts/grades.json`` of its run, and reports are made from it.
Unknown is null everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, PlainSerializer

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
    """One thing to know before trusting an experiment.

    Attributes:
        severity: An error means that the figures do not measure what they claim.
        case: Name of the case; None of what is not about one.
        step: Id of the step; None of what is not about one.
        message: What, and what to do about it.
        pattern: The message with ``{name}`` in place of each of its figures, so that findings which differ in
            these alone can be shown as one; empty where the message has none.
        figures: By name: a count, a share of 1, or a text such as the ids of steps.
    """

    severity: Severity
    check: str
    case: str | None
    step: str | None
    message: str
    pattern: str = ""
    figures: dict[str, int | float | str] = field(default_factory=dict, hash=False)

    def to_json(self) -> dict[str, Any]:
        """Give it as JSON has it: without ``pattern`` and ``figures`` where there are no figures."""
        data = asdict(self)
        return data if self.pattern else {k: data[k] for k in data if k not in ("pattern", "figures")}


def _as_json(findings: tuple[Finding, ...]) -> list[dict[str, Any]]:
    return [finding.to_json() for finding in findings]


class StepTokens(Record):
    """What was counted at one step of a conversation.

    Attributes:
        type: A message or a kind of probe.
        prompt_tokens: Of the whole conversation as it was sent; None where tokens were not counted.
        forked: Whether it is part of nothing that later steps were sent.
        repeat: Whether it repeats an earlier message.
        conversation_length: Messages of the conversation after it.
    """

    step: str
    type: StepType
    prompt_tokens: int | None
    forked: bool
    repeat: bool
    conversation_length: int | None


class ConversationRecord(Record):
    """One conversation as it was played.

    Attributes:
        model: Who answered; of a control with the control behind it, ``M (closed-book)``.
        epoch: Which attempt at the same case, from 0.
        control: None of an experiment.
        steps: How many were played.
        messages: Its length at its end.
        peak_tokens: The most tokens of one call.
        expected_tokens: What its case was meant to grow to, or else the most that the answer key intends for
            one of its probes; of a range the lower end.
        failed_steps: Those without a response.
        statuses: How many steps had each HTTP status; ``none`` where it was not recorded.
        truncations: Where it was cut, in order.
        unknown: Ids of steps of which nobody can know whether they were cut.
        expected_most_tokens: The upper end of that range; None of a single number.
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


class RulesGrade(Record):
    """What the rules say beside a judge's grade."""

    category: Category
    reason: str
    key_detail: str


class ProbeRecord(Record):
    """One graded probe.

    Attributes:
        model: Who answered.
        case: Name of the conversation.
        epoch: Which attempt at the same case, from 0.
        type: Checkpoint or verification.
        failure_mode: What it looks for, in the words of the case.
        rule: Its kind, by which it is graded.
        item: What makes two probes the same question.
        expected: The right answer as a report shows it.
        response: What came back; None where nothing did.
        error: In the provider's words.
        category: The grade that counts.
        key_detail: What was right, wrong or made up.
        value: The score, the share of right entries where entries are counted; None where there is none.
        grader: Who decided.
        note: What to beware of in this grade.
        missing: Why there is no score.
        correct: Entries that are right, of an enumeration.
        of: Entries that there are, of an enumeration.
        context_tokens: Prompt tokens of the step, as measured.
        intended_tokens: How long the context was meant to be, of a range the lower end; of a verification
            that of its case where nobody says it of the probe.
        distance_tokens: From the nearest evidence to the question.
        depth: Where the nearest evidence stands, from 0 to 1.
        judgings: The category of each attempt of the judge, in order.
        by_rules: What the rules say beside the judge; None where they were not asked too.
        banned: The word that a probe for a banned word looks for.
        decidable: Whether code can grade it, as follows from key and question alone.
        intended_most_tokens: The upper end of a range that was meant; None of a single number.
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
    value: float | None
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
    by_rules: RulesGrade | None
    banned: str | None
    decidable: bool
    intended_most_tokens: int | None
    failure: str | None


class Conflict(Record):
    """A probe of which judge and rules give different categories."""

    model: str
    case: str
    epoch: int
    step_id: str
    judge: Category
    rules: Category


class GraderCounts(Record):
    """How many answers judge and rules both graded, and only one of them.

    Attributes:
        both: Answers that both graded, of which conflicts are a part.
        only_rules: Why the judge did not, with counts.
        only_judge: Why the rules did not, with counts.
    """

    both: int
    only_rules: dict[str, int]
    only_judge: dict[str, int]


class JudgeRepeats(Record):
    """How far a judge agrees with itself.

    Attributes:
        askings: Evaluations that were asked for.
        askings_failed: Those of them that gave none.
        ties: Probes in which the most frequent category has an equal.
        probes_repeated: Probes with two evaluations or more.
        flip_rate: The share of these in which any two evaluations differ; grows with the number of attempts.
        flip_ci: Its 95 % interval, clustered on the conversation.
        disagreement: The mean over these of the share of pairs of evaluations that differ.
    """

    askings: int
    askings_failed: int
    ties: int
    probes_repeated: int
    flip_rate: float | None
    flip_ci: tuple[float, float] | None
    disagreement: float | None


def _ends(published: object) -> object:
    return (published.get("low"), published.get("high")) if isinstance(published, dict) else published


_CurveInterval: TypeAlias = Annotated[
    Interval | None,
    BeforeValidator(_ends),
    PlainSerializer(lambda ends: ends and {**ends._asdict(), "level": 0.95}),
]
"""The 95 % interval of a curve, which is published as an object with its level in place of a pair."""


@dataclass(frozen=True)
class CurveCell:
    """The score of the probes of one length, or of one distance.

    Attributes:
        tokens: What the cell is called: the length that was asked for, or the lower median of its probes.
        low_tokens: Where the cell begins, excluded; of a length that was asked for the length itself.
        high_tokens: Where it ends, included.
        measured_tokens: Mean length of the context, or mean distance; None where it was not measured.
        value: Mean over items, each item the mean of its scores; None where no item has one.
        interval: Wilson's for clustered items; None with ``reason``.
        n: Items with a score.
        n_missing: Items without any.
        missing: How many askings have no score, by cause.
        clusters: Conversations of the items with a score.
        lowest: The mean if every missing score were 0.
        highest: The mean if every missing score were 1.
        reason: Why there is no interval.
    """

    tokens: int
    low_tokens: int
    high_tokens: int
    measured_tokens: int | None
    value: float | None
    interval: _CurveInterval
    n: int
    n_missing: int
    missing: dict[str, int]
    clusters: int
    lowest: float
    highest: float
    reason: str | None = None

    @property
    def score(self) -> float:
        """The value of a cell that has one."""
        return _known(self.value)


@dataclass(frozen=True)
class HeatCell:
    """The score of probes whose evidence stood at one depth of contexts of one length.

    Attributes:
        tokens: The column: ``tokens`` of the cell of ``by_context``.
        low_depth: Where the row begins, included.
        high_depth: Where it ends, excluded but for 1.
        value: None where nothing has a score, and where nothing was asked.
        n: Items with a score.
        n_missing: Items without any.
        lowest: With every missing score 0; None where nothing was asked.
        highest: With every missing score 1; None where nothing was asked.
    """

    tokens: int
    low_depth: float
    high_depth: float
    value: float | None
    n: int
    n_missing: int
    lowest: float | None
    highest: float | None

    @property
    def score(self) -> float:
        """The value of a cell that has one."""
        return _known(self.value)


@dataclass(frozen=True)
class LengthInterval:
    """Between which tested lengths the effective length is.

    It is a pair of points of the grid, not of tokens in between: the share ``level`` of resampled experiments
    have their effective length between these two, both included.

    Attributes:
        low_tokens: None for below the shortest length.
        high_tokens: None for below the shortest length.
        open_above: Whether ``high_tokens`` is the longest length, so that the true one may be longer.
        level: Confidence in (0, 1).
    """

    low_tokens: int | None
    high_tokens: int | None
    open_above: bool
    level: float


@dataclass(frozen=True)
class EffectiveLength:
    """The longest length such that the score at it and at all shorter ones passes.

    Attributes:
        status: See ``Status``.
        tokens: The length; None of ``below``, ``withheld`` and ``not_determined``.
        threshold: What a score must reach; None where there is no base score.
        base: The base score of ``relative``; None of ``absolute`` and where there is none.
        base_tokens: The lengths whose score is the base.
        base_stands_in: Whether no length is short enough for a base, so that the shortest stands in for it.
        interval: None with ``interval_reason``.
        left_out_tokens: Lengths with too few items to count.
        reason: Why it is not determined, or withheld.
        words: The result in words, for people.
    """

    definition: Definition
    status: Status
    tokens: int | None
    threshold: float | None
    base: float | None
    base_tokens: tuple[int, ...]
    base_stands_in: bool
    interval: LengthInterval | None
    left_out_tokens: tuple[int, ...]
    reason: str | None
    interval_reason: str | None
    words: str


@dataclass(frozen=True)
class ModelLengths:
    """One model.

    Attributes:
        probes: Askings, those without evidence included.
        without_evidence: Scored askings whose evidence was nowhere before them, such as traps and what an
            experiment never provided, and those that cannot be graded. They say nothing about how far a model
            remembers and are in no curve. One that failed before its evidence is known is not among them: it
            is a missing score of its length.
        without_length: Askings with evidence whose context nobody measured or asked for.
        by_length: The shortest first.
        by_distance: The nearest first.
        heatmap: By length, then by depth.
        absolute: By RULER's definition.
        relative: By NoLiMa's.
    """

    model: str
    probes: int
    without_evidence: int
    without_length: int
    by_length: tuple[CurveCell, ...]
    by_distance: tuple[CurveCell, ...]
    heatmap: tuple[HeatCell, ...]
    absolute: EffectiveLength
    relative: EffectiveLength

    def curve(self, by: Axis) -> tuple[CurveCell, ...]:
        """The scores along an axis."""
        return self.by_length if by == "by_length" else self.by_distance

    def length(self, definition: Definition) -> EffectiveLength:
        """The effective length by a definition."""
        return self.absolute if definition == "absolute" else self.relative


@dataclass(frozen=True)
class EffectiveLengths:
    """All models of an experiment.

    Attributes:
        asked: Whether cells are the lengths that were asked for, as every probe says one; else bins.
        draws: Resampled experiments behind an interval of a length.
        minimum_items: See ``MINIMUM_ITEMS``.
    """

    asked: bool
    level: float
    draws: int
    seed: int
    minimum_items: int
    models: tuple[ModelLengths, ...]


def _known(value: float | None) -> float:
    if value is None:
        raise ValueError("this cell has no score")
    return value


class GradingRecord(Record):
    """What ``grade`` found.

    Attributes:
        generated_at: Milliseconds since 1970; None where it was not recorded.
        grader: Who was to decide: ``rules``, ``judge``, ``both`` or ``auto``.
        judge: Its name; None where no judge was asked.
        models: Names, in the order of the results.
        cases: The conversations, controls included.
        findings: What to know before trusting the figures.
        conflicts: Where judge and rules give different categories.
        graders: Of the conversations that are no controls; None where not both were asked.
        effective_length: Curves and effective context lengths.
        judging: How far the judge agrees with itself; None where no judge was asked.
    """

    generated_at: int | None
    grader: str
    judge: str | None
    models: tuple[str, ...]
    cases: tuple[ConversationRecord, ...]
    probes: tuple[ProbeRecord, ...]
    findings: Annotated[tuple[Finding, ...], PlainSerializer(_as_json)]
    conflicts: tuple[Conflict, ...]
    graders: GraderCounts | None
    effective_length: EffectiveLengths | None
    judging: JudgeRepeats | None

    @property
    def failed_on_the_way(self) -> int:
        """Probes whose judge failed in a way that may pass another time: with its provider, or for money.

        What a judge refuses or says in a form that cannot be used is not asked for again.
        """
        return sum(probe.failure in ("budget", "provider", "timeout") for probe in self.probes)

    @property
    def errors(self) -> Iterator[Finding]:
        """Findings that are errors."""
        return (finding for finding in self.findings if finding.severity == "error")


_PRINTED = {
    "stepId": "step_id",
    "failureMode": "failure_mode",
    "score": "category",
    "reason": "reason",
    "keyDetail": "key_detail",
    "grader": "grader",
    "promptTokens": "context_tokens",
    "evidenceDistanceTokens": "distance_tokens",
    "missing": "missing",
    "value": "value",
    "note": "note",
    "model": "model",
    "epoch": "epoch",
    "decidable": "decidable",
}
"""Keys of a grade as a file of experiment results spells them, and the fields of ``ProbeRecord``."""

_COUNTED = ("model", "case", "epoch", "correct", "of", "value")


def printed_grades(record: GradingRecord) -> dict[str, Any]:
    """Give what ``grade --json`` prints, for scripts.

    ``cases`` has the probes of each case in the order in which they were asked, model after model;
    ``truncation`` every step at which context was lost; ``enumeration`` by step id how many entries are
    right, of the first conversation and of ``each``.
    """
    cases: dict[str, list[dict[str, Any]]] = {case.name: [] for case in record.cases}
    lists: dict[str, list[dict[str, Any]]] = {}
    for probe in record.probes:
        printed = {key: getattr(probe, name) for key, name in _PRINTED.items()}
        cases[probe.case].append(printed)
        if probe.of is not None:
            lists.setdefault(probe.step_id, []).append({name: getattr(probe, name) for name in _COUNTED})
    cuts = [
        {
            "case": case.name,
            "stepId": cut.step_id,
            "previousPromptTokens": cut.previous_prompt_tokens,
            "promptTokens": cut.prompt_tokens,
            "conversationLength": cut.conversation_length,
            "rule": cut.rule,
            "model": case.model,
            "epoch": case.epoch,
        }
        for case in record.cases
        for cut in case.truncations
    ]
    enumeration = {
        step: {**{name: each[0][name] for name in ("correct", "of", "value")}, "each": each}
        for step, each in lists.items()
    }
    conflicts = [conflict.model_dump() for conflict in record.conflicts]
    return {"cases": cases, "truncation": cuts, "enumeration": enumeration, "conflicts": conflicts}


class Kappa(Record):
    """How often two raters give the same category, and how much more often than by chance.

    Attributes:
        n: Probes that both scored.
        agreement: Share of them with the same category.
        agreement_ci: Its 95 % interval, clustered on the question.
        kappa: Cohen's, unweighted, over all categories.
        kappa_ci: Its 95 % interval.
    """

    n: int
    agreement: float | None
    agreement_ci: tuple[float, float] | None
    kappa: float | None
    kappa_ci: tuple[float, float] | None
    reason: str | None


class _Rule(Record):
    rule: str


class RuleKappa(Kappa, _Rule):
    """Of the probes of one rule."""


class ProbePlace(Record):
    """Which probe of which conversation."""

    model: str
    case: str
    epoch: int
    step: str


class Disagreement(ProbePlace):
    """A probe that a rater and the grades score differently."""

    human: Category
    graded: Category


class CountDisagreement(ProbePlace):
    """A list of ``of`` entries of which a rater and the grades count another number as right."""

    of: int
    human: int
    graded: int


class CountAgreement(Record):
    """How far a rater and the grades count the same entries of lists as right.

    Attributes:
        n: Lists that both counted.
        mean_difference: Mean share of entries that the grades count as right more than the rater does,
            from -1 to 1; None of no list.
        disagreements: Lists with other counts.
    """

    n: int
    same: int
    mean_difference: float | None
    disagreements: tuple[CountDisagreement, ...]


class _Rater(Record):
    rater: str
    scored: int
    unscored: int


class RaterAgreement(Kappa, _Rater):
    """How far one rater agrees with the grades.

    Attributes:
        rater: Who scored.
        scored: Rows with a score.
        unscored: Rows without a score.
        confusion: How often which category of the rater met which grade.
        by_rule: By name; categories of several rules never meet, which helps kappa over all.
        counts: Lists that the rater counted; None where there is none.
        disagreements: Probes that are scored differently.
        only_human: Scored, but not graded.
        only_graded: Graded, but not scored.
    """

    confusion: dict[Category, dict[Category, int]]
    by_rule: tuple[RuleKappa, ...]
    counts: CountAgreement | None
    disagreements: tuple[Disagreement, ...]
    only_human: tuple[ProbePlace, ...]
    only_graded: tuple[ProbePlace, ...]


class AgreementRecord(Record):
    """How far grades agree with people.

    Attributes:
        ungraded: Those of them without a grade.
        judging: How far the judge agrees with itself.
    """

    graded: int
    ungraded: int
    raters: tuple[RaterAgreement, ...]
    judging: JudgeRepeats


class LeftOutRecords(Record):
    """Records of a data set of which no case was made, for one cause."""

    cause: str
    count: int
    first: tuple[str, ...]


class ImportRecord(Record):
    """What was made of the file of a data set.

    Attributes:
        licence: Under which it was published, as far as that is known.
        cases: How many were written.
        over_the_limit: Records that were not looked at, since there were as many cases as were asked for.
        questions: How many of each failure mode.
        left_out: Records that were looked at and are no cases, by cause.
        changes: What was changed or left out inside the others, with counts.
        out: Directory of the cases.
    """

    form: str
    data_set: str
    licence: str
    file: str
    sha256: str
    records: int
    cases: int
    over_the_limit: int
    questions: dict[str, int]
    left_out: tuple[LeftOutRecords, ...]
    changes: dict[str, int]
    out: str
