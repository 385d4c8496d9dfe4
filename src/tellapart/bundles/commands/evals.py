"""Eval files: scored, cut into tiers, frozen, extended, converted, linted, split, mined."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.bundles.commands.options import (
    Embeddings,
    Eval,
    EvalAddress,
    Html,
    Model,
    Seed,
    SimilarityName,
    Version,
    app,
    argument,
    finish,
    option,
)
from tellapart.bundles.mining.settings import THRESHOLD, Settings
from tellapart.bundles.targets import TARGETS
from tellapart.bundles.tier_names import THRESHOLDS
from tellapart.cli.inputs import EMBEDDER, BaseUrl, SkipInvalid, existing, known_models
from tellapart.cli.output import (
    Json,
    Markdown,
    MetricsJson,
    print_json,
    same_command,
    say,
    warn,
    write_tracked,
)
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.core.seed import MOST_SEED, SEED
from tellapart.engines import EngineOptions

pool = typer.Typer(help="Split pools of bundles without leaks.", no_args_is_help=True)
app.add_typer(pool, name="pool")


@app.command()
def convert(
    source: Annotated[Path, argument("JSON Lines or Parquet in any form.", "IN")],
    out: Annotated[Path, argument("A file that ends in .jsonl or .parquet.", "OUT", lambda path: path)],
    to: Annotated[
        str, typer.Option("--to", help=f"{', '.join(TARGETS)}; triplet has one row per negative.")
    ] = "jsonl",
    rename: Annotated[
        list[str] | None,
        option("--rename", "What the file calls a field of the form; repeatable.", metavar="NAME=FIELD"),
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
        typer.Option(
            "--out",
            writable=True,
            help="The scoreboard: a file, or an address such as s3://BUCKET/NAME.json.",
        ),
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
    engine: EngineOptions,
    metrics_json: MetricsJson = None,
    as_json: Json = False,
) -> None:
    """Score an eval with a model and write a scoreboard.

    An eval in a folder, or in an object store, is scored part by part: see --engine.
    """
    from tellapart.bundles import run as suite
    from tellapart.bundles.page.boards import fingerprint_line, scored_document
    from tellapart.bundles.results import tracked_scoreboard

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
        engine=engine,
        progress=reporter(),
    )
    finish(scored_document(result.board), result.board, as_json=as_json)
    if as_json:
        say(fingerprint_line(result.board.eval_header.fingerprint))
    warn(result.warnings)
    say(f"wrote {out}")
    write_tracked(metrics_json, lambda: tracked_scoreboard(result.board))


@app.command()
def tier(
    eval_path: Eval,
    out: Annotated[Path, option("--out", "The eval with tiers, JSON Lines.", writable=True)],
    models: Annotated[
        list[str] | None,
        option(
            "--model",
            "As for 'score'; repeat for a committee, whose mean ranks of danger cut the tiers.",
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
    from tellapart.bundles.page.evals import tiers
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
    finish(tiers(cuts), cuts, as_json=as_json)
    warn(result.warnings)
    say(f"wrote {out}")


@app.command()
def freeze(eval_path: Eval, version: Version, seed: Seed = SEED, as_json: Json = False) -> None:
    """Give an eval a version, so that later changes are noticed.

    Writes EVAL.version.json, which 'score' checks the file against.
    """
    from tellapart.bundles import versions as suite
    from tellapart.bundles.page import evals as pages
    from tellapart.bundles.results import version_path

    record = suite.freeze(eval_path, version, seed=seed)
    finish(pages.version(record), record, as_json=as_json)
    say(f"wrote {version_path(eval_path)}")


@app.command()
def extend(
    old: Annotated[Path, argument("A frozen eval, JSON Lines.")],
    new: Annotated[Path, argument("The frozen rows, unchanged, followed by new ones.")],
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
    from tellapart.bundles.page import evals as pages
    from tellapart.bundles.results import version_path

    record = suite.extend(old, new, version, out=out)
    finish(pages.version(record), record, as_json=as_json)
    say(f"wrote {out or version_path(new)}")


@app.command()
def lint(
    context: typer.Context,
    files: Annotated[
        list[Path], argument("Bundles as JSON Lines or Parquet; several are compared with one another.")
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
    html: Html = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Find what is wrong with an eval.

    Ends with exit code 1 where a finding is an error.
    """
    from tellapart.bundles.lint import lint_files
    from tellapart.bundles.page.evals import findings as shown_findings
    from tellapart.bundles.results import check_outs

    check_outs([html, markdown], [*files, *(train or [])])
    linted = lint_files(files, train or [], progress=reporter())
    findings = [finding.model_dump(mode="json") for finding in linted.findings]
    shown = shown_findings(linted, same_command(context))
    finish(shown, findings, as_json=as_json, html=html, markdown=markdown)
    if any(finding.severity == "error" for finding in linted.findings):
        raise typer.Exit(1)


@pool.command()
def split(
    source: Eval,
    out: Annotated[
        tuple[Path, Path],
        option("--out", "The two parts, JSON Lines.", metavar="TRAIN HOLDOUT", writable=True),
    ],
    share: Annotated[float, typer.Option("--share", help="Share of TRAIN, on average.")] = 0.8,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=MOST_SEED, help="Another one gives other parts.")
    ] = SEED,
    skip_invalid: SkipInvalid = False,
    as_json: Json = False,
) -> None:
    """Split a pool by its anchors, so that nothing leaks.

    Bundles with the same anchor, or nearly the same, stay together.
    """
    from tellapart.bundles.page import evals as pages
    from tellapart.bundles.pool import split_pool

    result = split_pool(source, *out, share=share, seed=seed, skip_invalid=skip_invalid, progress=reporter())
    finish(pages.split(result), result, as_json=as_json)
    for path in out:
        say(f"wrote {path}")


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
