"""``tellapart demo``: the main job, on the standard library of the Python that runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import print_json, say, show
from tellapart.cli.progress import reporter


def demo(
    out: Annotated[
        Path,
        typer.Option("--out", file_okay=False, writable=True, help="Where benchmark, run and report go."),
    ] = Path("demo"),
    models: Annotated[
        list[str] | None,
        typer.Option("--model", help="By default bm25, tfidf, lsa and hashing; repeat for several."),
    ] = None,
    targets: Annotated[int, typer.Option("--targets", min=1, help="Units to ask about.")] = 200,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Build and run a benchmark from code you already have.

    It uses Python's standard library, offline, and compares the original method with this one.
    """
    from tellapart.demo import run_demo

    result = run_demo(out, models, targets=targets, progress=reporter())
    if as_json:
        print_json(result.figures)
    else:
        show(*result.conclusion)
    say(f"report {result.report}\nbenchmark {result.benchmark}\nrun {result.run}")
