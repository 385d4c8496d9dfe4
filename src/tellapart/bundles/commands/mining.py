"""Mining: bundles made of events."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.bundles.commands.options import Embeddings, SimilarityName, app, argument, finish, option
from tellapart.bundles.mining.settings import THRESHOLD, Settings
from tellapart.cli.inputs import EMBEDDER, BaseUrl, SkipInvalid
from tellapart.cli.output import Json, say
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.engines import EngineOptions


@app.command()
@with_settings
def mine(
    events: Annotated[Path, argument("JSON Lines with event_id, text, sense and perhaps lemma.")],
    out: Annotated[Path, option("--out", "Accepted bundles.", writable=True)],
    *,
    existing: Annotated[
        Path | None,
        typer.Option("--existing", help="Existing bundles, not to be mined again: the tier 3 so far."),
    ] = None,
    stats: Annotated[
        Path | None, typer.Option("--stats", writable=True, help="Write the figures as JSON.")
    ] = None,
    quarantine: Annotated[
        Path | None,
        typer.Option(
            "--quarantine",
            writable=True,
            help="Write candidates that passed a lineup but were not accepted.",
        ),
    ] = None,
    model: Annotated[str | None, EMBEDDER] = None,
    embeddings: Embeddings = None,
    similarity: SimilarityName = None,
    threshold: Annotated[
        str,
        typer.Option(
            "--threshold",
            help="Danger to reach, or calibrate: 90th percentile of the danger of tier 3 of --existing.",
        ),
    ] = str(THRESHOLD),
    settings: Settings,
    engine: EngineOptions,
    skip_invalid: SkipInvalid = False,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Mine bundles that are dangerous in several lineups.

    The lineups are independent draws.
    """
    from tellapart.bundles.mining import run as suite
    from tellapart.bundles.page.evals import mined
    from tellapart.parallel import named_spread

    with named_spread(engine) as spread:
        stats_of_run = suite.mine(
            events,
            out,
            settings,
            stats_path=stats,
            quarantine=quarantine,
            existing=existing,
            threshold=threshold,
            model=model,
            embeddings=embeddings,
            base_url=base_url,
            skip_invalid=skip_invalid,
            similarity=similarity,
            spread=spread,
            progress=reporter(),
        )
    finish(mined(stats_of_run), stats_of_run, as_json=as_json)
    for path in filter(None, (out, stats, quarantine)):
        say(f"wrote {path}")
