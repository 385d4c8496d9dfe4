"""Eval files: scored, cut into tiers, frozen, extended, converted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.bundles.commands.options import (
    BaseUrl,
    Embeddings,
    Eval,
    EvalAddress,
    Model,
    Seed,
    SimilarityName,
    SkipInvalid,
    Version,
    app,
)
from tellapart.bundles.tier_names import THRESHOLDS
from tellapart.cli.engine_options import EngineSettings
from tellapart.cli.inputs import existing, known_models
from tellapart.cli.output import Json, MetricsJson, print_json, say, show, warn, write_tracked
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.core.seed import MOST_SEED, SEED

if TYPE_CHECKING:
    from tellapart.bundles.versions import VersionRecord


@app.command()
def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="JSON Lines or Parquet in any form.",
            show_default=False,
            callback=existing(),
        ),
    ],
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="A file that ends in .jsonl or .parquet.", show_default=False),
    ],
    to: Annotated[
        str, typer.Option("--to", help="jsonl, triplets, triplet (one row per negative) or reranking.")
    ] = "jsonl",
    rename: Annotated[
        list[str] | None,
        typer.Option(
            "--rename",
            metavar="NAME=FIELD",
            help="What the file calls a field of the form; repeat for several.",
            show_default=False,
        ),
    ] = None,
    skip_invalid: SkipInvalid = False,
    as_json: Json = False,
) -> None:
    """Convert bundles to another format."""
    from tellapart.bundles.convert import convert as run
    from tellapart.bundles.convert import parse_rename

    renamed = dict(map(parse_rename, rename or ()))
    converted = run(source, out, to, skip_invalid=skip_invalid, rename=renamed)
    for cause, count in sorted(converted.dropped.items()):
        say(f"dropped: {count} {cause}")
    for what, count in converted.left_out.items():
        say(f"left out, since --to {to} cannot hold it: {what} of {count} bundle(s)")
    say(f"wrote {converted.bundles} bundle(s) to {', '.join(map(str, converted.files))}")
    if as_json:
        print_json(converted.model_dump(mode="json"))


@app.command()
@with_settings
def score(
    eval_address: EvalAddress,
    *,
    out: Annotated[
        str,
        typer.Option("--out", help="The scoreboard: a file, or an address such as s3://BUCKET/NAME.json."),
    ] = "scoreboard.json",
    model: Model = None,
    embeddings: Embeddings = None,
    similarity: SimilarityName = None,
    name: Annotated[str | None, typer.Option("--name", help="Name of the model in tables.")] = None,
    checkpoint: Annotated[
        str, typer.Option("--checkpoint", help="Checkpoint that the weights came from.")
    ] = "",
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            min=0,
            max=MOST_SEED,
            help="Seed with which the eval was drawn; by default the frozen one, or 42.",
        ),
    ] = None,
    skip_invalid: SkipInvalid = False,
    base_url: BaseUrl = None,
    engine: EngineSettings,
    metrics_json: MetricsJson = None,
    as_json: Json = False,
) -> None:
    """Score an eval with a model and write a scoreboard.

    An eval in a folder, or in an object store, is scored part by part: see --engine.
    """
    from tellapart.bundles import run as suite
    from tellapart.bundles.boards import tracked_scoreboard
    from tellapart.bundles.page import terminal as pages

    result = suite.score(
        eval_address,
        out,
        model=model,
        embeddings=embeddings,
        name=name,
        checkpoint=checkpoint,
        seed=seed,
        skip_invalid=skip_invalid,
        base_url=base_url,
        similarity=similarity,
        engine=None if engine == EngineSettings() else engine.options,
        progress=reporter(),
    )
    if as_json:
        print_json(result.board.model_dump())
        say(pages.fingerprint_line(result.board.eval_header.fingerprint))
    else:
        show(*pages.terminal(result.board))
    warn(result.warnings)
    say(f"wrote {out}")
    write_tracked(metrics_json, lambda: tracked_scoreboard(result.board))


@app.command()
def tier(
    eval_path: Eval,
    out: Annotated[
        Path,
        typer.Option("--out", writable=True, help="The eval with tiers, JSON Lines.", show_default=False),
    ],
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="As for 'score'; repeat for a committee, whose mean ranks of danger cut the tiers.",
            show_default=False,
            callback=known_models,
        ),
    ] = None,
    embeddings: Embeddings = None,
    similarity: SimilarityName = None,
    thresholds: Annotated[
        str, typer.Option("--thresholds", help="Shares of the bundles below each cut.")
    ] = ",".join(f"{share:g}".removeprefix("0") for share in THRESHOLDS),
    skip_invalid: SkipInvalid = False,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Cut an eval into tiers of difficulty.

    The tiers follow the danger that a model sees in the bundles, or several models together.
    """
    from tellapart.bundles import run as suite
    from tellapart.bundles.page import terminal as pages
    from tellapart.bundles.tiers import parse_thresholds

    result = suite.tier(
        eval_path,
        out,
        models=models or (),
        embeddings=embeddings,
        thresholds=parse_thresholds(thresholds),
        skip_invalid=skip_invalid,
        base_url=base_url,
        similarity=similarity,
        progress=reporter(),
    )
    cuts = result.assigned.cuts
    if as_json:
        print_json(cuts.model_dump(mode="json"))
    else:
        show(*pages.tiers(cuts))
    warn(result.warnings)
    say(f"wrote {out}")


@app.command()
def freeze(
    eval_path: Eval,
    version: Version,
    seed: Seed = SEED,
    as_json: Json = False,
) -> None:
    """Give an eval a version, so that later changes are noticed.

    Writes EVAL.version.json, which 'score' checks the file against.
    """
    from tellapart.bundles import versions as suite
    from tellapart.bundles.results import version_path

    record = suite.freeze(eval_path, version, seed=seed)
    _show_version(record, as_json)
    say(f"wrote {version_path(eval_path)}")


@app.command()
def extend(
    old: Annotated[
        Path, typer.Argument(help="A frozen eval, JSON Lines.", show_default=False, callback=existing())
    ],
    new: Annotated[
        Path,
        typer.Argument(
            help="The frozen rows, unchanged, followed by new ones.", show_default=False, callback=existing()
        ),
    ],
    version: Version,
    out: Annotated[
        Path | None,
        typer.Option("--out", writable=True, help="The version record; by default NEW.version.json."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Give an eval that extends a frozen one the next version.

    Ends with exit code 1 where the new eval does more than add bundles.
    """
    from tellapart.bundles import versions as suite
    from tellapart.bundles.results import version_path

    record = suite.extend(old, new, version, out=out)
    _show_version(record, as_json)
    say(f"wrote {out or version_path(new)}")


def _show_version(record: VersionRecord, as_json: bool) -> None:
    from tellapart.bundles.page import terminal as pages

    if as_json:
        print_json(record.model_dump())
    else:
        show(*pages.version(record))
