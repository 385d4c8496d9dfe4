"""Capsules: made and verified."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.bundles.commands.options import EXISTING_SCOREBOARD, app
from tellapart.cli.inputs import existing
from tellapart.cli.output import Json, print_json, say, show
from tellapart.cli.progress import reporter


@app.command()
def capsule(
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", file_okay=False, writable=True, help="The directory to make.", show_default=False
        ),
    ],
    evals: Annotated[
        list[Path],
        typer.Option("--eval", help="An eval; repeat for several.", show_default=False, callback=existing()),
    ],
    scoreboards: Annotated[
        list[Path],
        typer.Option(
            "--scoreboard",
            help="A scoreboard of these evals; repeat for several.",
            show_default=False,
            callback=EXISTING_SCOREBOARD,
        ),
    ],
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", help="What was scored: a file or a directory.", show_default=False),
    ] = None,
    settings: Annotated[
        list[Path] | None,
        typer.Option(
            "--settings",
            help="A further file, such as a configuration; repeat for several.",
            show_default=False,
        ),
    ] = None,
    copy_checkpoint: Annotated[
        bool,
        typer.Option(
            "--copy-checkpoint/--hash-checkpoint", help="Copy the checkpoint, or keep its hash alone."
        ),
    ] = True,
    as_json: Json = False,
) -> None:
    """Put an eval, its scoreboards and the checkpoint into one directory, with their hashes."""
    from tellapart.bundles.capsule import CapsuleRequest, make_capsule
    from tellapart.bundles.page import capsule as pages

    request = CapsuleRequest(
        out, tuple(evals), tuple(scoreboards), checkpoint, tuple(settings or ()), copy_checkpoint
    )
    manifest = make_capsule(request, reporter())
    if as_json:
        print_json(manifest.model_dump(mode="json"))
    else:
        show(*pages.manifest(manifest))
    say(f"wrote {out}")


@app.command()
def verify(
    directory: Annotated[
        Path, typer.Argument(metavar="CAPSULE", help="A capsule.", show_default=False, callback=existing())
    ],
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint", help="The checkpoint, if the capsule has its hash alone.", show_default=False
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check that a capsule is what was put into it.

    Ends with exit code 1 where something is missing, changed or added.
    """
    from tellapart.bundles.capsule import verify_capsule
    from tellapart.bundles.page import capsule as pages

    found = verify_capsule(directory, checkpoint, reporter())
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        show(*pages.check(found))
    if not found.intact:
        raise typer.Exit(1)
