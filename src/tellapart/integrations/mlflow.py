"""A verdict on two evaluation runs of MLflow: its ``compare_evaluations`` pairs the rows, we compare them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import mlflow
import polars as pl
from mlflow.genai import compare_evaluations as compare_in_mlflow

from tellapart.api import CompareResult, compare
from tellapart.core.comparison_settings import ALPHA
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError, UsageError, near_match

_UNBOUNDED = (float("-inf"), float("inf"))


def compare_evaluations(
    candidate_run_id: str,
    baseline_run_id: str,
    *,
    greater_is_better: Mapping[str, bool] | None = None,
    source: str | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
    max_drop: float | None = None,
) -> dict[str, CompareResult]:
    """Compare two runs of ``mlflow.genai.evaluate``, in place of ``mlflow.genai.compare_evaluations``.

    Each scorer gets a result; false claims stay at 5 % over all of them. A row without a value in one run
    is missing in both, and a caution counts the rows that have no partner.

    Args:
        candidate_run_id: The run that is assessed.
        baseline_run_id: The run that it is held against.
        greater_is_better: By scorer; of those not named more is better. Scores of the others are negated.
        source: The input of a row, or else the tag of its trace, that names what it shares with others, such
            as a document.
        limits: By scorer the lowest and highest possible value; those of pass and fail are 0 and 1, and
            others have none.
        max_drop: A gate on every scorer: the largest drop that is allowed, in score units.

    Returns:
        By scorer, what `tellapart.compare` gives of the models ``baseline`` and ``candidate``.

    Raises:
        InputError: The runs have no row or no scorer in common, or a trace lacks the source.
        UsageError: An option names a scorer that was not compared.
    """
    theirs = compare_in_mlflow(candidate_run_id, baseline_run_id)
    for name in {**(greater_is_better or {}), **(limits or {})}:
        if name not in theirs.scorers:
            raise UsageError(f"there is no scorer {name!r}", next_step=near_match(name, theirs.scorers))
    if not theirs.paired_rows or not theirs.scorers:
        raise InputError(
            "the runs have no row and scorer in common", where=f"{baseline_run_id}, {candidate_run_id}"
        )
    sources = [_source(row["baseline_trace_id"], source) for row in theirs.paired_rows]
    alone = len(theirs.unpaired_baseline_trace_ids), len(theirs.unpaired_candidate_trace_ids)
    caution = f"{alone[0]} rows of the baseline and {alone[1]} of the candidate have no partner"
    notes = ScoreNotes(cautions=(caution,) if any(alone) else ())
    results = {}
    for name, compared in theirs.scorers.items():
        sign = 1.0 if (greater_is_better or {}).get(name, True) else -1.0
        low, high = (limits or {}).get(name, (0.0, 1.0) if compared.value_type == "binary" else _UNBOUNDED)
        frame = pl.concat(
            _side(side, name, sign, theirs.paired_rows, sources) for side in ("baseline", "candidate")
        )
        ends = (low, high) if sign > 0 else (-high, -low)
        table = ScoreTable.from_frame(frame, limits=ends, notes=notes)
        results[name] = compare(
            table, baseline="baseline", max_drop=max_drop, alpha=ALPHA / len(theirs.scorers)
        )
    return results


def _side(
    side: str, scorer: str, sign: float, rows: list[dict[str, Any]], sources: list[str | None]
) -> pl.DataFrame:
    """The scores of one run by one scorer; a row is named by the baseline's trace."""
    values = [row["scores"].get(scorer) for row in rows]
    scores = [None if value is None else sign * value[side] for value in values]
    return pl.DataFrame(
        {
            "model": [side] * len(rows),
            "item": [row["baseline_trace_id"] for row in rows],
            "score": pl.Series(scores, dtype=pl.Float64),
            "missing": pl.Series(["unknown" if value is None else None for value in values], dtype=pl.String),
            "cluster": pl.Series(sources, dtype=pl.String),
        }
    )


def _source(trace_id: str, key: str | None) -> str | None:
    if key is None:
        return None
    trace = mlflow.get_trace(trace_id)
    known = trace.info.tags | json.loads(trace.data.request)
    if key not in known:
        raise InputError(
            f"the row has no input and no tag {key!r}", where=trace_id, next_step=near_match(key, list(known))
        )
    return str(known[key])
