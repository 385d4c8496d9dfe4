"""Two scoreboards compared, as a table or as a gate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.bundles.options import Json, app
from tellapart.cli.output import print_json, show


@app.command()
def compare(
    a: Annotated[Path, typer.Argument(help="Scoreboard of the baseline.", show_default=False)],
    b: Annotated[Path, typer.Argument(help="Scoreboard of the candidate.", show_default=False)],
    max_drop: Annotated[
        float | None,
        typer.Option("--max-drop", help="Gate: how far B's tier3 pass rate may fall; 0.02 is 2 points."),
    ] = None,
    max_q10_drop: Annotated[
        float | None,
        typer.Option(
            "--max-q10-drop",
            help="Gate: how far B's tier3 10th percentile of margins may fall, in units of similarity.",
        ),
    ] = None,
    allow_fingerprint_mismatch: Annotated[
        bool,
        typer.Option("--allow-fingerprint-mismatch", help="Compare different evals; marked exploratory."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare a candidate B with a baseline A, bundle by bundle; deltas are B minus A."""
    from tellapart.bundles.compare import compare as compare_boards
    from tellapart.bundles.gates import refuse_failed
    from tellapart.report.bundles.comparison import terminal

    record = compare_boards(
        a,
        b,
        max_drop=max_drop,
        max_q10_drop=max_q10_drop,
        allow_fingerprint_mismatch=allow_fingerprint_mismatch,
    )
    if as_json:
        print_json(record)
    else:
        show(*terminal(record))
    refuse_failed(record["gates"])
