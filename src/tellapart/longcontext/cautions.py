"""What makes a verdict on graded conversations worth less, kept with their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tellapart.longcontext.lint.checks import CHECKS
from tellapart.longcontext.results import ConversationRecord, GradingRecord, ProbeRecord
from tellapart.report.numbers import plural


def cautions(record: GradingRecord) -> tuple[str, ...]:
    """Give the cautions that follow from the record of a grading.

    Returns:
        A sentence each, in this order: for every check of ``lint`` with errors on probes that count, lost
        context, other errors, a judge that failed, and disagreement of the judge with the rules.
    """
    # Controls ask something else than the experiment: what went wrong with them is no caution about it.
    controls = {case.model for case in record.cases if case.control}
    probes = [probe for probe in record.probes if probe.model not in controls]
    conversations = [case for case in record.cases if case.model not in controls]
    return (
        *_probe_errors(record, probes),
        *_truncations(conversations),
        *_failed_turns(record),
        *_failed_judge(probes),
        *_disagreement(record, controls),
    )


def _probe_errors(record: GradingRecord, probes: Sequence[ProbeRecord]) -> Iterator[str]:
    counting = {(probe.case, probe.step_id) for probe in probes}
    for check in CHECKS:
        named = {(error.case, error.step) for error in record.errors if error.check == check.name}
        if check.of_probes and (wrong := len(named & counting)):
            yield f"{wrong:,} of {plural(len(counting), 'probe')} {check.of_probes}."


def _truncations(conversations: Sequence[ConversationRecord]) -> Iterator[str]:
    cut = Counter(case.model for case in conversations if case.truncations)
    if cut:
        whose = ", ".join(f"{model} {count}" for model, count in cut.items())
        yield (
            f"Context was dropped without notice in {cut.total():,} of "
            f"{plural(len(conversations), 'conversation')} ({whose})."
        )


def _failed_turns(record: GradingRecord) -> Iterator[str]:
    failed = {(error.case, error.step) for error in record.errors if error.check == "roles"}
    if failed:
        yield f"{plural(len(failed), 'turn')} came after a failed turn that stayed in the conversation."


def _failed_judge(probes: Sequence[ProbeRecord]) -> Iterator[str]:
    judged = [probe for probe in probes if probe.grader == "judge"]
    failed = Counter(probe.missing or "judge" for probe in judged if probe.value is None)
    if failed:
        causes = ", ".join(f"{cause} {count}" for cause, count in sorted(failed.items()))
        yield f"The judge gave no usable grade for {failed.total():,} of {len(judged):,} answers ({causes})."


def _disagreement(record: GradingRecord, controls: set[str]) -> Iterator[str]:
    conflicts = sum(conflict.model not in controls for conflict in record.conflicts)
    if record.graders and conflicts:
        both = plural(record.graders.both, "answer")
        yield f"Judge and rules disagree on {conflicts:,} of {both} that both graded."
