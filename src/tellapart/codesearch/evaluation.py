"""One iteration, evaluated: its cases, where its file lies, and how it becomes the record that is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.codesearch.case import Assessment, Case, Explored, Failed, Snippet, Unusable, Verdict
from tellapart.codesearch.results.evaluation import (
    AssessmentRecord,
    CalibrationFiles,
    CaseFigures,
    ConversationRecord,
    EvaluationRecord,
    JudgementRecord,
    RunRecord,
    SnippetRecord,
    UnusableRecord,
)
from tellapart.codesearch.results.metrics import Metrics
from tellapart.errors import InputError

SYSTEM = "system"
"""Field of an evaluation with the name of the system under test."""

SEARCHED_BY = "searched_by"
"""Field with what searched in its own words, where that is not its name."""

LEXICAL = "lexical"
"""The name of our own search system, and of the explorer that searches in the same way."""

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
    evaluation: Evaluation, metrics: Metrics, figures: Sequence[CaseFigures], warnings: Sequence[str]
) -> EvaluationRecord:
    """Put an evaluation into the record that is stored and printed.

    Args:
        evaluation: What was found.
        metrics: The figures of the whole.
        figures: Those of each case, in order.
        warnings: What to beware of.
    """
    return EvaluationRecord(
        iteration_number=evaluation.iteration,
        timestamp=evaluation.timestamp,
        metrics=metrics,
        conversations=tuple(
            _conversation(case, of_case) for case, of_case in zip(evaluation.cases, figures, strict=True)
        ),
        facts=dict(evaluation.facts or {}),
        warnings=tuple(warnings),
        unusable_conversations=tuple(
            UnusableRecord(conversation_id=left.conversation, why=left.why) for left in evaluation.unusable
        ),
    )


def _conversation(case: Case, figures: CaseFigures) -> ConversationRecord:
    conversation, result = case.conversation, case.result
    run_a, run_b = set(case.run_a.files), set(case.run_b.files)
    # What does not apply stays unset, and is then no field of the JSON.
    optional: dict[str, Any] = {
        "snippets": tuple(map(_snippet, result.snippets)),
        "retest_a": case.retest_a and _run(case.retest_a),
        "retest_b": case.retest_b and _run(case.retest_b),
        "assessment": case.assessment and _assessment(case.assessment),
    }
    return ConversationRecord(
        conversation_id=conversation.id,
        issue_summary=conversation.issue_summary,
        product_area=conversation.product_area,
        run_a=_run(case.run_a),
        run_b=_run(case.run_b),
        ground_truth_files=tuple(sorted(case.ground_truth)),
        our_files=tuple(result.files),
        intersection=tuple(sorted(case.intersection)),
        our_unique=tuple(sorted(case.our_unique)),
        ground_truth_unique=tuple(sorted(case.ground_truth_unique)),
        # Another pipeline's judge may have ruled on more than our unique files: nothing of it is lost.
        our_unique_judgments=tuple(
            _judgement(file, verdict) for file, verdict in sorted(case.verdicts.items())
        ),
        calibration_data=CalibrationFiles(
            opus_only=tuple(sorted(run_a - run_b)),
            sonnet_only=tuple(sorted(run_b - run_a)),
            both_models=tuple(sorted(case.in_both_runs)),
        ),
        classification_confidence=conversation.classification_confidence,
        search_terms_used=tuple(result.terms),
        search_duration_ms=result.duration_ms,
        terms_by_file=_sorted(result.terms_by_file),
        terms_in_files=_sorted(case.terms_in_files),
        **{name: value for name, value in optional.items() if value},
        **{name: getattr(figures, name) for name in figures.model_fields_set},
    )


def _sorted(by_file: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {file: tuple(terms) for file, terms in sorted(by_file.items())}


def _run(run: Explored) -> RunRecord:
    if run.failure is None:
        return RunRecord(model=run.explorer, files_found=run.files, error=None)
    return RunRecord(
        model=run.explorer,
        files_found=run.files,
        error=run.failure.detail,
        error_cause=run.failure.cause,
        error_kind=run.failure.kind,
    )


def _snippet(snippet: Snippet) -> SnippetRecord:
    return SnippetRecord(
        file_path=snippet.file,
        line_start=snippet.line_start,
        line_end=snippet.line_end,
        content=snippet.content,
    )


def _judgement(file: str, verdict: Verdict) -> JudgementRecord:
    return JudgementRecord(
        file=file,
        # Documented: a failed verdict falls back to not relevant. It is counted as missing all the same.
        relevant=bool(verdict.relevant),
        actionable=verdict.actionable,
        reasoning=NOT_JUDGED if verdict.failure else verdict.reasoning,
        **_failure(verdict.failure),
    )


def _failure(failure: Failed | None) -> dict[str, str]:
    if failure is None:
        return {}
    return {
        "failed_cause": failure.cause,
        "failed_kind": failure.kind,
        "failed_detail": failure.detail,
    }


def _assessment(assessment: Assessment) -> AssessmentRecord:
    return AssessmentRecord(
        scores=dict(assessment.scores),
        product_area=assessment.product_area,
        reasoning=assessment.reasoning,
        **_failure(assessment.failure),
    )


IN_A_RUN = "artifacts/evaluation.json"
"""The evaluation of a run."""


def evaluation_file(path: Path) -> Path:
    """Find the file of an evaluation.

    Raises:
        InputError: There is none.
    """
    file = path / IN_A_RUN if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "there is no evaluation here",
            where=path,
            next_step="Name an evaluation.json, or a run directory of 'tellapart codesearch evaluate'",
        )
    return file
