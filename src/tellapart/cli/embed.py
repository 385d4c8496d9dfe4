"""``tellapart embed``: vectors of texts, for evals that are scored again and again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.inputs import EMBEDDER, BaseUrl, SkipInvalid, existing_here
from tellapart.cli.output import Json, print_json, say
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.engines import EngineOptions


@with_settings
def embed(
    source: Annotated[
        str,
        typer.Argument(
            metavar="TEXTS",
            help="An eval of bundles (a file, a folder, s3://BUCKET/FOLDER), a contrastive benchmark, or "
            "with --text a table.",
            show_default=False,
            callback=existing_here,
        ),
    ],
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out", file_okay=False, writable=True, help="A folder of Parquet files.", show_default=False
        ),
    ],
    model: Annotated[str, EMBEDDER],
    text: Annotated[
        str | None, typer.Option("--text", help="Column of a table with the texts.", show_default=False)
    ] = None,
    item: Annotated[
        str | None, typer.Option("--id", help="Column of a table with their ids.", show_default=False)
    ] = None,
    queries: Annotated[
        bool, typer.Option("--queries", help="Embed the texts of a table as queries, not as documents.")
    ] = False,
    base_url: BaseUrl = None,
    skip_invalid: SkipInvalid = False,
    engine: EngineOptions,
    as_json: Json = False,
) -> None:
    """Write the vectors of texts, each of which is embedded once.

    The same command resumes an interrupted one. 'bundles score --embeddings' reads what it writes.
    """
    from tellapart.embedding import embed as run
    from tellapart.report.numbers import plural

    written = run(
        source,
        out,
        model,
        text=text,
        item=item,
        queries=queries,
        base_url=base_url,
        skip_invalid=skip_invalid,
        engine=engine,
        progress=reporter(),
    )
    if as_json:
        print_json(asdict(written))
    for cause, count in sorted(written.left_out.items()):
        say(f"left out: {count} {cause}")
    before = f"; {written.parts_before} were there" if written.parts_before else ""
    say(f"wrote {written.rows:,} vectors in {plural(written.parts, 'part')} to {out}{before}")
