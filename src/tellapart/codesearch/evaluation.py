"""An evaluation as JSON: the documented fields under their names, ours behind them; written and read back.

Run A is what the source document calls Opus, run B what it calls Sonnet, whatever explores: the documented
names ``opus_only``, ``sonnet_only`` and ``both_models`` stay, so that programs that read them go on working.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tellapart.codesearch.case import Assessment, Case, Explored, Verdict
from tellapart.codesearch.conversations import Snippet, Unusable
from tellapart.codesearch.failed import Failed

SYSTEM = "system"
"""Field of an evaluation with the name of the system under test."""

SEARCHED_BY = "searched_by"
"""Field with what searched in its own words, where that is not its name."""

NOT_JUDGED = "Judge failed to evaluate"
"""The documented fallback's reasoning, by which a failed verdict of another pipeline is recognised."""


@dataclass(frozen=True)
class Evaluation:
    """One iteration, evaluated.

    Attributes:
        iteration: From 1.
        timestamp: As it was written; None where there is none.
        cases: In the order of the conversations.
        unusable: Conversations that were left out.
        facts: Further fields of the file, by name, kept as they are.
        notes: What people should know of the file that it was read from, such as lists that contradict one
            another; not written.
    """

    iteration: int
    timestamp: str | None
    cases: tuple[Case, ...]
    unusable: tuple[Unusable, ...] = ()
    facts: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()


def evaluation_record(
    evaluation: Evaluation,
    metrics: Mapping[str, Any],
    figures: Sequence[Mapping[str, Any]],
    warnings: Sequence[str],
) -> dict[str, Any]:
    """Put an evaluation as JSON has it.

    Args:
        evaluation: What was found.
        metrics: The figures of the whole, documented ones first.
        figures: Those of each case, in order: ``precision`` and ``recall``, rounded as documented, and ours.
        warnings: What to beware of.
    """
    return {
        "iteration_number": evaluation.iteration,
        "timestamp": evaluation.timestamp,
        "metrics": dict(metrics),
        "conversations": [
            _conversation(case, own) for case, own in zip(evaluation.cases, figures, strict=True)
        ],
        **(evaluation.facts or {}),
        "warnings": list(warnings),
        "unusable_conversations": [
            {"conversation_id": left.conversation, "why": left.why} for left in evaluation.unusable
        ],
    }


def _conversation(case: Case, figures: Mapping[str, Any]) -> dict[str, Any]:
    conversation, result = case.conversation, case.result
    ours = dict(figures)
    documented = {name: ours.pop(name) for name in ("precision", "recall")}
    run_a, run_b = set(case.run_a.files), set(case.run_b.files)
    return {
        "conversation_id": conversation.id,
        "issue_summary": conversation.issue_summary,
        "product_area": conversation.product_area,
        "run_a": _run(case.run_a),
        "run_b": _run(case.run_b),
        "ground_truth_files": sorted(case.ground_truth),
        "our_files": list(result.files),
        "intersection": sorted(case.intersection),
        "our_unique": sorted(case.our_unique),
        "ground_truth_unique": sorted(case.ground_truth_unique),
        "our_unique_judgments": [
            # Another pipeline's judge may have ruled on more than our unique files: nothing of it is lost.
            _judgement(file, verdict)
            for file, verdict in sorted(case.verdicts.items())
        ],
        **documented,
        "calibration_data": {
            "opus_only": sorted(run_a - run_b),
            "sonnet_only": sorted(run_b - run_a),
            "both_models": sorted(case.in_both_runs),
        },
        "classification_confidence": conversation.classification_confidence,
        "search_terms_used": list(result.terms),
        "search_duration_ms": result.duration_ms,
        "terms_by_file": _sorted_lists(result.terms_by_file),
        "terms_in_files": _sorted_lists(case.terms_in_files),
        **({"snippets": [_snippet(snippet) for snippet in result.snippets]} if result.snippets else {}),
        **{
            f"retest_{which}": _run(again)
            for which, again in (("a", case.retest_a), ("b", case.retest_b))
            if again is not None
        },
        **({"assessment": _assessment(case.assessment)} if case.assessment else {}),
        **ours,
    }


def _sorted_lists(by_file: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {file: list(terms) for file, terms in sorted(by_file.items())}


def _run(run: Explored) -> dict[str, Any]:
    record: dict[str, Any] = {"model": run.explorer, "files_found": list(run.files), "error": None}
    if run.failure:
        record |= {
            "error": run.failure.detail,
            "error_cause": run.failure.cause,
            "error_kind": run.failure.kind,
        }
    return record


def _snippet(snippet: Snippet) -> dict[str, Any]:
    return {
        "file_path": snippet.file,
        "line_start": snippet.line_start,
        "line_end": snippet.line_end,
        "content": snippet.content,
    }


def _judgement(file: str, verdict: Verdict) -> dict[str, Any]:
    record = {
        "file": file,
        # Documented: a failed verdict falls back to not relevant. It is counted as missing all the same.
        "relevant": bool(verdict.relevant),
        "actionable": verdict.actionable,
        "reasoning": verdict.reasoning,
    }
    if verdict.failure:
        record |= {"reasoning": NOT_JUDGED, **_failure(verdict.failure)}
    return record


def _failure(failure: Failed) -> dict[str, str]:
    return {
        "failed_cause": failure.cause,
        "failed_kind": failure.kind,
        "failed_detail": failure.detail,
    }


def _assessment(assessment: Assessment) -> dict[str, Any]:
    return {
        "scores": dict(assessment.scores),
        "product_area": assessment.product_area,
        "reasoning": assessment.reasoning,
        **(_failure(assessment.failure) if assessment.failure else {}),
    }
