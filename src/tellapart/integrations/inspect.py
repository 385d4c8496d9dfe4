"""From Inspect's data frames to a verdict: the rows of ``evals_df`` choose the logs that are compared."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlparse

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
        options: What else `tellapart.audit`, or with ``max_drop`` `tellapart.compare`, takes. The metrics
            ``total_tokens``, ``total_cost``, ``total_time`` and ``working_time`` are what models spend.

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
