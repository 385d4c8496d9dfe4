"""Results: scoreboards compared, frontiers, seeds, exposure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.bundles.options import Json, app
from tellapart.cli.output import print_json, say, show

Html = Annotated[Path | None, typer.Option("--html", help="Also write a page.", show_default=False)]


@app.command()
def exposure(
    steps: Annotated[int, typer.Option("--steps", help="Training steps.")],
    batch_size: Annotated[int, typer.Option("--batch-size", help="Items in a batch.")],
    tier3_probability: Annotated[
        float, typer.Option("--tier3-probability", help="Chance that a place in a batch goes to tier 3.")
    ],
    legacy_ratio: Annotated[
        float, typer.Option("--legacy-ratio", help="Share of tier-3 draws that go to the legacy pool.")
    ],
    pool_size: Annotated[int, typer.Option("--pool-size", help="Items in the legacy pool.")],
    as_json: Json = False,
    html: Html = None,
) -> None:
    """Work out how often training sees each legacy item, and what would restore 50 times."""
    from dataclasses import asdict

    from tellapart.bundles.exposure import Plan
    from tellapart.bundles.exposure import exposure as work_out
    from tellapart.report.bundles import exposure as pages

    figures = asdict(work_out(Plan(steps, batch_size, tier3_probability, legacy_ratio, pool_size)))
    if as_json:
        print_json(figures)
    else:
        show(*pages.terminal(figures))
    if html:
        pages.write_page(figures, html)
        say(f"wrote {html}")
