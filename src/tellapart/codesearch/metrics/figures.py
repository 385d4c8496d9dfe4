"""All figures of an evaluation, the documented ones first and under their names."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from tellapart.codesearch.case import Case
from tellapart.codesearch.metrics.conversation import precision, recall


def case_figures(case: Case) -> dict[str, Any]:
    """Figures of one conversation, for its record."""
    found = {"precision": precision(case), "recall": recall(case)}
    bounds = {f"{name}_bounds": [_rounded(m.low), _rounded(m.high)] for name, m in found.items()}
    return {name: _rounded(measure.value) for name, measure in found.items()} | bounds


def metrics(cases: Sequence[Case]) -> dict[str, Any]:
    """Figures of the whole."""
    areas = sorted({case.conversation.product_area for case in cases})
    by_area = {area: [case for case in cases if case.conversation.product_area == area] for area in areas}
    return {
        "aggregate": {**_means(cases), "conversations_evaluated": len(cases)},
        "by_product_area": {area: {**_means(own), "count": len(own)} for area, own in by_area.items()},
    }


def _means(cases: Sequence[Case]) -> dict[str, float | None]:
    return {
        "precision": _mean([precision(case).value for case in cases]),
        "recall": _mean([recall(case).value for case in cases]),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return _rounded(fmean(known)) if known else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
