"""What makes a verdict on graded conversations worth less, the worst first, kept with their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tellapart.core.severity import SEVERITIES, Severity
from tellapart.longcontext.lint.checks import CHECKS
from tellapart.longcontext.probes import all_kinds
from tellapart.longcontext.results import (
    ConversationRecord,
    GradingRecord,
    ProbeRecord,
)
from tellapart.longcontext.token_ranges import thousands
from tellapart.report.numbers import plural

NEAR = 0.5
"""All evidence is near where the farthest is less than this share of the longest context away."""

DECISIVE = 0.5
"""A limitation that is no error is decisive where it concerns this share of the probes, or more."""


@dataclass(frozen=True)
class Limitation:
    """One thing that makes the scores worth less.

    Attributes:
        about: What it is about: errors of ``lint`` on probes, lost context, turns after a failed one, the
            distance of the evidence, a judge that failed, or graders that disagree.
        severity: An error where the scores do not measure what they claim.
        probes: How many probes or answers it concerns.
    """

    text: str
    about: Literal["errors", "truncation", "turns", "distance", "judge", "graders"]
    severity: Severity
    probes: int


def cautions(record: GradingRecord) -> tuple[str, ...]:
    """Give the cautions that follow from the record of a grading: a sentence each, see ``limitations``."""
    return tuple(limitation.text for limitation in limitations(record))


def decisive(record: GradingRecord) -> Limitation | None:
    """Give the limitation without which no score of a grading may be read."""
    controls = _controls(record)
    probes = sum(probe.model not in controls for probe in record.probes)
    for limitation in limitations(record):
        if limitation.severity == "error" or limitation.probes >= DECISIVE * probes:
            return limitation
    return None


def limitations(record: GradingRecord) -> tuple[Limitation, ...]:
    """Give what limits the scores of a grading."""
    unsorted = _found(record)
    return tuple(
        sorted(unsorted, key=lambda limitation: (SEVERITIES.index(limitation.severity), -limitation.probes))
    )


def _controls(record: GradingRecord) -> set[str]:
    return {case.model for case in record.cases if case.control}


def _found(record: GradingRecord) -> tuple[Limitation, ...]:
    # Controls ask something else than the experiment: what went wrong with them is no caution about it.
    controls = _controls(record)
    probes = [probe for probe in record.probes if probe.model not in controls]
    conversations = [case for case in record.cases if case.model not in controls]
    return (
        *_probe_errors(record, probes),
        *_truncations(conversations, probes),
        *_failed_turns(record),
        *_near_evidence(conversations, probes),
        *_failed_judge(probes),
        *_disagreement(record, controls),
    )


def _probe_errors(record: GradingRecord, probes: Sequence[ProbeRecord]) -> Iterator[Limitation]:
    counting = {(probe.case, probe.step_id) for probe in probes}
    for check in CHECKS:
        named = {(error.case, error.step) for error in record.errors if error.check == check.name}
        if check.of_probes and (wrong := len(named & counting)):
            text = f"{wrong:,} of {plural(len(counting), 'probe')} {check.of_probes}."
            yield Limitation(text, "errors", "error", wrong)


def _truncations(
    conversations: Sequence[ConversationRecord], probes: Sequence[ProbeRecord]
) -> Iterator[Limitation]:
    cut = Counter(case.model for case in conversations if case.truncations)
    if cut:
        whose = ", ".join(f"{model} {count}" for model, count in cut.items())
        text = (
            f"Context was dropped without notice in {cut.total():,} of "
            f"{plural(len(conversations), 'conversation')} ({whose})."
        )
        lost = {(case.model, case.name, case.epoch) for case in conversations if case.truncations}
        affected = sum((probe.model, probe.case, probe.epoch) in lost for probe in probes)
        yield Limitation(text, "truncation", "error", affected)


def _failed_turns(record: GradingRecord) -> Iterator[Limitation]:
    failed = {(error.case, error.step) for error in record.errors if error.check == "roles"}
    if failed:
        text = f"{plural(len(failed), 'turn')} came after a failed turn that stayed in the conversation."
        yield Limitation(text, "turns", "error", len(failed))


def _near_evidence(
    conversations: Sequence[ConversationRecord], probes: Sequence[ProbeRecord]
) -> Iterator[Limitation]:
    """Evidence that is all near its question, in contexts that are long or were meant to be."""
    kinds = all_kinds()
    distances = [
        (probe, probe.distance_tokens)
        for probe in probes
        if probe.distance_tokens is not None and not kinds[probe.rule].of_system
    ]
    claimed = {
        (case.model, case.name, case.epoch): max(case.peak_tokens or 0, case.expected_tokens or 0)
        for case in conversations
    }
    farthest = max((tokens for _, tokens in distances), default=0)
    near = [
        tokens
        for probe, _ in distances
        if farthest < NEAR * (tokens := claimed.get((probe.model, probe.case, probe.epoch), 0))
    ]
    if near:
        text = (
            f"No evidence is farther than {thousands(farthest)} tokens from its question, where contexts of "
            f"{thousands(max(near))} are claimed."
        )
        yield Limitation(text, "distance", "warning", len(near))


def _failed_judge(probes: Sequence[ProbeRecord]) -> Iterator[Limitation]:
    judged = [probe for probe in probes if probe.grader == "judge"]
    failed = Counter(probe.missing or "judge" for probe in judged if probe.value is None)
    if failed:
        causes = ", ".join(f"{cause} {count}" for cause, count in sorted(failed.items()))
        text = f"The judge gave no usable grade for {failed.total():,} of {len(judged):,} answers ({causes})."
        yield Limitation(text, "judge", "warning", failed.total())


def _disagreement(record: GradingRecord, controls: set[str]) -> Iterator[Limitation]:
    conflicts = sum(conflict.model not in controls for conflict in record.conflicts)
    if record.graders and conflicts:
        both = plural(record.graders.both, "answer")
        text = f"Judge and rules disagree on {conflicts:,} of {both} that both graded."
        yield Limitation(text, "graders", "warning", conflicts)
