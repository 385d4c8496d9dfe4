"""What the calls took in which language models wrote a benchmark's summaries."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tellapart.llm.journal import CallJournal

CALLS_BY_UNIT = "llm/calls.parquet"
"""Where a run keeps them, with its copy of the benchmark."""

CALL_SCHEMA = pl.Schema({"writer": pl.String, "unit": pl.String, "calls": pl.Int64, "seconds": pl.Float64})
"""One row a writer and unit that was answered: the calls that it took, and their seconds together."""


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
