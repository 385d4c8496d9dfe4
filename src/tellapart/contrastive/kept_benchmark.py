"""The copy of a benchmark that a run keeps, so that it can be reported without the benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tellapart.contrastive.benchmark import FILES
from tellapart.contrastive.left_out import FILE as LEFT_OUT
from tellapart.contrastive.writing_calls import CALLS_BY_UNIT, calls_by_unit
from tellapart.errors import InputError, quoted
from tellapart.files import as_object, read_object, write_bytes
from tellapart.llm.replay import CALLS
from tellapart.store import OpenRun, write_frame

KEPT = "artifacts/benchmark"
"""Where in a run directory it is."""

MODELS = "llm/models.json"
"""In a benchmark and its copies, how language models were asked for summaries."""


def keep_benchmark(bench: Path, open_run: OpenRun) -> None:
    """Copy a benchmark, how language models were asked for its summaries, and what was left out.

    Of the calls in which they wrote only how long each took is kept.
    """
    optional = (MODELS, CALLS_BY_UNIT, LEFT_OUT)
    for file in ("benchmark.json", *FILES, *(name for name in optional if (bench / name).exists())):
        # Of no step: it is written anew whenever the run goes on.
        write_bytes(open_run.path / KEPT / file, (bench / file).read_bytes())
    if (bench / "llm" / CALLS).exists():
        write_frame(open_run.path / KEPT / CALLS_BY_UNIT, calls_by_unit(bench / "llm" / CALLS))


def kept_models(benchmark: Path) -> dict[str, dict[str, Any]]:
    """Read what a benchmark, or a copy of it, says of the language models that wrote its summaries."""
    path = benchmark / MODELS
    if not path.exists():
        return {}
    models = as_object(read_object(path).get("models"), f"{path}: 'models'")
    for name, record in models.items():
        cost = as_object(record, f"{path}: {name!r}").get("cost")
        if cost is not None and (isinstance(cost, bool) or not isinstance(cost, int | float)):
            raise InputError(
                f"the cost is {quoted(cost)}, expected dollars or null", where=f"{path}: {name!r}"
            )
    return models
