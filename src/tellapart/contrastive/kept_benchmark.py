"""What a run keeps: its copy of the benchmark, and the rows of each model until all are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tellapart.contrastive.benchmark import FILES
from tellapart.contrastive.left_out import FILE as LEFT_OUT
from tellapart.core.fingerprint import sha256
from tellapart.files import as_object, read_object, write_bytes
from tellapart.store import OpenRun
from tellapart.store.runs import PARTS

KEPT = "artifacts/benchmark"
"""Where in a run directory it is."""

MODELS = "llm/models.json"
"""In a benchmark and its copies, how language models were asked for summaries."""


def part_name(model: str, kind: str) -> str:
    """Name the file of one model's rows of one kind, ``items`` or ``swaps``, inside a run directory."""
    return f"{PARTS}/{sha256(model.encode())[:12]}-{kind}.parquet"


def keep_benchmark(bench: Path, open_run: OpenRun) -> None:
    """Copy a benchmark, how language models were asked for its summaries, and what was left out."""
    optional = (MODELS, LEFT_OUT)
    for file in ("benchmark.json", *FILES, *(name for name in optional if (bench / name).exists())):
        # Of no step: it is written anew whenever the run goes on.
        write_bytes(open_run.path / KEPT / file, (bench / file).read_bytes())


def kept_models(benchmark: Path) -> dict[str, dict[str, Any]]:
    """Read what a benchmark, or a copy of it, says of the language models that wrote its summaries."""
    path = benchmark / MODELS
    if not path.exists():
        return {}
    return as_object(read_object(path).get("models"), f"{path}: 'models'")
