"""``tellapart audit``: which models an evaluation separates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.audit.options import AuditOptions
from tellapart.cli.inputs import existing_or_pattern
from tellapart.cli.output import Json, Markdown, MetricsJson, print_json, say, show, write_tracked
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.readers.settings import ReadingSettings, source_path


@with_settings
def audit(
    scores: Annotated[
        list[Path],
        typer.Argument(
            help="Score tables, run directories, logs of other harnesses, or folders of these; - reads "
            "standard input.",
            show_default=False,
            parser=source_path,
            callback=existing_or_pattern,
        ),
    ],
    reading: ReadingSettings,
    options: AuditOptions,
    html: Annotated[
        Path | None, typer.Option("--html", writable=True, help="Write a page with charts.")
    ] = None,
    markdown: Markdown = None,
    metrics_json: MetricsJson = None,
    as_json: Json = False,
) -> None:
    """Report which models scores separate, and why not the others.

    For each pair of models that is not separated it gives the cause and the cheapest fix.
    """
    from tellapart.audit.analysis import audit_files
    from tellapart.readers import item_texts, matching_paths
    from tellapart.store import check_outs

    scores = matching_paths(scores)
    check_outs([html, markdown, metrics_json], [*scores, reading.qrels])
    progress = reporter(lines=False)
    audited = audit_files(scores, options, reading, progress=progress)
    for note in audited.reading.notes:
        say(f"note: {note}")
    if as_json:
        print_json(audited.findings.model_dump(mode="json"))
    else:
        from tellapart.audit.page.sections import document
        from tellapart.report.terminal import terminal

        show(*terminal(document(audited.findings, browser=False)))
    if html or markdown:
        from tellapart.audit.page.sections import document
        from tellapart.report.output import write

        texts = item_texts(scores, reading, audited.reading.models) if html else {}
        for path in write(
            lambda: document(audited.findings, texts=texts), html=html, markdown=markdown, progress=progress
        ):
            say(f"wrote {path}")
    write_tracked(metrics_json, lambda: audited.findings.tracked)
