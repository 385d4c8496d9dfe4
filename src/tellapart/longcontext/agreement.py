"""How far grades agree with people, who labelled answers on a sheet of ``grade --to-label`` or ``label``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl

from tellapart.core.record import Record
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import clustered_rate, kappa_estimate
from tellapart.errors import InputError
from tellapart.longcontext.grading_record import judge_repeats
from tellapart.longcontext.results import GradingRecord, JudgeRepeats
from tellapart.readers.labels import joined_labels

FEWEST = 10
"""Probes below which kappa says nothing."""


class Disagreement(Record):
    """A probe whose label and grade are different scores."""

    model: str
    case: str
    epoch: int
    step: str
    human: float
    graded: float


class AgreementRecord(Record):
    """How often labels and grades are the same score, and how much more often than by chance (Cohen's kappa).

    Attributes:
        graded: All probes of the grading, of which ``ungraded`` have no grade.
        n: Probes that have a label and a grade.
        without_grade: Labelled probes without a grade, which are in no figure.
        confusion: How often a label, the outer key, met a grade.
    """

    graded: int
    ungraded: int
    n: int
    without_grade: int
    agreement: float | None
    agreement_ci: tuple[float, float] | None
    kappa: float | None
    kappa_ci: tuple[float, float] | None
    reason: str | None
    confusion: dict[str, dict[str, int]]
    disagreements: tuple[Disagreement, ...]
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
    of_probes = [labels[row[:3]]["human"] for row in rows]
    known = [
        (probe, label) for probe, label in zip(graded.probes, of_probes, strict=True) if label is not None
    ]
    both = [(probe, label, probe.value) for probe, label in known if probe.value is not None]
    pairs = [(f"{label:g}", f"{grade:g}") for _, label, grade in both]
    items = [probe.item for probe, *_ in both]
    kappa = kappa_estimate([label for label, _ in pairs], [grade for _, grade in pairs], items)
    agreement = clustered_rate([label == grade for label, grade in pairs], items)
    few = kappa.value is not None and kappa.n < FEWEST
    met = Counter(pairs)
    scores = sorted({score for pair in pairs for score in pair}, key=float, reverse=True)
    return AgreementRecord(
        graded=len(graded.probes),
        ungraded=sum(probe.value is None for probe in graded.probes),
        n=kappa.n,
        without_grade=len(known) - len(both),
        agreement=agreement.value,
        agreement_ci=agreement.interval,
        kappa=None if few else kappa.value,
        kappa_ci=None if few else kappa.interval,
        reason=f"fewer than {FEWEST} probes" if few else kappa.reason,
        confusion={label: {grade: met[label, grade] for grade in scores} for label in scores},
        disagreements=tuple(
            Disagreement(
                model=probe.model,
                case=probe.case,
                epoch=probe.epoch,
                step=probe.step_id,
                human=label,
                graded=grade,
            )
            for (probe, label, grade), (of_label, of_grade) in zip(both, pairs, strict=True)
            if of_label != of_grade
        ),
        judging=graded.judging or judge_repeats(()),
    )
