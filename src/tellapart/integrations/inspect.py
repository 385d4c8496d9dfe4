"""From Inspect's data frames to a verdict: the rows of ``evals_df`` choose the logs that are compared."""

from __future__ import annotations

import json
from math import fsum
from typing import Any, Literal
from urllib.parse import unquote, urlparse

import polars as pl

from tellapart.api import AuditResult, CompareResult, audit, compare
from tellapart.errors import InputError, UsageError, near_match


def verdict(
    evals: Any, *, baseline: str | None = None, max_drop: float | None = None, **options: Any
) -> AuditResult | CompareResult:
    """Say which models the logs of a data frame separate, sample by sample.

    Samples, epochs, errors and metadata come from the logs themselves, as `tellapart.audit` reads them.

    Args:
        evals: What ``inspect_ai.analysis.evals_df`` gives, or those of its rows that you keep.
        baseline: The model that every other one is compared with; all pairs where None.
        max_drop: A gate: the largest drop from the baseline that is allowed, in score units.
        options: What else `tellapart.audit`, or with ``max_drop`` `tellapart.compare`, takes.

    Raises:
        InputError: The frame has no column ``log``, no row, or a log that is not on this machine.
        UsageError: An option does not fit, or ``max_drop`` is given without a baseline.
    """
    logs = _logs(evals)
    if max_drop is None:
        return audit(logs, baseline=baseline, **options)
    if baseline is None:
        raise UsageError("max_drop is given without a baseline", next_step="Name one of the models")
    sides: tuple[list[str], list[str]] = [], []
    for log, model in zip(logs, evals["model"], strict=True):
        sides[model != baseline].append(log)
    if not all(sides):
        models = sorted(set(evals["model"]))
        raise UsageError(
            f"there is no log of {'the baseline ' + repr(baseline) if sides[1] else 'another model'}",
            next_step=near_match(baseline, models),
        )
    return compare(*sides, max_drop=max_drop, **options)


def usage(
    evals: Any,
    samples: Any,
    measure: Literal["total_tokens", "total_cost", "total_time", "working_time"] = "total_tokens",
    *,
    baseline: str | None = None,
    **options: Any,
) -> AuditResult:
    """Say which models spend less on the same samples, paired as their scores are.

    Args:
        evals: As for `verdict`.
        samples: What ``inspect_ai.analysis.samples_df`` gives of the same logs.
        measure: Tokens, seconds, or US dollars (``total_cost``), which Inspect logs where it was
            given prices; of all models that a sample called, graders among them.
        baseline: The model that every other one is compared with; all pairs where None.
        options: What else `tellapart.audit` takes, such as ``sesoi``, the smallest difference that matters.

    Returns:
        An audit in which the better model is the one that spends less; scores are what was spent, negated.

    Raises:
        InputError: No sample of these evals has the measure.
    """
    if measure == "total_cost":
        samples = samples.assign(total_cost=[_cost(used) for used in samples["model_usage"]])
    of_evals = samples.merge(evals[["eval_id", "model", "task_name"]], on="eval_id")
    known = of_evals[of_evals[measure].notna()]
    if known.empty:
        raise InputError(f"no sample of these evals has {measure}")
    columns = {
        "model": known["model"],
        "item": known["task_name"] + "/" + known["id"].astype(str),
        "replicate": known["epoch"],
        "score": known[measure].astype(float),
    }
    if "metadata_cluster" in known and known["metadata_cluster"].notna().all():
        columns["cluster"] = known["metadata_cluster"].astype(str)
    frame = pl.DataFrame({name: values.tolist() for name, values in columns.items()})
    return audit(frame, lower_is_better=True, limits=(0.0, float("inf")), baseline=baseline, **options)


def _cost(used: Any) -> float | None:
    """What the models of a sample cost; None where a price of one is not known."""
    costs = [of.get("total_cost") for of in json.loads(used).values()] if isinstance(used, str) else []
    return fsum(costs) if costs and None not in costs else None


def _logs(evals: Any) -> list[str]:
    """The paths of a frame's logs."""
    if "log" not in getattr(evals, "columns", ()):
        raise InputError("the frame has no column 'log'", next_step="Give what evals_df gives")
    logs = [_path(str(log)) for log in evals["log"]]
    if not logs:
        raise InputError("the frame of evals has no row")
    return logs


def _path(log: str) -> str:
    """The path of a log, which Inspect writes as an address."""
    address = urlparse(log)
    if address.scheme not in ("", "file"):
        raise InputError(
            "this log is not on this machine", where=log, next_step="Copy it here, and call evals_df on that"
        )
    return unquote(address.path) if address.scheme else log
