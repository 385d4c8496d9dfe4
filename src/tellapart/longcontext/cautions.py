"""What makes a verdict on graded conversations worth less, kept with their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]

_PROBE_ERRORS = {
    "answerability": "ask for something that the conversation never showed",
    "order": "came before the context had grown to its length",
    "self-leak": "state their own answer",
    "repeats": "had their evidence pasted again next to the question",
    "controls": "failed a control: guessed without the context, or missed with the evidence alone",
}
"""What an error of a check means for the probes that it names, as the end of a sentence about them."""


def cautions(record: Record) -> tuple[str, ...]:
    """Give the cautions that follow from the record of a grading.

    Args:
        record: As ``record.grading_record`` makes it, perhaps by an earlier version.

    Returns:
        A sentence each, in this order: for every check of ``lint`` with errors on probes that count, lost
        context, other errors, a judge that failed, and disagreement of the judge with the rules.
    """
    controls = {case["model"] for case in record["cases"] if case["control"]}
    probes = [probe for probe in record["probes"] if probe["model"] not in controls]
    playings = [case for case in record["cases"] if case["model"] not in controls]
    return (
        *_probe_errors(record, probes),
        *_truncations(playings),
        *_failed_turns(record),
        *_failed_judge(probes),
        *_disagreement(record, controls),
    )


def _probe_errors(record: Record, probes: Sequence[Record]) -> Iterator[str]:
    asked = {(probe["case"], probe["step_id"]) for probe in probes}
    for check, what in _PROBE_ERRORS.items():
        named = {(one["case"], one["step"]) for one in _errors(record) if one["check"] == check}
        if wrong := len(named & asked):
            yield f"{wrong:,} of {_plural(len(asked), 'probe')} {what}."


def _truncations(playings: Sequence[Record]) -> Iterator[str]:
    cut = Counter(case["model"] for case in playings if case["truncations"])
    if cut:
        whose = ", ".join(f"{model} {count}" for model, count in cut.items())
        yield (
            f"Context was dropped without notice in {cut.total():,} of "
            f"{_plural(len(playings), 'conversation')} ({whose})."
        )


def _failed_turns(record: Record) -> Iterator[str]:
    failed = {(one["case"], one["step"]) for one in _errors(record) if one["check"] == "roles"}
    if failed:
        yield f"{_plural(len(failed), 'turn')} came after a failed turn that stayed in the conversation."


def _failed_judge(probes: Sequence[Record]) -> Iterator[str]:
    judged = [probe for probe in probes if probe["grader"] == "judge"]
    failed = Counter(probe["missing"] or "judge" for probe in judged if probe["value"] is None)
    if failed:
        causes = ", ".join(f"{cause} {count}" for cause, count in sorted(failed.items()))
        yield f"The judge gave no usable grade for {failed.total():,} of {len(judged):,} answers ({causes})."


def _disagreement(record: Record, controls: set[str]) -> Iterator[str]:
    graders = record.get("graders")
    conflicts = sum(one["model"] not in controls for one in record["conflicts"])
    if graders and conflicts:
        yield (
            f"Judge and rules disagree on {conflicts:,} of {_plural(graders['both'], 'answer')} that both "
            "graded."
        )


def _errors(record: Record) -> Iterator[Record]:
    return (one for one in record["findings"] if one["severity"] == "error")


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
