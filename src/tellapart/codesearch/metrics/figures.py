"""All figures of an evaluation, the documented ones first and under their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from tellapart.codesearch.case import Case
from tellapart.codesearch.metrics.aggregate import SEED, aggregate, by_product_area, measures, rounded
from tellapart.codesearch.metrics.areas import areas, uncertain
from tellapart.codesearch.metrics.assessing import assessment
from tellapart.codesearch.metrics.completeness import case_completeness, completeness
from tellapart.codesearch.metrics.confidence import confidence
from tellapart.codesearch.metrics.conversation import MEASURES, documented, one_run
from tellapart.codesearch.metrics.exploring import exploring
from tellapart.codesearch.metrics.judging import judging
from tellapart.codesearch.metrics.ranked import ranked

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


def metrics(cases: Sequence[Case], *, ranks: bool = True, seed: int = SEED) -> dict[str, Any]:
    """Figures of the whole; parts that have nothing to say, being None, are left out.

    Args:
        cases: In any order, which changes nothing.
        ranks: Whether the order of our files means anything.
        seed: Of everything that is drawn.
    """
    found = {name: block(cases) for name, block in blocks(ranks=ranks, seed=seed).items()}
    return {name: figures for name, figures in found.items() if figures is not None}


def case_figures(case: Case) -> dict[str, Any]:
    """Figures of one conversation, for its record.

    Returns:
        The documented ``precision`` and ``recall``, to three decimals. Ours, unrounded: ``measures``, by name
        ``value``, ``bounds`` and the cause why there is no value, ``missing``; ``one_run``, whether
        the ground truth is that of a single exploration since the other one failed; and ``completeness``.
    """
    found = {name: measure(case) for name, measure in MEASURES.items()}
    return {
        **{name: rounded(documented(case, name)) for name in ("precision", "recall")},
        "measures": {
            name: {"value": one.value, "bounds": [one.low, one.high], "missing": one.missing}
            for name, one in found.items()
        },
        "one_run": one_run(case),
        "completeness": case_completeness(case),
    }
