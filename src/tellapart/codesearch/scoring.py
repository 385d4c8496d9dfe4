"""From cases to the whole record of an evaluation: documented figures, ours, and what to beware of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from tellapart.codesearch.case import Case
from tellapart.codesearch.evaluation import Evaluation, evaluation_record
from tellapart.codesearch.looping.calibration import Calibration, Rule, calibrate
from tellapart.codesearch.looping.state import IterationRecord, State
from tellapart.codesearch.metrics.aggregate import (
    SEED,
    aggregate,
    areas,
    by_product_area,
    measures,
    rounded,
    uncertain,
)
from tellapart.codesearch.metrics.conversation import MEASURES, documented, one_run
from tellapart.codesearch.metrics.explorations import exploring
from tellapart.codesearch.metrics.ground_truth import case_completeness, completeness, confidence
from tellapart.codesearch.metrics.judge import assessment, judging
from tellapart.codesearch.metrics.ranked import ranked
from tellapart.codesearch.metrics.warnings import JUDGES_ITSELF, searches_like_its_explorer, warnings
from tellapart.codesearch.results.evaluation import CaseFigures, EvaluationRecord, MeasureRecord
from tellapart.codesearch.results.metrics import Metrics

Block: TypeAlias = Callable[[Sequence[Case]], Any]


def blocks(*, ranks: bool = True, seed: int = SEED) -> dict[str, Block]:
    """The parts of ``metrics``, in order: name to pure function of cases. Another part is another line.

    Args:
        ranks: Whether the order of our files means anything.
        seed: Of the parts that draw.
    """
    return {
        "aggregate": aggregate,
        "by_product_area": by_product_area,
        "measures": partial(measures, seed=seed),
        "areas": partial(areas, seed=seed),
        "uncertain": uncertain,
        "judging": judging,
        "exploring": exploring,
        "completeness": completeness,
        "confidence": confidence,
        "ranked": partial(ranked, ranks=ranks, seed=seed),
        "assessment": assessment,
    }


def metrics(cases: Sequence[Case], *, ranks: bool = True, seed: int = SEED) -> Metrics:
    """Figures of the whole; parts that have nothing to say, being None, are left out.

    Args:
        cases: In any order, which changes nothing.
        ranks: Whether the order of our files means anything.
        seed: Of everything that is drawn.
    """
    computed = {name: block(cases) for name, block in blocks(ranks=ranks, seed=seed).items()}
    return Metrics(**{name: block for name, block in computed.items() if block is not None})


def case_figures(case: Case) -> CaseFigures:
    """Figures of one conversation, for its record.

    Returns:
        The documented ``precision`` and ``recall``, to three decimals. Ours, unrounded: ``measures``, by name
        ``value``, ``bounds`` and the cause why there is no value, ``missing``; ``one_run``, whether
        the ground truth is that of a single exploration since the other one failed; and ``completeness``.
    """
    measured = {name: measure(case) for name, measure in MEASURES.items()}
    return CaseFigures(
        precision=rounded(documented(case, "precision")),
        recall=rounded(documented(case, "recall")),
        measures={
            name: MeasureRecord(value=one.value, bounds=(one.low, one.high), missing=one.missing)
            for name, one in measured.items()
        },
        one_run=one_run(case),
        completeness=case_completeness(case),
    )


BASIS = "calibration_basis"
"""Field with what calibration rests on beside this iteration: the rule, and the counts of those before."""

JUDGE = "judge"
"""Field with figures of the judge itself, such as its flip rate; the part of ``metrics`` that shows them."""

NOTES = "input_notes"
"""Field with what people should know of the search results as they came in."""

UNRANKED = "unranked"
"""Field that is true where the order of the system's files means nothing."""


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


def score_evaluation(evaluation: Evaluation, *, seed: int = 42) -> ScoredEvaluation:
    """Compute all figures from an evaluation alone, so that measuring a recorded one again gives the same.

    Args:
        evaluation: What was found. Of its ``facts`` those named above are used: without them this iteration
            is calibrated on alone, by the documented rule.
        seed: Of everything that is drawn.
    """
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
    cautions = (
        *_left_out(evaluation),
        *facts.get(NOTES, ()),
        *evaluation.notes,
        *([JUDGES_ITSELF] if searches_like_its_explorer(evaluation) else []),
        *warnings(evaluation.cases, blocks),
        *calibration.warnings,
    )
    figures = [case_figures(case) for case in evaluation.cases]
    return ScoredEvaluation(evaluation_record(evaluation, blocks, figures, cautions), cautions, calibration)


def calibration_basis(state: State | None, rule: Rule) -> dict[str, Any]:
    """Put what ``BASIS`` holds: the rule, and of each iteration before its explorers and counts."""
    before = [one.model_dump() for one in (state.iterations if state else ())]
    return {
        "iterations": rule.iterations,
        "threshold": rule.threshold,
        "before": [
            {name: one[name] for name in ("number", "run_a", "run_b", "conversations")} for one in before
        ],
    }


def _basis(recorded: Mapping[str, Any] | None) -> tuple[State | None, Rule]:
    if recorded is None:
        return None, Rule()
    before = tuple(IterationRecord(fingerprint="", **one) for one in recorded["before"])
    return State(iterations=before), Rule(recorded["iterations"], recorded["threshold"])


def _left_out(evaluation: Evaluation) -> list[str]:
    left = len(evaluation.unusable)
    if not left:
        return []
    of = left + len(evaluation.cases)
    return [
        f"{left} of {of} conversations are in none of these figures, since their search failed or they could "
        "not be used: a system that fails where it is hard looks better than it is."
    ]
