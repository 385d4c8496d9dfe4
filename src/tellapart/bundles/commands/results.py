"""Results: scoreboards compared, the health of a bank, frontiers, seeds, exposure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.bundles.commands.options import EXISTING_SCOREBOARD, By, app, eval_files
from tellapart.bundles.exposure_plan import ExposureOptions
from tellapart.cli.inputs import existing
from tellapart.cli.output import Json, Markdown, print_json, same_command, say, show
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings


@app.command()
def report(
    scoreboards: Annotated[
        list[Path],
        typer.Argument(
            help="Scoreboards of one eval, one per model.",
            show_default=False,
            callback=EXISTING_SCOREBOARD,
        ),
    ],
    by: By = None,
    html: Annotated[
        Path | None, typer.Option("--html", writable=True, help="Write a page with charts.")
    ] = None,
    markdown: Markdown = None,
    allow_fingerprint_mismatch: Annotated[
        bool,
        typer.Option("--allow-fingerprint-mismatch", help="Show different evals; marked exploratory."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare the scoreboards of several models.

    Also writes them as a page or as Markdown.
    """
    from tellapart.audit.linked_audit import write_linked_audit
    from tellapart.bundles.eval_texts import item_texts
    from tellapart.bundles.outputs import check_outs
    from tellapart.bundles.page.report import document
    from tellapart.bundles.page.screen import in_terminal
    from tellapart.bundles.page.view import record, report_of
    from tellapart.bundles.results import scores_path
    from tellapart.bundles.scoreboards import load_boards
    from tellapart.report.output import write

    check_outs([html, markdown], scoreboards)
    boards = load_boards(scoreboards, allow_fingerprint_mismatch=allow_fingerprint_mismatch)
    reported = report_of(boards, by)
    if as_json:
        print_json(record(reported).model_dump(mode="json"))
    else:
        show(*in_terminal(document(reported)))
    scores = [scores_path(path) for path in scoreboards]
    links = write_linked_audit(html or markdown, scores, texts=item_texts(boards.boards[0]))
    progress = reporter(lines=False)
    for path in write(lambda: document(reported, links), html=html, markdown=markdown, progress=progress):
        say(f"wrote {path}")


Mismatch = Annotated[
    bool,
    typer.Option("--allow-fingerprint-mismatch", help="Take scoreboards of different evals; exploratory."),
]
Html = Annotated[
    Path | None, typer.Option("--html", writable=True, help="Also write a page.", show_default=False)
]


@app.command()
@with_settings
def exposure(
    context: typer.Context,
    curriculum: Annotated[
        Path | None,
        typer.Argument(
            metavar="CURRICULUM",
            help="YAML or JSON with pools and phases, in place of the options.",
            show_default=False,
            callback=existing(),
        ),
    ] = None,
    *,
    options: ExposureOptions,
    as_json: Json = False,
    html: Html = None,
) -> None:
    """Work out how often training sees each item of a pool.

    Also says what would bring that back to 50 times.
    """
    from tellapart.bundles.exposure import curriculum_of, exposures, read_curriculum
    from tellapart.bundles.outputs import check_outs
    from tellapart.bundles.page import exposure as pages
    from tellapart.bundles.page.screen import in_terminal
    from tellapart.errors import UsageError
    from tellapart.report.output import write

    check_outs([html], [curriculum])
    if curriculum is not None and options != ExposureOptions():
        raise UsageError(
            "the curriculum has steps, pools and shares of its own", next_step="Give the file or options"
        )
    planned = exposures(read_curriculum(curriculum) if curriculum else curriculum_of(options))
    document = pages.document(planned, same_command(context))
    if as_json:
        is_one = options.pool_size is not None
        print_json((planned.pools[0] if is_one else planned).model_dump(mode="json"))
    else:
        show(*in_terminal(document))
    for path in write(lambda: document, html=html):
        say(f"wrote {path}")


@app.command()
def pareto(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[EVAL=]FILE",
            help="Scoreboards, sweeps, or JSON lists of {name, METRIC: number}; EVAL= names their eval.",
            show_default=False,
        ),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="[EVAL:]NAME[:max|:min]",
            help="Two or more, such as organic:pass_rate; by default frozen_tier3 and organic_holdout.",
            show_default=False,
        ),
    ] = None,
    allow_fingerprint_mismatch: Mismatch = False,
    as_json: Json = False,
    html: Html = None,
    chart: Annotated[
        Path | None,
        typer.Option("--chart", writable=True, help="Also draw it, as .svg or .png.", show_default=False),
    ] = None,
) -> None:
    """Find the configurations that no other one beats.

    For the others it says what beats them. Results of several evals are joined by model and checkpoint, and
    a model with several seeds is one point.
    """
    of_evals = eval_files(files)
    from tellapart.bundles import pareto as suite
    from tellapart.bundles.outputs import check_outs
    from tellapart.bundles.page import frontier as pages
    from tellapart.bundles.page.screen import in_terminal
    from tellapart.bundles.points import read_points
    from tellapart.report.charts import save
    from tellapart.report.output import write

    check_outs([html, chart], [path for _, path in of_evals])
    points = read_points(
        of_evals, suite.metrics_named(metrics or ()), allow_mismatch=allow_fingerprint_mismatch
    )
    record = suite.frontier(points)
    frame = points.frame()
    document = pages.document(record, frame, same_command(context))
    if as_json:
        print_json(record.model_dump(mode="json"))
    else:
        show(*in_terminal(document))
    if chart is not None:
        save(pages.frontier_chart(record, frame), chart)
    for path in [*filter(None, [chart]), *write(lambda: document, html=html)]:
        say(f"wrote {path}")


@app.command()
def seeds(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Scoreboards, or JSON lists of {condition, seed, METRIC: number}.",
            show_default=False,
            callback=existing(),
        ),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Repeat for several; the first decides.", show_default=False),
    ] = None,
    allow_fingerprint_mismatch: Mismatch = False,
    as_json: Json = False,
    html: Html = None,
    markdown: Markdown = None,
) -> None:
    """Summarise conditions over seeds, and test which differ."""
    from tellapart.bundles.outputs import check_outs
    from tellapart.bundles.page import seeds as pages
    from tellapart.bundles.page.screen import in_terminal
    from tellapart.bundles.result_files import read_runs
    from tellapart.bundles.seeds import compare_seeds
    from tellapart.report.output import write

    check_outs([html, markdown], files)
    runs = read_runs([*dict.fromkeys(files)], metrics or (), allow_mismatch=allow_fingerprint_mismatch)
    result = compare_seeds(runs, metrics or ())
    if as_json:
        print_json(result.to_json())
    else:
        show(*in_terminal(pages.document(result)))
    for path in write(lambda: pages.document(result), html=html, markdown=markdown):
        say(f"wrote {path}")


@app.command()
def bank(
    context: typer.Context,
    scoreboards: Annotated[
        list[Path],
        typer.Argument(
            help="Scoreboards of three models or more, on versions of an eval, those of the first before.",
            show_default=False,
            callback=EXISTING_SCOREBOARD,
        ),
    ],
    html: Html = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Find bundles to retire, and link the scores of versions.

    Versions are linked by the bundles that they have in common.
    """
    from tellapart.bundles.bank import bank as judge
    from tellapart.bundles.outputs import check_outs
    from tellapart.bundles.page import bank as pages
    from tellapart.bundles.page.screen import in_terminal
    from tellapart.report.output import write

    check_outs([html, markdown], scoreboards)
    judged = judge(scoreboards)
    document = pages.document(judged, same_command(context))
    if as_json:
        print_json(judged.model_dump(mode="json"))
    else:
        show(*in_terminal(document))
    for path in write(lambda: document, html=html, markdown=markdown):
        say(f"wrote {path}")
