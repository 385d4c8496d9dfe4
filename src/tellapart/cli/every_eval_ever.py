"""A run as Every Eval Ever has it: a file for each model, with its mean score and the interval of that."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from tellapart.core.comparison import ComparisonSettings
from tellapart.core.comparison.compare import with_notes, within_primary
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.stats.intervals import clustered_mean, clustered_rate
from tellapart.errors import UsageError
from tellapart.files import write_json
from tellapart.store import RunDirectory
from tellapart.store.runs import DATABASE

SCHEMA = "0.3.0"
_LEVEL = 0.95


def export_every_eval_ever(path: Path, out: Path) -> list[str]:
    """Write the aggregate file of each model of a complete run that has a score; gives their names.

    What the schema requires and a run does not hold, such as who provides a model, is ``unknown``.
    """
    run = RunDirectory.open(path)
    grid = score_grid(run.scores())
    grid = within_primary(grid, with_notes(ComparisonSettings(), grid))
    if out.exists() and any(out.iterdir()):
        raise UsageError("this directory is not empty", where=out, next_step="Choose another one")
    finished = str(int((path / DATABASE).stat().st_mtime))
    written, identities = [], set[str]()
    for row, model in enumerate(grid.models):
        if np.isnan(grid.scores[row]).all():
            continue
        developer, _, name = model.rpartition("/")
        identity = f"{_plain(developer) or 'unknown'}/{_plain(name) or 'model'}"
        if identity in identities:
            identity += f"-{hashlib.sha256(model.encode()).hexdigest()[:8]}"
        identities.add(identity)
        record = _aggregate(run, grid, row, identity, finished)
        written.append(f"data/{run.record.suite}/{identity}/{_uuid(record['evaluation_id'])}.json")
        write_json(out / written[-1], record)
    return written


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name).strip(".")[:100]


def _uuid(name: str) -> UUID:
    """The same for the same name, in the version that the data store asks for."""
    return UUID(bytes=hashlib.sha256(name.encode()).digest()[:16], version=4)


def _aggregate(run: RunDirectory, grid: ScoreGrid, row: int, identity: str, finished: str) -> dict[str, Any]:
    model, suite = grid.models[row], run.record.suite
    known = ~np.isnan(grid.scores[row])
    scores = grid.scores[row][known]
    is_binary = bool(np.isin(scores, (0.0, 1.0)).all())
    estimate = (clustered_rate if is_binary else clustered_mean)(scores, grid.clusters[known], level=_LEVEL)
    uncertainty: dict[str, Any] = {"num_samples": len(scores)}
    if estimate.standard_error is not None:
        uncertainty["standard_error"] = {"value": estimate.standard_error, "method": "clustered by source"}
    if estimate.interval is not None:
        low, high = estimate.interval
        uncertainty["confidence_interval"] = {"lower": low, "upper": high, "confidence_level": _LEVEL}
    missing = {f"missing: {cause}": str(n) for cause, n in sorted(grid.missing[model].items())}
    low, high = grid.limits
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{suite}/{identity}/{finished}",
        "evaluation_timestamp": datetime.fromtimestamp(int(finished), tz=UTC).isoformat(),
        "retrieved_timestamp": finished,
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "tellapart", "version": run.record.tellapart_version},
        "model_info": {
            "name": model,
            "id": identity,
            "developer": identity.partition("/")[0],
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [
            {
                "evaluation_name": suite,
                "source_data": {
                    "dataset_name": suite,
                    "source_type": "other",
                    "additional_details": dict(run.record.inputs),
                },
                "metric_config": {
                    "metric_name": "mean score",
                    "lower_is_better": False,
                    "score_type": "continuous",
                    "min_score": low,
                    "max_score": high,
                },
                "score_details": {
                    "score": float(scores.mean()),
                    "uncertainty": uncertainty,
                    **({"details": missing} if missing else {}),
                },
            }
        ],
    }
