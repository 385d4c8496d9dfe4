"""From cases to the whole record of an evaluation: documented figures, ours, and what to beware of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from tellapart.codesearch.evaluation import UNRANKED, Evaluation
from tellapart.codesearch.figures import Metrics
from tellapart.codesearch.looping.calibration import CalibrationRule, calibrate
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
from tellapart.codesearch.metrics.independence import warnings_of
from tellapart.codesearch.metrics.judge import assessment, judging
from tellapart.codesearch.metrics.ranked import ranked
from tellapart.codesearch.metrics.recall_bound import sampled_recall
from tellapart.codesearch.metrics.warnings import warnings
from tellapart.codesearch.model import Case, MeasureRecord
from tellapart.codesearch.recordings import GOLD_FORM
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
        "ranked": partial(ranked, ranks=ranks),
        "assessment": assessment,
        "sampled_recall": sampled_recall,
    }


def metrics(cases: Sequence[Case], *, ranks: bool = True, seed: int = SEED) -> Metrics:
    """Figures of the whole; parts that have nothing to say, being None, are left out."""
    computed = {name: block(cases) for name, block in blocks(ranks=ranks, seed=seed).items()}
    return Metrics(**{name: block for name, block in computed.items() if block is not None})


def with_figures(case: Case) -> Case:
    """Fill in the figures of one conversation."""
    measured: dict[str, Figure] = {name: measure(case) for name, measure in MEASURES.items()}
    if case.gold is not None:
        measured |= {name: score(case, measure) for name, measure in GOLD_MEASURES.items()}
    return replace(
        case,
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


def score_evaluation(evaluation: Evaluation, *, seed: int = SEED) -> Evaluation:
    """Fill in all figures from an evaluation alone, so that measuring a recorded one again gives the same."""
    facts = evaluation.facts
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
    return replace(
        evaluation,
        cases=tuple(map(with_figures, evaluation.cases)),
        metrics=blocks,
        gold=gold,
        warnings=cautions,
    )


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
