"""Benchmarks from repositories, and what they hand over to ``tellapart bundles``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import LlmOptions, check_named
from tellapart.cli.output import Json, print_json, say, show
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.commands.options import BaseUrl, Bench, Repositories, Reuse
from tellapart.engines import EngineOptions

Summaries = Annotated[
    str,
    typer.Option(
        "--summaries",
        help="docstring; jsonl:FILE with unit, model, summary; or llm:PROVIDER/MODEL[,…], who write them.",
    ),
]
SelectorName = Annotated[
    str,
    typer.Option(
        "--selector", help="What finds distractors: fusion, fusion+MODEL (such as fusion+minilm), or MODEL."
    ),
]


CandidateChoice = Annotated[
    Literal["documented", "all"] | None,
    typer.Option(
        "--candidates",
        help="Documented units only, or all; all by default where language models write.",
        show_default=False,
    ),
]


@with_settings
def build(
    repositories: Repositories,
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out", file_okay=False, writable=True, help="Where to write the benchmark.", show_default=False
        ),
    ],
    options: BuildOptions,
    summaries: Summaries = "docstring",
    selector: SelectorName = "fusion",
    candidates: CandidateChoice = None,
    base_url: BaseUrl = None,
    reuse: Reuse = None,
    as_json: Json = False,
    asking: LlmOptions,
    engine: EngineOptions,
) -> None:
    """Build a frozen benchmark from repositories."""
    from tellapart.contrastive import building
    from tellapart.contrastive.benchmark import LEFT_OUT, examples
    from tellapart.contrastive.models import Models
    from tellapart.contrastive.summaries import named_models
    from tellapart.parallel import named_spread

    names = named_models(summaries)
    asking.check_used(names, "--summaries llm:PROVIDER/MODEL", {"--reuse": reuse})
    llms, limits = asking.models(names), asking.limits(names)
    if asking.dry_run:
        check_named(llms)
        estimates = building.estimate_build_cost(
            repositories,
            options,
            out,
            llms=llms,
            limits=limits,
            reuse=reuse,
            candidates=candidates,
        )
        print_estimates(estimates, limits, as_json=as_json)
        return
    progress = reporter()
    with named_spread(engine) as spread, Models(base_url, progress, spread) as models:
        benchmark = building.build(
            repositories,
            options,
            out,
            summaries=llms or summaries,
            limits=limits,
            reuse=reuse,
            candidates=candidates,
            selector=selector,
            loaded=models,
            progress=progress,
        )
    left_out = benchmark.left_out or ()
    if as_json:
        print_json(benchmark.header.to_json() | {"left_out": [row.to_json() for row in left_out]})
    else:
        show(benchmark.header.description())
        if left_out:
            show("left out, for example:", *examples(left_out), f"  all of it: {out / LEFT_OUT}")
        say(f"next: tellapart contrastive run {shlex.quote(str(out))} --model bm25 --model lsa")


def units(
    repositories: Repositories,
    languages: Annotated[
        str, typer.Option("--languages", help="Only these, such as python,go.", show_default=False)
    ] = "",
    template: Annotated[
        Path | None,
        typer.Option(
            "--template",
            writable=True,
            help="Write a line for each unit, to be filled in for 'build --summaries jsonl:FILE'.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the units of repositories, and what is left out and why."""
    from tellapart.contrastive.build_options import languages_of
    from tellapart.contrastive.units import list_units
    from tellapart.files import write_text

    listing = list_units(repositories, languages_of(languages), reporter())
    if template:
        write_text(template, listing.template())
        chosen = ["--languages", languages] if languages else []
        say(f"wrote {template}: {len(listing.units):,} units without a summary yet")
        say(
            "next: fill in 'summary' and 'model', then tellapart contrastive build "
            f"{shlex.join([*map(str, repositories), *chosen])} --summaries jsonl:{template} --out bench"
        )
    if as_json:
        print_json(listing.to_json())
    elif not template:
        show(*listing.lines())


def bundles(
    bench: Bench,
    out: Annotated[
        Path, typer.Option("--out", writable=True, help="Where to write bundles.", show_default=False)
    ],
) -> None:
    """Write a benchmark's items as bundles."""
    from tellapart.contrastive.export import write_bundles
    from tellapart.store import check_outs

    check_outs([out], bench.glob("*"))
    with reporter(lines=False).step(f"writing {out.name}", None):
        written = write_bundles(bench, out)
    say(f"wrote {out}: {written:,} bundles")
    say(f"next: tellapart bundles tier {shlex.quote(str(out))} --model lsa")


def events(
    repositories: Repositories,
    out: Annotated[
        Path, typer.Option("--out", writable=True, help="Where to write events.", show_default=False)
    ],
) -> None:
    """Write functions as events, for 'tellapart bundles mine'.

    An event is a summary, prose or a part of the code.
    """
    from tellapart.contrastive.export import write_events

    with reporter(lines=False).step(f"writing {out.name}", None):
        written = write_events(repositories, out)
    say(f"wrote {out}: {written:,} events")
    say(f"next: tellapart bundles mine {shlex.quote(str(out))} --model lsa --out mined.jsonl")
