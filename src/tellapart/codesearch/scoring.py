"""From cases to the whole record of an evaluation: documented figures, ours, and what to beware of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from tellapart.codesearch.case import Assessment, Case, Explored, Failed, Gold, JudgeVerdict, Snippet
from tellapart.codesearch.evaluation import NOT_JUDGED, UNRANKED, Evaluation
from tellapart.codesearch.looping.calibration import Calibration, CalibrationRule, calibrate
from tellapart.codesearch.looping.state import CalibrationBasis, CountedIteration, IterationRecord, State
from tellapart.codesearch.metrics.aggregate import (
    aggregate,
    areas,
    by_product_area,
    measures,
    rounded,
    uncertain,
)
from tellapart.codesearch.metrics.conversation import MEASURES, Figure, documented, one_run
from tellapart.codesearch.metrics.explorations import exploring
from tellapart.codesearch.metrics.gold import MEASURES as GOLD_MEASURES
from tellapart.codesearch.metrics.gold import against_gold, score
from tellapart.codesearch.metrics.ground_truth import completeness
from tellapart.codesearch.metrics.independence import warnings_of
from tellapart.codesearch.metrics.judge import assessment, judging
from tellapart.codesearch.metrics.ranked import ranked
from tellapart.codesearch.metrics.warnings import warnings
from tellapart.codesearch.reading.searches import GOLD_FORM
from tellapart.codesearch.results.evaluation import (
    AssessmentRecord,
    CalibrationFiles,
    CaseFigures,
    ConversationRecord,
    EvaluationRecord,
    ExplorationRecord,
    JudgementRecord,
    MeasureRecord,
    SnippetRecord,
    UnusableRecord,
)
from tellapart.codesearch.results.gold import GoldRecord, GoldSummary
from tellapart.codesearch.results.metrics import Metrics
from tellapart.core.seed import SEED
from tellapart.files import check_record

Block: TypeAlias = Callable[[Sequence[Case]], Any]


def blocks(*, ranks: bool = True, seed: int = SEED) -> dict[str, Block]:
    """The parts of ``metrics``, in order: name to pure function of cases. Another part is another line."""
    return {
        "aggregate": aggregate,
        "by_product_area": by_product_area,
        "measures": measures,
        "areas": partial(areas, seed=seed),
        "uncertain": uncertain,
        "judging": judging,
        "exploring": exploring,
        "completeness": completeness,
        "ranked": partial(ranked, ranks=ranks),
        "assessment": assessment,
    }


def metrics(cases: Sequence[Case], *, ranks: bool = True, seed: int = SEED) -> Metrics:
    """Figures of the whole; parts that have nothing to say, being None, are left out."""
    computed = {name: block(cases) for name, block in blocks(ranks=ranks, seed=seed).items()}
    return Metrics(**{name: block for name, block in computed.items() if block is not None})


def case_figures(case: Case) -> CaseFigures:
    """Figures of one conversation, for its record."""
    measured: dict[str, Figure] = {name: measure(case) for name, measure in MEASURES.items()}
    if case.gold is not None:
        measured |= {name: score(case, measure) for name, measure in GOLD_MEASURES.items()}
    return CaseFigures(
        precision=rounded(documented(case, "precision")),
        recall=rounded(documented(case, "recall")),
        measures={
            name: MeasureRecord(value=figure.value, bounds=(figure.low, figure.high), missing=figure.missing)
            for name, figure in measured.items()
        },
        one_run=one_run(case),
    )


BASIS = "calibration_basis"
"""Field with what calibration rests on beside this iteration: the rule, and the counts of those before."""

JUDGE = "judge"
"""Field with figures of the judge itself, such as its flip rate; the part of ``metrics`` that shows them."""

NOTES = "input_notes"
"""Field with what people should know of the search results as they came in."""

IN_THE_INPUT = "touched_files of the input"
"""Where gold came from that nobody named a file of."""

WITHHELD = "withheld"
"""Field with how many files of the repositories nobody is shown, by reason, since they hold secrets."""


@dataclass(frozen=True)
class ScoredEvaluation:
    """An evaluation with all its figures.

    Attributes:
        record: What is stored, and printed as JSON.
        warnings: What to beware of, which the record has too.
        calibration: What it says of the explorers, and of those of the next iteration.
    """

    record: EvaluationRecord
    warnings: tuple[str, ...]
    calibration: Calibration


def score_evaluation(evaluation: Evaluation, *, seed: int = SEED) -> ScoredEvaluation:
    """Compute all figures from an evaluation alone, so that measuring a recorded one again gives the same."""
    facts = evaluation.facts or {}
    state, rule = _basis(facts.get(BASIS))
    calibration = calibrate(
        evaluation.cases, iteration=evaluation.iteration, state=state, rule=rule, seed=seed
    )
    blocks = metrics(evaluation.cases, ranks=not facts.get(UNRANKED), seed=seed).model_copy(
        update={
            "calibration": calibration.block,
            "agreement": calibration.agreement,
            **({JUDGE: facts[JUDGE]} if JUDGE in facts else {}),
        }
    )
    gold = against_gold(
        evaluation.cases,
        form=str(facts.get(GOLD_FORM) or IN_THE_INPUT),
        failed=len(evaluation.unusable),
        ranks=not facts.get(UNRANKED),
    )
    cautions = (
        *_left_out(evaluation),
        *facts.get(NOTES, ()),
        *evaluation.notes,
        *warnings_of(evaluation),
        *warnings(evaluation.cases, blocks),
        *calibration.warnings,
    )
    figures = [case_figures(case) for case in evaluation.cases]
    record = evaluation_record(evaluation, blocks, figures, cautions, gold)
    return ScoredEvaluation(record, cautions, calibration)


def calibration_basis(state: State | None, rule: CalibrationRule) -> dict[str, Any]:
    """Put what ``BASIS`` holds: the rule, and of each iteration before its explorers and counts."""
    basis = CalibrationBasis(
        iterations=rule.iterations,
        threshold=rule.threshold,
        before=tuple(
            CountedIteration(
                number=earlier.number,
                run_a=earlier.run_a,
                run_b=earlier.run_b,
                conversations=earlier.conversations,
            )
            for earlier in (state.iterations if state else ())
        ),
    )
    return basis.to_json()


def _basis(recorded: object) -> tuple[State | None, CalibrationRule]:
    if recorded is None:
        return None, CalibrationRule()
    basis = check_record(recorded, CalibrationBasis, "evaluation.json", BASIS)
    before = tuple(IterationRecord(fingerprint="", **dict(earlier)) for earlier in basis.before)
    return State(iterations=before), CalibrationRule(basis.iterations, basis.threshold)


def _left_out(evaluation: Evaluation) -> list[str]:
    left = len(evaluation.unusable)
    if not left:
        return []
    of = left + len(evaluation.cases)
    return [
        f"{left} of {of} conversations are in none of these figures, since their search failed or they could "
        "not be used: a system that fails where it is hard looks better than it is."
    ]


def evaluation_record(
    evaluation: Evaluation,
    metrics: Metrics,
    figures: Sequence[CaseFigures],
    warnings: Sequence[str],
    gold: GoldSummary | None = None,
) -> EvaluationRecord:
    """Put an evaluation into the record that is stored and printed."""
    return EvaluationRecord(
        iteration_number=evaluation.iteration,
        timestamp=evaluation.timestamp,
        metrics=metrics,
        **({"gold": gold} if gold else {}),
        conversations=tuple(
            _conversation(case, of_case) for case, of_case in zip(evaluation.cases, figures, strict=True)
        ),
        further_fields=dict(evaluation.facts or {}),
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
        "repository": conversation.base and conversation.base.repository,
        "base_commit": conversation.base and conversation.base.commit,
        "gold": case.gold and _gold(case.gold),
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


def _gold(gold: Gold) -> GoldRecord:
    return GoldRecord(files=gold.files, absent=gold.absent, left_out=dict(gold.left_out))


def _sorted(by_file: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {file: tuple(terms) for file, terms in sorted(by_file.items())}


def _run(run: Explored) -> ExplorationRecord:
    if run.failure is None:
        return ExplorationRecord(model=run.explorer, files_found=run.files, error=None)
    return ExplorationRecord(
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


def _judgement(file: str, verdict: JudgeVerdict) -> JudgementRecord:
    return JudgementRecord(
        file=file,
        # Documented: a failed verdict falls back to not relevant. It is counted as missing all the same.
        relevant=bool(verdict.relevant),
        actionable=verdict.actionable,
        reasoning=NOT_JUDGED if verdict.failure else verdict.reasoning,
        **({} if verdict.fingerprint is None else {"fingerprint": verdict.fingerprint}),
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
