"""Ways of making a benchmark, compared by what models score on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.inputs import known_models
from tellapart.cli.output import Json, Markdown, print_json, say, show
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings, words
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.commands.options import MODEL, BaseUrl, Bench, Repositories


def bias(
    bench: Bench,
    models: Annotated[list[str], MODEL],
    selectors: Annotated[
        list[str] | None,
        typer.Option("--selector", help="By default fusion and the embedders among the models."),
    ] = None,
    level: Annotated[str, typer.Option("--level", help="Whose recipe to follow.")] = "adversarial",
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Measure what choosing its own distractors costs a model."""
    from tellapart.contrastive import methods
    from tellapart.contrastive.benchmark import read_benchmark
    from tellapart.contrastive.page.methods import bias_tables
    from tellapart.report.terminal import fitted_table

    result = methods.bias(
        read_benchmark(bench),
        models,
        selectors=selectors,
        level=level,
        base_url=base_url,
        progress=reporter(),
    )
    if as_json:
        print_json(result.to_json())
    else:
        show(*map(fitted_table, bias_tables(result)))


@with_settings
def validate(
    repositories: Repositories,
    *,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model", help="By default bm25, tfidf and lsa; repeat for several.", callback=known_models
        ),
    ] = None,
    options: BuildOptions,
    base_url: BaseUrl = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            "--scores",
            writable=True,
            help="Write every answer as a score table (Parquet) for 'tellapart audit'.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", writable=True, help="Write a page with charts.")
    ] = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Compare the original method and all levels on one sample.

    The original method takes four random distractors.
    """
    from tellapart.contrastive import methods
    from tellapart.contrastive import page as pages
    from tellapart.contrastive.building import draft
    from tellapart.contrastive.models import LEXICAL
    from tellapart.report.output import write
    from tellapart.report.terminal import terminal
    from tellapart.store import write_frame

    benchmark = draft(repositories, options, progress=reporter())
    validation = methods.validate(benchmark, models or LEXICAL, base_url=base_url, progress=reporter())
    if scores:
        write_frame(scores, validation.scores.frame, validation.scores.notes)
    given = [*words(options), *(word for name in models or () for word in ("--model", name))]
    document = pages.validation_document(validation.setups, list(map(str, repositories)), given)
    if as_json:
        print_json(validation.setups.to_json())
    else:
        show(*terminal(document))
    for path in write(lambda: document, html=html, markdown=markdown, progress=reporter(lines=False)):
        say(f"wrote {path}")
