"""Models that answer a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.contrastive.options import MODEL, BaseUrl, Bench
from tellapart.cli.llm_options import LlmOptions, with_llm_options
from tellapart.cli.output import say

_LLM = typer.Option(
    "--llm",
    help="PROVIDER/MODEL orders the options too, or replay:RUN as it did before; repeat for several.",
    metavar="NAME",
    show_default=False,
)


@with_llm_options
def run(
    bench: Bench,
    asking: LlmOptions,
    models: Annotated[list[str] | None, MODEL] = None,
    llms: Annotated[list[str] | None, _LLM] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Run directory; by default named after the question.")
    ] = None,
    base_url: BaseUrl = None,
) -> None:
    """Let models answer a benchmark; an interrupted run goes on where it stopped."""
    from tellapart.contrastive import run as suite

    if not llms:
        asking.check_unused("--llm PROVIDER/MODEL")
    asked, limits = asking.models(llms or ()), asking.limits(llms or ())
    finished = suite.run(
        bench, models or [], llms=asked, limits=limits, out=out, base_url=base_url, progress=say
    )
    say(f"next: tellapart contrastive report {finished.path}")
    typer.echo(finished.path)
