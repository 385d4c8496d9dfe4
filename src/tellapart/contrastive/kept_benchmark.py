"""The copy of a benchmark that a run keeps, so that it can be reported without the benchmark."""

from __future__ import annotations

from pathlib import Path

from tellapart.contrastive.benchmark import FILES
from tellapart.contrastive.left_out import FILE as LEFT_OUT
from tellapart.contrastive.writing_calls import CALLS_BY_UNIT, calls_by_unit
from tellapart.files import write_bytes
from tellapart.llm.replay import CALLS
from tellapart.store import OpenRun, write_frame

KEPT = "artifacts/benchmark"
"""Where in a run directory it is."""


def keep_benchmark(bench: Path, open_run: OpenRun) -> None:
    """Copy a benchmark, how language models were asked for its summaries, and what was left out.

    Of the calls in which they wrote only how long each took is kept.
    """
    optional = ("llm/models.json", CALLS_BY_UNIT, LEFT_OUT)
    for file in ("benchmark.json", *FILES, *(name for name in optional if (bench / name).exists())):
        # Of no step: it is written anew whenever the run goes on.
        write_bytes(open_run.path / KEPT / file, (bench / file).read_bytes())
    if (bench / "llm" / CALLS).exists():
        write_frame(open_run.path / KEPT / CALLS_BY_UNIT, calls_by_unit(bench / "llm" / CALLS))
