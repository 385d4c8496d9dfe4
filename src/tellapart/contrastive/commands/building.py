"""Benchmarks from repositories."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import LlmOptions, check_named
from tellapart.cli.output import print_json, say, show
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.contrastive.commands.options import BaseUrl, Json, Repositories, Reuse, Seed, Targets
from tellapart.core.seed import SEED

Levels = Annotated[str | None, typer.Option("--levels", help="Levels, separated by commas; all by default.")]
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


class BandKind(StrEnum):
    """What the semantic distractors of a level are drawn from."""

    calibrated = "calibrated"
    absolute = "absolute"


class CandidateUnits(StrEnum):
    """Which units may be distractors."""

    documented = "documented"
    all = "all"


BandChoice = Annotated[
    BandKind, typer.Option("--bands", help="Ranks in the target's neighbour list, or absolute similarity.")
]
CandidateChoice = Annotated[
    CandidateUnits, typer.Option("--candidates", help="Documented units only, or all.")
]
CrossLanguage = Annotated[
    bool, typer.Option("--cross-language", help="Let other languages' units be distractors.")
]


@with_settings
def build(
    repositories: Repositories,
    *,
    out: Annotated[Path, typer.Option("--out", help="Where to write the benchmark.", show_default=False)],
    targets: Targets = 300,
    levels: Levels = None,
    summaries: Summaries = "docstring",
    selector: SelectorName = "fusion",
    bands: BandChoice = BandKind.calibrated,
    candidates: CandidateChoice = CandidateUnits.documented,
    cross_language: CrossLanguage = False,
    seed: Seed = SEED,
    base_url: BaseUrl = None,
    reuse: Reuse = None,
    as_json: Json = False,
    asking: LlmOptions,
) -> None:
    """Build a frozen benchmark from repositories."""
    from tellapart.contrastive import run as suite
    from tellapart.contrastive.build import BuildOptions
    from tellapart.contrastive.dry_run import estimate_build_cost
    from tellapart.contrastive.selection.levels import levels_named
    from tellapart.contrastive.summaries import named_models

    names = named_models(summaries)
    asking.check_used(names, "--summaries llm:PROVIDER/MODEL", {"--reuse": reuse})
    llms, limits = asking.models(names), asking.limits(names)
    chosen = levels_named(levels.split(",") if levels else None)
    options = BuildOptions(targets, chosen, bands.value, cross_language, seed)
    if asking.dry_run:
        check_named(llms)
        estimates = estimate_build_cost(
            repositories, options, out, llms=llms, limits=limits, reuse=reuse, candidates=candidates.value
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
        candidates=candidates.value,
        selector=selector,
        base_url=base_url,
        progress=reporter(),
    ).header
    if as_json:
        print_json(header.model_dump())
    else:
        show(header.description())
        say(f"next: tellapart contrastive run {out} --model bm25 --model lsa")
