"""An eval before it is used: what is wrong with it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tellapart.bundles.commands.options import app
from tellapart.cli.inputs import existing
from tellapart.cli.output import Json, Markdown, print_json, same_command, say, show
from tellapart.cli.progress import reporter


class BadFrom(StrEnum):
    """From which severity a bundle is bad."""

    ERROR = "error"
    WARNING = "warning"


@app.command()
def lint(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Bundles as JSON Lines or Parquet; several are compared with one another.",
            show_default=False,
            callback=existing(),
        ),
    ],
    train: Annotated[
        list[Path] | None,
        typer.Option(
            "--train",
            help="Training data that the eval must not be in: bundles, pairs or texts.",
            metavar="FILE",
            callback=existing(),
        ),
    ] = None,
    max_quarantine: Annotated[
        float | None,
        typer.Option(
            "--max-quarantine", help="Gate: largest share of bad bundles, such as 0.2; above it, exit 3."
        ),
    ] = None,
    bad: Annotated[
        BadFrom, typer.Option("--bad", help="What makes a bundle bad: an error, or a warning too.")
    ] = BadFrom.ERROR,
    quarantine: Annotated[
        Path | None,
        typer.Option(
            "--quarantine", writable=True, help="Write bad bundles with the causes.", metavar="FILE"
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", writable=True, help="Write the other bundles.", metavar="FILE")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", writable=True, help="Write a page.")] = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Find what is wrong with an eval.

    Ends with exit code 1 where a finding is an error. A gate decides instead: 0 (passed) or 3 (failed).
    """
    from tellapart.bundles.outputs import check_outs
    from tellapart.bundles.page import lint as pages
    from tellapart.bundles.quarantine import lint_files, write_parts
    from tellapart.report import output

    trained = train or []
    check_outs([quarantine, out, html, markdown], [*files, *trained])
    linted = lint_files(files, trained, bad_from=bad.value, progress=reporter())
    record = linted.quarantine(max_quarantine)
    if as_json:
        if record.outcome is not None:
            say(f"{pages.gate_line(record)}.")
        print_json([finding.model_dump(mode="json") for finding in linted.records()])
    else:
        show(*pages.terminal(linted, record))
    if quarantine or out:
        write_parts(linted, good=out, bad=quarantine)
    command = same_command(context)
    output.write(lambda: pages.arrange(linted, record, (command,)), html=html, markdown=markdown)
    for path in filter(None, (quarantine, out, html, markdown)):
        say(f"wrote {path}")
    if record.outcome is not None:
        raise typer.Exit(record.outcome.exit_code)
    if any(finding.severity == "error" for finding in linted.findings):
        raise typer.Exit(1)
