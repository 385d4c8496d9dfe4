"""An eval before it is used: what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.bundles.commands.options import app
from tellapart.cli.inputs import existing
from tellapart.cli.output import Json, Markdown, print_json, same_command, say, show
from tellapart.cli.progress import reporter


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
    html: Annotated[Path | None, typer.Option("--html", writable=True, help="Write a page.")] = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Find what is wrong with an eval.

    Ends with exit code 1 where a finding is an error.
    """
    from tellapart.bundles.lint import lint_files
    from tellapart.bundles.outputs import check_outs
    from tellapart.bundles.page import lint as pages
    from tellapart.bundles.page.screen import in_terminal
    from tellapart.report import output

    trained = train or []
    check_outs([html, markdown], [*files, *trained])
    linted = lint_files(files, trained, progress=reporter())
    document = pages.document(linted, same_command(context))
    if as_json:
        print_json([finding.model_dump(mode="json") for finding in linted.findings])
    else:
        show(*in_terminal(document))
    for path in output.write(lambda: document, html=html, markdown=markdown):
        say(f"wrote {path}")
    if any(finding.severity == "error" for finding in linted.findings):
        raise typer.Exit(1)
