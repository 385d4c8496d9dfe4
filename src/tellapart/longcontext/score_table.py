"""Graded probes as a score table with its cautions: whether its models differ, and figures for trackers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

import polars as pl

from tellapart.core.comparison import Comparison, compare
from tellapart.core.comparison_settings import ALPHA
from tellapart.core.score_grid import score_grid
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.core.severity import SEVERITIES, Severity
from tellapart.longcontext.case import AnswerKey, least_of, thousands
from tellapart.longcontext.grades import NOT_GRADED, Grade
from tellapart.longcontext.lint.checks import OF_PROBES
from tellapart.longcontext.probes import KINDS, Probe
from tellapart.longcontext.results import ConversationRecord, GradingRecord, ProbeRecord
from tellapart.report.numbers import plural
from tellapart.report.tracked import Figure, Tracked, mean_figures, pair_figures, tracked

T = TypeVar("T", ConversationRecord, ProbeRecord)

NEAR = 0.5
"""All evidence is near where the farthest is less than this share of the longest context away."""

DECISIVE = 0.5
"""A limitation that is no error is decisive where it concerns this share of the probes, or more."""


@dataclass(frozen=True)
class Limitation:
    """One thing that makes the scores worth less."""

    text: str
    severity: Severity
    probes: int


def decisive(record: GradingRecord) -> Limitation | None:
    """Give the limitation without which no score of a grading may be read."""
    probes = len(_without_controls(record.probes, record))
    for limitation in limitations(record):
        if limitation.severity == "error" or limitation.probes >= DECISIVE * probes:
            return limitation
    return None


def limitations(record: GradingRecord) -> tuple[Limitation, ...]:
    """Give what limits the scores of a grading, the worst first."""
    # Controls ask something else than the experiment: what went wrong with them is no caution about it.
    probes = _without_controls(record.probes, record)
    conversations = _without_controls(record.cases, record)
    unsorted = (
        *_lint_errors(record, probes),
        *_truncations(conversations, probes),
        *_near_evidence(conversations, probes),
        *_graders(probes),
        *_abstentions(probes),
    )
    return tuple(sorted(unsorted, key=lambda limit: (SEVERITIES.index(limit.severity), -limit.probes)))


def _without_controls(parts: Sequence[T], record: GradingRecord) -> list[T]:
    return [part for part in parts if part.model not in record.controls]


def _lint_errors(record: GradingRecord, probes: Sequence[ProbeRecord]) -> Iterator[Limitation]:
    counting = {(probe.case, probe.step_id) for probe in probes}
    steps = defaultdict[str, set[tuple[str | None, str | None]]](set)
    for error in record.errors:
        steps[error.check].add((error.case, error.step))
    for check, means in OF_PROBES.items():
        if wrong := len(steps[check] & counting):
            text = f"{wrong:,} of {plural(len(counting), 'probe')} {means}."
            yield Limitation(text, "error", wrong)
    if failed := len(steps["roles"]):
        text = f"{plural(failed, 'turn')} came after a failed turn that stayed in the conversation."
        yield Limitation(text, "error", failed)


def _truncations(
    conversations: Sequence[ConversationRecord], probes: Sequence[ProbeRecord]
) -> Iterator[Limitation]:
    lost = [(case.model, case.name, case.epoch) for case in conversations if case.truncations]
    if lost:
        cut = Counter(model for model, *_ in lost)
        whose = ", ".join(f"{model} {count}" for model, count in cut.items())
        of = plural(len(conversations), "conversation")
        text = f"Context was dropped without notice in {len(lost):,} of {of} ({whose})."
        affected = sum(probe.place[:3] in lost for probe in probes)
        yield Limitation(text, "error", affected)


def _near_evidence(
    conversations: Sequence[ConversationRecord], probes: Sequence[ProbeRecord]
) -> Iterator[Limitation]:
    """Evidence that is all near its question, in contexts that are long or were meant to be."""
    located = [p for p in probes if p.distance_tokens is not None and not KINDS[p.rule].of_system]
    farthest = max((probe.distance_tokens or 0 for probe in located), default=0)
    claimed = {
        (case.model, case.name, case.epoch): max(case.peak_tokens or 0, case.expected_tokens or 0)
        for case in conversations
    }
    contexts = [claimed.get(probe.place[:3], 0) for probe in located]
    if long := [tokens for tokens in contexts if farthest < NEAR * tokens]:
        text = (
            f"No evidence is farther than {thousands(farthest)} tokens from its question, where contexts of "
            f"{thousands(max(long))} are claimed."
        )
        yield Limitation(text, "warning", len(long))


def _graders(probes: Sequence[ProbeRecord]) -> Iterator[Limitation]:
    judged = [probe for probe in probes if probe.grader == "judge"]
    failed = Counter(probe.missing or "judge" for probe in judged if probe.value is None)
    if failed:
        causes = ", ".join(f"{cause} {count}" for cause, count in sorted(failed.items()))
        text = f"The judge gave no usable grade for {failed.total():,} of {len(judged):,} answers ({causes})."
        yield Limitation(text, "warning", failed.total())


def _abstentions(probes: Sequence[ProbeRecord]) -> Iterator[Limitation]:
    """Two models whose decidable answers code leaves ungraded at rates that differ by more than chance."""
    import numpy as np
    from scipy.stats import fisher_exact

    answers = defaultdict[str, list[bool]](list)
    for probe in probes:
        if probe.decidable and probe.response is not None:
            answers[probe.model].append(probe.missing == NOT_GRADED)
    rates = sorted(answers, key=lambda model: fmean(answers[model]))
    if len(rates) < 2 or not any(answers[rates[-1]]):
        return
    least, most = ((sum(answers[model]), len(answers[model])) for model in (rates[0], rates[-1]))
    table = np.array([[left, n - left] for left, n in (least, most)])
    # The two models that differ most are chosen from all pairs.
    p = fisher_exact(table).pvalue * len(rates) * (len(rates) - 1) / 2
    if p < ALPHA:
        text = (
            f"Code left {most[0]:,} of {plural(most[1], 'answer')} of {rates[-1]} ungraded and {least[0]:,} "
            f"of {least[1]:,} of {rates[0]}, which is more than chance: a judge or a person must grade them."
        )
        yield Limitation(text, "warning", most[0])


_TEXTS = ("model", "item", "missing", "cluster", "length", "failure_mode", "rule", "case")
_SCHEMA = dict.fromkeys(_TEXTS, pl.String) | {"score": pl.Float64, "replicate": pl.Int64, "grading": pl.Int64}

NO_MODE = "not named"


def score_rows(probes: Sequence[Probe], key: AnswerKey) -> pl.DataFrame:
    """Put grades as ``core.scores.ScoreTable.from_frame`` takes them."""
    rows = [
        _row(probe, grade, None if length is None else f"{least_of(length):,}")
        for probe in probes
        for length in [probe.intended_tokens(key)]
        for grade in probe.grades
        if grade.grader == probe.grade.grader
    ]
    return pl.DataFrame(rows, schema=_SCHEMA)


def _row(probe: Probe, grade: Grade, length: str | None) -> dict[str, object]:
    model, case, epoch, step = probe.place
    return {
        **{"model": model, "item": f"{case}/{step}", "score": grade.value, "missing": _cause(grade)},
        **{"replicate": epoch, "grading": grade.judging, "cluster": case, "length": length},
        **{"failure_mode": probe.failure_mode or NO_MODE, "rule": probe.kind.name, "case": case},
    }


def _cause(grade: Grade) -> str | None:
    if grade.value is not None:
        return None
    return grade.missing or ("judge" if grade.category == "EVAL_ERROR" else "provider")


_SORTING = ("length", "failure_mode", "rule")
"""Columns that the secondary family may be about; the first of several values is."""


def score_notes(scores: pl.DataFrame, record: GradingRecord) -> ScoreNotes:
    """Give what must stay with the scores of a grading."""
    several = (name for name in _SORTING if scores[name].drop_nulls().n_unique() > 1)
    return ScoreNotes(
        by=next(several, "failure_mode"), cautions=tuple(limit.text for limit in limitations(record))
    )


def comparison_of(scores: ScoreTable) -> Comparison | None:
    """Compare the models of a grading."""
    return compare(scores) if len(scores.scored_models) > 1 else None


def tracked_grading(record: GradingRecord, scores: ScoreTable, comparison: Comparison | None) -> Tracked:
    """Give of each model its mean score and its effective context lengths in tokens, and the pairs."""
    return tracked("longcontext", _figures(record, scores, comparison))


def _figures(record: GradingRecord, scores: ScoreTable, comparison: Comparison | None) -> Iterator[Figure]:
    yield from mean_figures(score_grid(scores))
    for lengths in record.effective_length.models if record.effective_length else ():
        yield (lengths.model, "effective_length_absolute"), lengths.absolute.tokens
        yield (lengths.model, "effective_length_relative"), lengths.relative.tokens
    yield ("findings_errors",), sum(1 for _ in record.errors)
    if comparison is not None:
        yield from pair_figures(comparison.primary.pairs)
