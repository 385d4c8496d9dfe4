"""What a run keeps: its copy of the benchmark, and the rows of each model until all are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from tellapart.contrastive.benchmark import FILES
from tellapart.contrastive.left_out import FILE as LEFT_OUT
from tellapart.core.fingerprint import sha256
from tellapart.files import as_object, read_object, write_bytes
from tellapart.llm.journal import CallJournal, has_calls
from tellapart.llm.replay import CALLS
from tellapart.store import OpenRun, write_frame
from tellapart.store.runs import PARTS

KEPT = "artifacts/benchmark"
"""Where in a run directory it is."""

MODELS = "llm/models.json"
"""In a benchmark and its copies, how language models were asked for summaries."""

CALLS_BY_UNIT = "llm/calls.parquet"
"""Where a run keeps how long the calls of summarizers took, with its copy of the benchmark."""

CALL_SCHEMA = pl.Schema({"writer": pl.String, "unit": pl.String, "calls": pl.Int64, "seconds": pl.Float64})
"""One row a writer and unit that was answered: the calls that it took, and their seconds together."""


def part_name(model: str, kind: str) -> str:
    """Name the file of one model's rows of one kind, ``items`` or ``swaps``, inside a run directory."""
    return f"{PARTS}/{sha256(model.encode())[:12]}-{kind}.parquet"


def keep_benchmark(bench: Path, open_run: OpenRun) -> None:
    """Copy a benchmark, how language models were asked for its summaries, and what was left out.

    Of the calls in which they wrote only how long each took is kept.
    """
    optional = (MODELS, CALLS_BY_UNIT, LEFT_OUT)
    for file in ("benchmark.json", *FILES, *(name for name in optional if (bench / name).exists())):
        # Of no step: it is written anew whenever the run goes on.
        write_bytes(open_run.path / KEPT / file, (bench / file).read_bytes())
    if has_calls(bench / "llm" / CALLS):
        write_frame(open_run.path / KEPT / CALLS_BY_UNIT, calls_by_unit(bench / "llm" / CALLS))


def kept_models(benchmark: Path) -> dict[str, dict[str, Any]]:
    """Read what a benchmark, or a copy of it, says of the language models that wrote its summaries."""
    path = benchmark / MODELS
    if not path.exists():
        return {}
    return as_object(read_object(path).get("models"), f"{path}: 'models'")


def calls_by_unit(journal: Path) -> pl.DataFrame:
    """Sum up what a benchmark's journal of calls says of each summary; rows of ``CALL_SCHEMA``, in order.

    Calls that brought no reply count neither way: how long a model was out of reach is not its latency. Those
    taken over from an earlier run have the seconds that they took there.
    """
    with CallJournal(journal, read_only=True) as calls:
        rows = [
            (call["model"], call["question"], 1, call["seconds"])
            for call in calls.calls()
            if "failure" not in call and "seconds" in call
        ]
    frame = pl.DataFrame(rows, schema=CALL_SCHEMA, orient="row")
    return frame.group_by("writer", "unit").agg(pl.sum("calls", "seconds")).sort("writer", "unit")
