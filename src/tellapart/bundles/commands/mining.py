"""Mining: bundles made of events."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.bundles.commands.options import BaseUrl, Embeddings, Json, Model, SkipInvalid, app
from tellapart.bundles.mining.settings import THRESHOLD, Settings
from tellapart.cli.inputs import existing
from tellapart.cli.output import print_json, say, show
from tellapart.cli.progress import reporter

Events = Annotated[
    Path,
    typer.Argument(
        help="JSON Lines with event_id, text, sense and perhaps lemma.",
        show_default=False,
        callback=existing(),
    ),
]
Out = Annotated[Path, typer.Option("--out", help="Accepted bundles.", show_default=False)]
Existing = Annotated[
    Path | None,
    typer.Option("--existing", help="Existing bundles, not to be mined again: the tier 3 so far."),
]
Stats = Annotated[Path | None, typer.Option("--stats", help="Write the figures as JSON.")]
Quarantine = Annotated[
    Path | None,
    typer.Option("--quarantine", help="Write candidates that passed a lineup but were not accepted."),
]
Threshold = Annotated[
    str, typer.Option("--threshold", help="Danger to reach, or calibrate: 90th percentile of --existing.")
]
Candidates = Annotated[int, typer.Option("--candidates-per-sense", help="Pairs of an anchor and a positive.")]
WithinLemma = Annotated[int, typer.Option("--within-lemma", help="Pool: events of the lemma.")]
Siblings = Annotated[
    int, typer.Option("--sibling-senses", help="Pool: senses that share a lemma, one event of each.")
]
AcrossLemmas = Annotated[int, typer.Option("--across-lemmas", help="Pool: events of other lemmas.")]
LineupCount = Annotated[int, typer.Option("--lineups", help="Independent draws from the pool.")]
Negatives = Annotated[int, typer.Option("--negatives-per-lineup", help="Negatives of a draw.")]
MinPasses = Annotated[int, typer.Option("--min-passes", help="Lineups to pass to be accepted.")]
DrawSeed = Annotated[int, typer.Option("--seed", help="Seed for drawing pairs and lineups.")]
Workers = Annotated[int, typer.Option("--workers", min=1, help="Threads; same bytes for any.")]


@app.command()
def mine(
    events: Events,
    out: Out,
    existing: Existing = None,
    stats: Stats = None,
    quarantine: Quarantine = None,
    model: Model = None,
    embeddings: Embeddings = None,
    threshold: Threshold = str(THRESHOLD),
    candidates_per_sense: Candidates = Settings.candidates_per_sense,
    within_lemma: WithinLemma = Settings.within_lemma,
    sibling_senses: Siblings = Settings.sibling_senses,
    across_lemmas: AcrossLemmas = Settings.across_lemmas,
    lineups: LineupCount = Settings.lineups,
    negatives_per_lineup: Negatives = Settings.negatives_per_lineup,
    min_passes: MinPasses = Settings.min_passes,
    seed: DrawSeed = Settings.seed,
    workers: Workers = 1,
    skip_invalid: SkipInvalid = False,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Mine bundles that are dangerous in several lineups.

    The lineups are independent draws. The same command resumes an interrupted run.
    """
    from tellapart.bundles.mining import run as suite
    from tellapart.bundles.page.mined import summary

    request = suite.Request(
        events,
        out,
        stats,
        quarantine,
        existing,
        threshold,
        model,
        embeddings,
        base_url,
        workers,
        skip_invalid,
    )
    settings = Settings(
        candidates_per_sense,
        within_lemma,
        sibling_senses,
        across_lemmas,
        lineups,
        negatives_per_lineup,
        min_passes,
        seed,
    )
    stats_of_run = suite.mine(request, settings, progress=reporter())
    if as_json:
        print_json(stats_of_run.model_dump())
    else:
        show(summary(stats_of_run))
    for path in filter(None, (out, stats, quarantine)):
        say(f"wrote {path}")
