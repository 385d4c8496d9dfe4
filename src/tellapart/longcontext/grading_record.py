"""From graded conversations to the record of their grading, and how far grades agree with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from tellapart.core.record import Record
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import clustered_rate, kappa_estimate
from tellapart.errors import InputError
from tellapart.longcontext.case import AnswerKey, Entry, Length, item_of, least_of, most_of
from tellapart.longcontext.curves import effective_length
from tellapart.longcontext.grades import VALUES, Category
from tellapart.longcontext.probes import KINDS, Probe
from tellapart.longcontext.results import (
    ConversationRecord,
    Finding,
    GradingRecord,
    JudgeRepeats,
    ProbeRecord,
    StepTokens,
)
from tellapart.longcontext.transcript import PlayedCase
from tellapart.longcontext.truncation import scan
from tellapart.readers.labels import joined_labels


def grading_record(
    played: Sequence[PlayedCase],
    graded: Sequence[Probe],
    *,
    key: AnswerKey,
    findings: Sequence[Finding] = (),
    grader: str = "rules",
    judge: str | None = None,
    generated_at: int | None = None,
    seed: int = 0,
) -> GradingRecord:
    """Put together what a grading gives, with the figures that follow from it."""
    intended = _intended(graded)
    probes = tuple(probe_record(probe, probe.intended_tokens(key)) for probe in graded)
    controls = {case.model for case in played if case.control}
    points = [probe for probe in probes if probe.model not in controls and KINDS[probe.rule].one_answer]
    return GradingRecord(
        generated_at=generated_at,
        grader=grader,
        judge=judge,
        models=tuple(dict.fromkeys(case.model for case in played)),
        cases=tuple(
            _conversation(case, key.intended_of(case.name) or intended.get(case.name)) for case in played
        ),
        probes=probes,
        findings=tuple(findings),
        effective_length=effective_length(points, seed=seed),
        judging=judge_repeats(graded) if judge else None,
    )


def _intended(graded: Sequence[Probe]) -> dict[str, Length]:
    """By case the most tokens that the key intends for one of its probes."""
    most: dict[str, Length] = {}
    for probe in graded:
        tokens = probe.key.intended_tokens
        if tokens is not None:
            most[probe.case.name] = max(tokens, most.get(probe.case.name, 0), key=least_of)
    return most


def _conversation(case: PlayedCase, intended: Length | None) -> ConversationRecord:
    cuts = scan(case)
    recorded = dict(case.recorded)
    lengths = [step.conversation_length for step in case.steps if step.conversation_length is not None]
    answered = (step for step in case.steps if not step.given)
    statuses = Counter("none" if s.http_status is None else str(s.http_status) for s in answered)
    return ConversationRecord(
        model=case.model,
        name=case.name,
        epoch=case.epoch,
        control=case.control,
        steps=len(case.steps),
        messages=lengths[-1] if lengths else recorded.get("totalMessages"),
        peak_tokens=case.peak_tokens if case.peak_tokens is not None else recorded.get("peakTokens"),
        expected_tokens=None if intended is None else least_of(intended),
        expected_most_tokens=_most(intended),
        failed_steps=sum(step.response is None for step in case.steps),
        statuses=dict(sorted(statuses.items())),
        tokens=tuple(
            StepTokens(step=s.id, repeat=s.is_repeat, **{name: getattr(s, name) for name in _OF_STEP})
            for s in case.steps
        ),
        truncations=cuts.truncations,
        unknown=cuts.unknown,
    )


def _most(intended: Length | None) -> int | None:
    return most_of(intended) if isinstance(intended, tuple) else None


def probe_record(probe: Probe, intended: Length | None) -> ProbeRecord:
    """Write down a graded probe, with how long its context was meant to be."""
    step, grade, (model, case, epoch, step_id) = probe.step, probe.grade, probe.place
    return ProbeRecord(
        model=model,
        case=case,
        epoch=epoch,
        step_id=step_id,
        type=step.type,
        failure_mode=probe.failure_mode,
        rule=probe.kind.name,
        item=item_of(step.user_message) or step.id,
        question=step.user_message,
        expected=expected_text(probe),
        response=step.response,
        http_status=step.http_status,
        error=step.error_message,
        **{name: getattr(grade, name) for name in _OF_GRADE},
        context_tokens=step.prompt_tokens,
        intended_tokens=None if intended is None else least_of(intended),
        intended_most_tokens=_most(intended),
        distance_tokens=probe.evidence.distance_tokens,
        depth=probe.evidence.depth,
        judgings=tuple(judgings_of(probe)),
        banned=probe.kind.banned(probe.expected),
        decidable=probe.decidable,
    )


_OF_STEP = ("type", "prompt_tokens", "forked")
_OF_GRADE = (
    *("category", "reason", "key_detail", "value", "grader", "note", "missing", "correct", "of", "failure"),
)


def expected_text(probe: Probe) -> str | None:
    """The right answer as a report shows it; None where nothing is known of it."""
    expected = probe.expected
    if expected is None:
        return None
    if expected.answer is not None and not expected.entries:
        return "; or: ".join(expected.answers)
    lines = [_entry(entry) for entry in expected.entries]
    lines += [f"Early data: {expected.early}"] if expected.early else []
    lines += [f"Late data: {expected.late}"] if expected.late else []
    return "\n".join(lines) or expected.answer or expected.test


def _entry(entry: Entry) -> str:
    facts = [entry.author, *([str(entry.year)] if entry.year is not None else [])]
    facts += [f"N={entry.size:,}"] if entry.size is not None else []
    return f"{entry.label}: {', '.join(facts)}{f' ({entry.note})' if entry.note else ''}"


def judgings_of(graded: Probe) -> list[Category]:
    """What each asking of the judge said, in their order; empty where it was not asked."""
    attempts = [grade for grade in graded.grades if grade.grader == "judge"]
    return [grade.category for grade in sorted(attempts, key=lambda grade: grade.judging)]


def judge_repeats(graded: Iterable[Probe]) -> JudgeRepeats:
    """How often a judge changes its mind, asked several times about the same answer."""
    conversations, flips = list[str](), list[float]()
    for probe in graded:
        votes = [category for category in judgings_of(probe) if VALUES[category] is not None]
        if len(votes) > 1:
            conversations.append(f"{probe.case.model}/{probe.case.name}")
            flips.append(float(len(set(votes)) > 1))
    rate = clustered_rate(flips, conversations)
    return JudgeRepeats(probes_repeated=len(flips), flip_rate=rate.value, flip_ci=rate.interval)


FEWEST = 10
"""Probes below which kappa says nothing."""


class AgreementRecord(Record):
    """How often labels and grades are the same score, and how much more often than by chance (Cohen's kappa).

    Labelled probes without a grade are in no figure. Outer keys of ``confusion`` are labels.
    """

    n: int
    without_grade: int
    agreement: float | None
    agreement_ci: tuple[float, float] | None
    kappa: float | None
    kappa_ci: tuple[float, float] | None
    reason: str | None
    confusion: dict[str, dict[str, int]]
    judging: JudgeRepeats


def agreement_record(graded: GradingRecord, sheet: Path) -> AgreementRecord:
    """Compare grades with people's labels."""
    if not graded.probes:
        raise InputError("there are no grades", next_step="Name a run that graded at least one probe")
    rows = [
        (probe.model, f"{probe.case}/{probe.step_id}", probe.epoch, probe.value, probe.missing or "judge")
        for probe in graded.probes
    ]
    frame = pl.DataFrame(rows, ["model", "item", "replicate", "score", "missing"], orient="row")
    frame = frame.with_columns(missing=pl.when(pl.col("score").is_null()).then("missing"))
    labelled = joined_labels(ScoreTable.from_frame(frame), sheet).frame
    labels = labelled.rows_by_key(["model", "item", "replicate"], named=True, unique=True)
    known = [
        (probe, label)
        for probe, row in zip(graded.probes, rows, strict=True)
        if (label := labels[row[:3]]["human"]) is not None
    ]
    pairs = [(f"{label:g}", f"{probe.value:g}") for probe, label in known if probe.value is not None]
    items = [probe.item for probe, _ in known if probe.value is not None]
    kappa = kappa_estimate([label for label, _ in pairs], [grade for _, grade in pairs], items)
    agreement = clustered_rate([label == grade for label, grade in pairs], items)
    few = kappa.value is not None and kappa.n < FEWEST
    met = Counter(pairs)
    scores = sorted({score for pair in pairs for score in pair}, key=float, reverse=True)
    return AgreementRecord(
        n=kappa.n,
        without_grade=len(known) - len(pairs),
        agreement=agreement.value,
        agreement_ci=agreement.interval,
        kappa=None if few else kappa.value,
        kappa_ci=None if few else kappa.interval,
        reason=f"fewer than {FEWEST} probes" if few else kappa.reason,
        confusion={label: {grade: met[label, grade] for grade in scores} for label in scores},
        judging=graded.judging or judge_repeats(()),
    )
