"""From cases to the whole record of an evaluation: documented figures, ours, and what to beware of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tellapart.codesearch.calibration import Calibration, IterationRecord, State, calibrate
from tellapart.codesearch.calibration.counted import Rule
from tellapart.codesearch.cautions import searches_like_its_explorer
from tellapart.codesearch.evaluation import Evaluation, evaluation_record
from tellapart.codesearch.metrics.figures import case_figures, metrics
from tellapart.codesearch.metrics.warnings import warnings
from tellapart.codesearch.searching import JUDGES_ITSELF

DOCUMENTED = ("aggregate", "by_product_area", "calibration")
"""Parts of ``metrics`` that the source document has, in its order."""


BASIS = "calibration_basis"
"""Field with what calibration rests on beside this iteration: the rule, and the counts of those before."""

JUDGE = "judge"
"""Field with figures of the judge itself, such as its flip rate; the part of ``metrics`` that shows them."""

NOTES = "input_notes"
"""Field with what people should know of the search results as they came in."""

UNRANKED = "unranked"
"""Field that is true where the order of the system's files means nothing."""


@dataclass(frozen=True)
class Assembled:
    """An evaluation with all its figures.

    Attributes:
        record: As JSON has it.
        warnings: What to beware of, which the record has too.
        calibration: What it says of the explorers, and of those of the next iteration.
    """

    record: dict[str, Any]
    warnings: tuple[str, ...]
    calibration: Calibration


def assemble(evaluation: Evaluation, *, seed: int = 42) -> Assembled:
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
    found = metrics(evaluation.cases, ranks=not facts.get(UNRANKED), seed=seed) | {
        "calibration": calibration.block,
        "agreement": calibration.agreement,
        **({JUDGE: facts[JUDGE]} if JUDGE in facts else {}),
    }
    ordered = {name: found.pop(name) for name in DOCUMENTED} | found
    said = (
        *_left_out(evaluation),
        *facts.get(NOTES, ()),
        *evaluation.notes,
        *([JUDGES_ITSELF] if searches_like_its_explorer(evaluation) else []),
        *warnings(evaluation.cases, ordered),
        *calibration.warnings,
    )
    figures = [case_figures(case) for case in evaluation.cases]
    return Assembled(evaluation_record(evaluation, ordered, figures, said), said, calibration)


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
