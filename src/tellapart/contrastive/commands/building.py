"""Benchmarks from repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import LlmOptions, check_named
from tellapart.cli.output import Json, print_json, say, show
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.commands.options import BaseUrl, Repositories, Reuse

Summaries = Annotated[
    str,
    typer.Option(
        "--summaries",
        help="docstring; jsonl:FILE with unit, model, summary; or llm:PROVIDER/MODEL[,…], who write them.",
    ),
]
SelectorName = Annotated[
    str, typer.Option("--selector", help="What finds distractors: fusion, or an embedding model.")
]


CandidateChoice = Annotated[
    Literal["documented", "all"], typer.Option("--candidates", help="Documented units only, or all.")
]


@with_settings(
    order=(
        "options_levels",
        "options_distractors",
        "summaries",
        "selector",
        "options_bands",
        "candidates",
        "options_types",
        "options_languages",
        "options_min_lines",
        "options_max_lines",
        "options_sampling",
        "options_cross_language",
    )
)
def build(
    repositories: Repositories,
    *,
    out: Annotated[Path, typer.Option("--out", help="Where to write the benchmark.", show_default=False)],
    options: BuildOptions,
    summaries: Summaries = "docstring",
    selector: SelectorName = "fusion",
    candidates: CandidateChoice = "documented",
    base_url: BaseUrl = None,
    reuse: Reuse = None,
    as_json: Json = False,
    asking: LlmOptions,
) -> None:
    """Build a frozen benchmark from repositories."""
    from tellapart.contrastive import run as suite
    from tellapart.contrastive.dry_run import estimate_build_cost
    from tellapart.contrastive.summaries import named_models

    names = named_models(summaries)
    asking.check_used(names, "--summaries llm:PROVIDER/MODEL", {"--reuse": reuse})
    llms, limits = asking.models(names), asking.limits(names)
    if asking.dry_run:
        check_named(llms)
        estimates = estimate_build_cost(
            repositories, options, out, llms=llms, limits=limits, reuse=reuse, candidates=candidates
        )
        print_estimates(estimates, limits, as_json=as_json)
        return
    header = suite.build(
        repositories,
        options,
        out,
        summaries=llms or summaries,
        limits=limits,
        reuse=reuse,
        candidates=candidates,
        selector=selector,
        base_url=base_url,
        progress=reporter(),
    ).header
    if as_json:
        print_json(header.to_json())
    else:
        show(header.description())
        say(f"next: tellapart contrastive run {out} --model bm25 --model lsa")
