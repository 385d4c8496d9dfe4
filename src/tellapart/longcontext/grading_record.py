"""What ``grade`` found, as JSON: ``artifacts/grades.json`` of its run, which reports are made from.

    {"schema_version": 1, "generated_at": ms or null, "grader": "rules"|"judge"|"both", "judge": name or null,
     "models": [names, in the order of the results],
     "cases": [{"model", "name", "epoch", "control", "steps", "messages", "peak_tokens", "expected_tokens",
                "failed_steps", "statuses": {"200": n, "none": n}, "tokens": [{"step", "type",
                "prompt_tokens", "forked", "repeat", "conversation_length"}], "truncations": [{"step_id",
                "previous_prompt_tokens", "prompt_tokens", "expected_prompt_tokens",
                "conversation_length", "rule", ...}], "unknown": [step ids]}],
     "probes": [{"model", "case", "epoch", "step_id", "type", "failure_mode", "rule", "item", "question",
                 "expected", "response", "http_status", "error", "category", "value", "reason",
                 "key_detail", "grader", "note", "missing", "correct", "of", "context_tokens",
                 "intended_tokens", "distance_tokens", "depth", "judgings": [categories],
                 "by_rules": {"category", "reason", "key_detail"} or null,
                 "banned": the word that it looks for, or null}],
     "findings": [{"severity", "check", "case", "step", "message"}],
     "conflicts": [{"model", "case", "epoch", "step_id", "judge", "rules"}],
     "graders": as ``conflicts.graders_of`` has it of the conversations that are no controls, or null where
                not both graded; absent from records of earlier versions,
     "effective_length": as ``effective_length`` has it, or null,
     "judging": as ``judge_repeats.repeat_figures`` has it, or null where no judge was asked}

``model`` of a conversation that was played as a control has the control behind it, ``M (closed-book)``.
``messages`` is the conversation's length at its end, ``expected_tokens`` what its case was meant to grow to
or else the most that the key intends for one of its probes. ``context_tokens`` are the prompt tokens of the
step, as measured, and null where nobody measured; ``intended_tokens`` of a verification are those of its
case where nobody says them of itself. ``banned`` is null of a probe whose rule is not ``sink``. Unknown is
null everywhere, and no other key is ever absent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tellapart.longcontext.case import AnswerKey, Entry
from tellapart.longcontext.grades import Grade, GradedProbe, intended_tokens
from tellapart.longcontext.grading.judge_agreement import by_rules, conflicts_in, graders_of, judgings_of
from tellapart.longcontext.lint.findings import Finding
from tellapart.longcontext.probes import banned_of, item_of, rule_of
from tellapart.longcontext.transcript import PlayedCase, PlayedStep
from tellapart.longcontext.truncation import Scan

IN_A_RUN = "artifacts/grades.json"
"""Where a run has it."""


def grading_record(
    played: Sequence[PlayedCase],
    scans: Sequence[Scan],
    graded: Sequence[GradedProbe],
    *,
    key: AnswerKey,
    findings: Sequence[Finding] = (),
    grader: str = "rules",
    judge: str | None = None,
    judging: Mapping[str, Any] | None = None,
    effective_length: Any = None,
    generated_at: int | None = None,
) -> dict[str, Any]:
    """Put together what was found.

    Args:
        played: The conversations.
        scans: What the search for truncation found in each of them.
        graded: Their probes.
        key: What they were graded by.
        findings: What to know before trusting the figures.
        grader: Who was to decide.
        judge: Its name, where it was one.
        judging: What is known of the judge itself.
        effective_length: As ``effective_length`` has it, JSON-able.
        generated_at: Milliseconds since 1970.
    """
    intended = _intended(graded)
    controls = {case.model for case in played if case.control}
    counting = [probe for probe in graded if probe.model not in controls]
    return {
        "schema_version": 1,
        "generated_at": generated_at,
        "grader": grader,
        "judge": judge,
        "models": list(dict.fromkeys(case.model for case in played)),
        "cases": [
            _case(case, scan, key.intended_of(case.name) or intended.get(case.name))
            for case, scan in zip(played, scans, strict=True)
        ],
        "probes": [_probe(probe, intended_tokens(probe, key)) for probe in graded],
        "findings": [asdict(finding) for finding in findings],
        "conflicts": conflicts_in(graded),
        "graders": graders_of(counting) if grader == "both" else None,
        "effective_length": effective_length,
        "judging": judging,
    }


def _intended(graded: Sequence[GradedProbe]) -> dict[str, int]:
    """By case the most tokens that the key intends for one of its probes."""
    found: dict[str, int] = {}
    for probe in graded:
        tokens = probe.expected.intended_tokens if probe.expected else None
        if tokens is not None:
            found[probe.case] = max(tokens, found.get(probe.case, 0))
    return found


def _case(case: PlayedCase, scan: Scan, intended: int | None) -> dict[str, Any]:
    recorded = dict(case.recorded)
    lengths = [step.conversation_length for step in case.steps if step.conversation_length is not None]
    statuses = Counter("none" if s.http_status is None else str(s.http_status) for s in case.steps)
    return {
        "model": case.model,
        "name": case.name,
        "epoch": case.epoch,
        "control": case.control,
        "steps": len(case.steps),
        "messages": lengths[-1] if lengths else recorded.get("totalMessages"),
        "peak_tokens": case.peak_tokens if case.peak_tokens is not None else recorded.get("peakTokens"),
        "expected_tokens": intended,
        "failed_steps": sum(step.response is None for step in case.steps),
        "statuses": dict(sorted(statuses.items())),
        "tokens": [_tokens(step) for step in case.steps],
        "truncations": [
            {name: value for name, value in asdict(found).items() if name not in ("model", "case", "epoch")}
            for found in scan.found
        ],
        "unknown": list(scan.unknown),
    }


def _tokens(step: PlayedStep) -> dict[str, Any]:
    return {
        "step": step.id,
        "type": step.type,
        "prompt_tokens": step.prompt_tokens,
        "forked": step.forked,
        "repeat": step.is_repeat,
        "conversation_length": step.conversation_length,
    }


def _probe(probe: GradedProbe, intended: int | None) -> dict[str, Any]:
    step, expected, grade = probe.step, probe.expected, probe.grade
    beside = by_rules(probe)
    rule = rule_of(step.id, step.failure_mode, expected)
    return {
        "model": probe.model,
        "case": probe.case,
        "epoch": probe.epoch,
        "step_id": step.id,
        "type": step.type,
        "failure_mode": step.failure_mode or (expected.failure_mode if expected else None),
        "rule": rule,
        "item": item_of(step.user_message) or step.id,
        "question": step.user_message,
        "expected": expected_text(probe),
        "response": step.response,
        "http_status": step.http_status,
        "error": step.error_message,
        **_grade(grade),
        "value": grade.value,
        "grader": grade.grader,
        "note": grade.note,
        "missing": grade.missing,
        "correct": grade.correct,
        "of": grade.of,
        "context_tokens": step.prompt_tokens,
        "intended_tokens": intended,
        "distance_tokens": probe.distance_tokens,
        "depth": probe.depth,
        "judgings": judgings_of(probe),
        "by_rules": _grade(beside) if beside else None,
        "banned": banned_of(expected) if rule == "sink" else None,
    }


def _grade(grade: Grade) -> dict[str, Any]:
    return {"category": grade.category, "reason": grade.reason, "key_detail": grade.key_detail}


def expected_text(probe: GradedProbe) -> str | None:
    """The right answer as a report shows it; None where nothing is known of it."""
    expected = probe.expected
    if expected is None:
        return None
    if expected.answer is not None and not expected.entries:
        return expected.answer
    lines = [_entry(entry) for entry in expected.entries]
    lines += [f"Early data: {expected.early}"] if expected.early else []
    lines += [f"Late data: {expected.late}"] if expected.late else []
    return "\n".join(lines) or expected.answer or expected.test


def _entry(entry: Entry) -> str:
    facts = [entry.author, *([str(entry.year)] if entry.year is not None else [])]
    facts += [f"N={entry.size:,}"] if entry.size is not None else []
    return f"{entry.label}: {', '.join(facts)}{f' ({entry.note})' if entry.note else ''}"
