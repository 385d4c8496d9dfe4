"""Results: scoreboards side by side, the health of a bank, frontiers, seeds, exposure."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.bundles.commands.options import By, Html, Mismatch, Scoreboards, app, argument, finish, option
from tellapart.cli.inputs import existing
from tellapart.cli.output import Json, Markdown, same_command

if TYPE_CHECKING:
    from tellapart.core.record import Record


@app.command()
def report(
    context: typer.Context,
    scoreboards: Scoreboards,
    by: By = None,
    html: Html = None,
    markdown: Markdown = None,
    allow_fingerprint_mismatch: Mismatch = False,
    as_json: Json = False,
) -> None:
    """Compare the scoreboards of several models.

    Also writes them as a page or as Markdown.
    """
    from tellapart.bundles.page.boards import document, report_of
    from tellapart.bundles.results import check_outs
    from tellapart.bundles.scoreboards import load_boards

    check_outs([html, markdown], scoreboards)
    boards = load_boards(scoreboards, allow_fingerprint_mismatch=allow_fingerprint_mismatch)
    reported = report_of(boards, by)
    shown = document(boards, reported, same_command(context))
    finish(shown, reported, as_json=as_json, html=html, markdown=markdown)


@app.command()
def exposure(
    context: typer.Context,
    curriculum: Annotated[
        Path | None, argument("YAML or JSON with pools and phases, in place of the options.", "CURRICULUM")
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="Training steps.")] = None,
    batch_size: Annotated[int | None, typer.Option("--batch-size", help="Items in a batch.")] = None,
    tier3_probability: Annotated[
        float | None,
        typer.Option("--tier3-probability", help="Chance that a place in a batch goes to tier 3."),
    ] = None,
    legacy_ratio: Annotated[
        float | None, typer.Option("--legacy-ratio", help="Share of tier-3 draws that go to the legacy pool.")
    ] = None,
    pool_size: Annotated[int | None, typer.Option("--pool-size", help="Items in the legacy pool.")] = None,
    as_json: Json = False,
    html: Html = None,
) -> None:
    """Work out how often training sees each item of a pool.

    Also says what would bring that back to 50 times.
    """
    from tellapart.bundles.exposure import exposures, legacy_curriculum, read_curriculum
    from tellapart.bundles.page.exposure import document
    from tellapart.bundles.results import check_outs
    from tellapart.errors import UsageError

    check_outs([html], [curriculum])
    given = {
        "steps": steps,
        "batch-size": batch_size,
        "tier3-probability": tier3_probability,
        "legacy-ratio": legacy_ratio,
        "pool-size": pool_size,
    }
    plan = [value for value in given.values() if value is not None]
    if curriculum is not None:
        if plan:
            what = "the curriculum has steps, pools and shares of its own"
            raise UsageError(what, next_step="Give the file or options")
        planned = exposures(read_curriculum(curriculum))
        record: Record = planned
    else:
        if len(plan) < len(given):
            raise UsageError(
                f"missing: {', '.join(f'--{name}' for name, value in given.items() if value is None)}",
                next_step="Give all of them, or a file with the curriculum: "
                "tellapart bundles exposure curriculum.yaml",
            )
        planned = exposures(legacy_curriculum(*plan))  # type: ignore[arg-type]
        record = planned.pools[0]
    finish(document(planned, same_command(context)), record, as_json=as_json, html=html)


_NAMED = re.compile(r"([\w.-]+)=(.+)")


def eval_files(typed: list[str]) -> list[tuple[str, Path]]:
    """Read files that may be typed as ``EVAL=FILE``; an existing file is taken by its whole name."""
    files = []
    for text in typed:
        named = None if Path(text).exists() else _NAMED.fullmatch(text)
        files.append((named[1], Path(named[2])) if named else ("", Path(text)))
    existing()([path for _, path in files])
    return files


@app.command()
def pareto(
    context: typer.Context,
    files: Annotated[
        list[str],
        argument(
            "Scoreboards, sweeps, or JSON lists of {name, METRIC: number}; EVAL= names their eval.",
            "[EVAL=]FILE",
            lambda files: files,
        ),
    ],
    metrics: Annotated[
        list[str] | None,
        option(
            "--metric",
            "Two or more, such as organic:pass_rate; by default frozen_tier3 and organic_holdout.",
            metavar="[EVAL:]NAME[:max|:min]",
        ),
    ] = None,
    allow_fingerprint_mismatch: Mismatch = False,
    as_json: Json = False,
    html: Html = None,
) -> None:
    """Find the configurations that no other one beats.

    For the others it says what beats them. Results of several evals are joined by model and checkpoint, and
    a model with several seeds is one point.
    """
    of_evals = eval_files(files)
    from tellapart.bundles import pareto as suite
    from tellapart.bundles.page.frontier import document
    from tellapart.bundles.points import read_points
    from tellapart.bundles.results import check_outs

    check_outs([html], [path for _, path in of_evals])
    points = read_points(
        of_evals, suite.metrics_named(metrics or ()), allow_mismatch=allow_fingerprint_mismatch
    )
    record, frame = suite.frontier(points), points.frame()
    finish(document(record, frame, same_command(context)), record, as_json=as_json, html=html)


@app.command()
def seeds(
    files: Annotated[
        list[Path], argument("Scoreboards, or JSON lists of {condition, seed, METRIC: number}.")
    ],
    metrics: Annotated[list[str] | None, option("--metric", "Repeat for several; the first decides.")] = None,
    allow_fingerprint_mismatch: Mismatch = False,
    as_json: Json = False,
    html: Html = None,
    markdown: Markdown = None,
) -> None:
    """Summarise conditions over seeds, and test which differ."""
    from tellapart.bundles.page.seeds import document
    from tellapart.bundles.result_files import read_runs
    from tellapart.bundles.results import check_outs
    from tellapart.bundles.seeds import compare_seeds

    check_outs([html, markdown], files)
    runs = read_runs([*dict.fromkeys(files)], metrics or (), allow_mismatch=allow_fingerprint_mismatch)
    result = compare_seeds(runs, metrics or ())
    finish(document(result), result, as_json=as_json, html=html, markdown=markdown)


@app.command()
def bank(
    context: typer.Context,
    scoreboards: Scoreboards,
    html: Html = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Find bundles to retire, and link the scores of versions.

    Takes scoreboards of three models or more, on versions of an eval, those of the first before. Versions
    are linked by the bundles that they have in common.
    """
    from tellapart.bundles.bank import bank as judge
    from tellapart.bundles.page.bank import document
    from tellapart.bundles.results import check_outs

    check_outs([html, markdown], scoreboards)
    judged = judge(scoreboards)
    finish(document(judged, same_command(context)), judged, as_json=as_json, html=html, markdown=markdown)
