"""From cases to the whole record of an evaluation: documented figures, ours, and what to beware of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tellapart.codesearch.calibration import Calibration, calibrate
from tellapart.codesearch.calibration.counted import Rule
from tellapart.codesearch.calibration.state import State
from tellapart.codesearch.evaluation import Evaluation, evaluation_record
from tellapart.codesearch.metrics.figures import case_figures, metrics
from tellapart.codesearch.metrics.warnings import warnings
from tellapart.codesearch.searching import JUDGES_ITSELF, LexicalSystem

DOCUMENTED = ("aggregate", "by_product_area", "calibration")
"""Parts of ``metrics`` that the source document has, in its order."""


SYSTEM = "system"
"""Field of an evaluation with the name of the system under test."""

SEARCHED_BY = "searched_by"
"""Field with what searched in its own words, where that is not its name."""


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


def assemble(
    evaluation: Evaluation,
    *,
    state: State | None = None,
    rule: Rule | None = None,
    further: Mapping[str, Any] | None = None,
    seed: int = 42,
) -> Assembled:
    """Compute all figures from the cases alone.

    Args:
        evaluation: What was found.
        state: The iterations before; None where nobody kept any.
        rule: When run B's explorer is enough.
        further: Parts of ``metrics`` that are not made from cases, by name.
        seed: Of everything that is drawn.
    """
    calibration = calibrate(
        evaluation.cases, iteration=evaluation.iteration, state=state, rule=rule, seed=seed
    )
    found = metrics(evaluation.cases, seed=seed) | {
        "calibration": calibration.block,
        "agreement": calibration.agreement,
        **(further or {}),
    }
    ordered = {name: found.pop(name) for name in DOCUMENTED} | found
    said = (
        *evaluation.notes,
        *_judging_itself(evaluation),
        *warnings(evaluation.cases, ordered),
        *calibration.warnings,
    )
    figures = [case_figures(case) for case in evaluation.cases]
    return Assembled(evaluation_record(evaluation, ordered, figures, said), said, calibration)


def _judging_itself(evaluation: Evaluation) -> list[str]:
    facts = evaluation.facts or {}
    explorers = {name for case in evaluation.cases for name in (case.run_a.explorer, case.run_b.explorer)}
    itself = LexicalSystem.name in (facts.get(SYSTEM), facts.get(SEARCHED_BY))
    return [JUDGES_ITSELF] if itself and LexicalSystem.name in explorers else []
