"""``tellapart contrastive``: can a model pick the code that a summary describes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import print_json, say, show

app = typer.Typer(help="Can a model pick the code that a summary describes?", no_args_is_help=True)

Repositories = Annotated[list[Path], typer.Argument(help="Directories with source code.", show_default=False)]
Bench = Annotated[Path, typer.Argument(help="A benchmark made by 'build'.", show_default=False)]
_MODEL = typer.Option(
    "--model", help="bm25, tfidf, lsa, minilm, st:PATH_OR_ID or openai:MODEL; repeat for several."
)
Models = Annotated[list[str], _MODEL]
Targets = Annotated[int, typer.Option("--targets", min=1, help="Units to ask about.")]
Levels = Annotated[str | None, typer.Option("--levels", help="Levels, separated by commas; all by default.")]
Summaries = Annotated[
    str, typer.Option("--summaries", help="docstring, or jsonl:FILE with unit, model, summary.")
]
Selector = Annotated[
    str, typer.Option("--selector", help="What finds distractors: fusion, or an embedding model.")
]
Seed = Annotated[int, typer.Option("--seed", help="Of targets and draws.")]
BaseUrl = Annotated[str | None, typer.Option("--base-url", help="Of an OpenAI-compatible server.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Bands(StrEnum):
    """What the semantic distractors of a level are drawn from."""

    calibrated = "calibrated"
    absolute = "absolute"


class CandidateUnits(StrEnum):
    """Which units may be distractors."""

    documented = "documented"
    all = "all"


Band = Annotated[
    Bands, typer.Option("--bands", help="Ranks in the target's neighbour list, or absolute similarity.")
]
Candidates = Annotated[CandidateUnits, typer.Option("--candidates", help="Documented units only, or all.")]
CrossLanguage = Annotated[
    bool, typer.Option("--cross-language", help="Let other languages' units be distractors.")
]


@app.command()
def build(
    repositories: Repositories,
    out: Annotated[Path, typer.Option("--out", help="Where to write the benchmark.", show_default=False)],
    targets: Targets = 300,
    levels: Levels = None,
    summaries: Summaries = "docstring",
    selector: Selector = "fusion",
    bands: Band = Bands.calibrated,
    candidates: Candidates = CandidateUnits.documented,
    cross_language: CrossLanguage = False,
    seed: Seed = 42,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Build a frozen benchmark from repositories."""
    from tellapart.contrastive import run as suite
    from tellapart.contrastive.build import BuildOptions
    from tellapart.contrastive.selection.levels import levels_named

    chosen = levels_named(levels.split(",") if levels else None)
    options = BuildOptions(targets, chosen, bands.value, cross_language, seed)
    suite.check_vacant(out)
    draft = suite.draft(
        repositories,
        options,
        summaries=summaries,
        candidates=candidates.value,
        selector=selector,
        base_url=base_url,
        progress=say,
    )
    header = suite.freeze(draft, out).header
    if as_json:
        print_json(header.model_dump())
    else:
        show(header.description())
        say(f"next: tellapart contrastive run {out} --model bm25 --model lsa")


@app.command()
def run(
    bench: Bench,
    models: Annotated[list[str] | None, _MODEL] = None,
    llms: Annotated[
        list[str] | None,
        typer.Option(
            "--llm", help="A language model as PROVIDER/MODEL orders the options too; repeat for several."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Run directory; by default named after the question.")
    ] = None,
    base_url: BaseUrl = None,
) -> None:
    """Let models answer a benchmark; an interrupted run goes on where it stopped."""
    from tellapart.contrastive import run as suite
    from tellapart.llm.models import LanguageModel

    asked = [LanguageModel(name) for name in llms or ()]
    finished = suite.run(bench, models or [], llms=asked, out=out, base_url=base_url, progress=say)
    say(f"next: tellapart contrastive report {finished.path}")
    typer.echo(finished.path)


@app.command()
def report(
    run: Annotated[Path, typer.Argument(help="A run directory.", show_default=False)],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with charts and every item.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write Markdown.")] = None,
    as_json: Json = False,
) -> None:
    """Show the figures of a run, and write them as a page or as Markdown."""
    from tellapart.cli.audit_link import audit_beside
    from tellapart.report import contrastive as pages
    from tellapart.store import RunDirectory, check_outs

    check_outs([html, markdown])
    directory = RunDirectory.open(run)
    view = pages.load(directory)
    if as_json:
        print_json(view.figures)
    else:
        show(*pages.terminal(view))
    links = audit_beside(html or markdown, [run])
    pages.write_report(directory, html=html, markdown=markdown, links=links)
    for path in filter(None, (html, markdown)):
        say(f"wrote {path}")


@app.command()
def bias(
    bench: Bench,
    models: Models,
    selectors: Annotated[
        list[str] | None,
        typer.Option("--selector", help="By default fusion and the embedders among the models."),
    ] = None,
    level: Annotated[str, typer.Option("--level", help="Whose recipe to follow.")] = "adversarial",
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Measure how much a model suffers from distractors that it chose itself."""
    from tellapart.contrastive import run as suite
    from tellapart.contrastive.benchmark import read_benchmark
    from tellapart.report import contrastive as pages

    figures = suite.bias(
        read_benchmark(bench), models, selectors=selectors, level=level, base_url=base_url, progress=say
    )
    if as_json:
        print_json(figures)
    else:
        show(*pages.bias_tables(figures))


@app.command()
def bundles(
    bench: Bench,
    out: Annotated[Path, typer.Option("--out", help="Where to write bundles.", show_default=False)],
) -> None:
    """Write the items of a benchmark as bundles, for 'tellapart bundles'."""
    from tellapart.contrastive.handover import write_bundles

    say(f"wrote {out}: {write_bundles(bench, out):,} bundles")
    say(f"next: tellapart bundles tier {out} --model lsa")


@app.command()
def events(
    repositories: Repositories,
    out: Annotated[Path, typer.Option("--out", help="Where to write events.", show_default=False)],
) -> None:
    """Write functions as events: their summaries, prose and parts of code, for 'tellapart bundles mine'."""
    from tellapart.contrastive.handover import write_events

    say(f"wrote {out}: {write_events(repositories, out):,} events")
    say(f"next: tellapart bundles mine {out} --model lsa --out mined.jsonl")


@app.command()
def validate(
    repositories: Repositories,
    models: Annotated[
        list[str] | None, typer.Option("--model", help="By default bm25, tfidf and lsa; repeat for several.")
    ] = None,
    targets: Targets = 300,
    seed: Seed = 42,
    base_url: BaseUrl = None,
    scores: Annotated[
        Path | None,
        typer.Option("--scores", help="Write every answer as a score table (Parquet) for 'tellapart audit'."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Hold the original four-distractor method and all levels beside one another, on the same units."""
    from tellapart.contrastive import run as suite
    from tellapart.contrastive.build import BuildOptions
    from tellapart.contrastive.models import LEXICAL
    from tellapart.report import contrastive as pages
    from tellapart.store import check_outs, write_frame

    check_outs([scores])
    benchmark = suite.draft(repositories, BuildOptions(targets=targets, seed=seed), progress=say)
    found = suite.validate(benchmark, models or LEXICAL, base_url=base_url, progress=say)
    if scores:
        write_frame(scores, found.scores)
    if as_json:
        print_json(found.figures)
    else:
        show(*pages.validation_tables(found.figures))
