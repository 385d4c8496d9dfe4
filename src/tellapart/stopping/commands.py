"""``tellapart next``: which items to ask next, or that enough were asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tellapart.audit.options import ResamplingSeed, Sesoi
from tellapart.cli.inputs import existing, existing_or_pattern
from tellapart.cli.output import Json, print_json, print_line, say
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.core.seed import SEED
from tellapart.errors import UsageError
from tellapart.readers.settings import ReadingSettings, source_path


@dataclass(frozen=True)
class StoppingOptions:
    """When scores are looked at, and what decides.

    Attributes:
        baseline: The model that the others are compared with.
        sesoi: Smallest difference that matters.
        seed: Of the order of items.
    """

    max_items: Annotated[
        int | None,
        typer.Option(
            "--max-items",
            min=2,
            help="The most items you would ask, fixed before the first answer; by default as many as settle "
            "a difference of --sesoi.",
        ),
    ] = None
    batch: Annotated[
        int | None, typer.Option("--batch", min=1, help="Items between looks; by default a twentieth.")
    ] = None
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", help="Compare every other model with this one, and no other pair."),
    ] = None
    sesoi: Sesoi = None
    seed: ResamplingSeed = SEED


@with_settings
def next_items(
    scores: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SCORES…]",
            help="Scores so far, in the order in which the items were asked, which must be random; none to "
            "begin.",
            show_default=False,
            parser=source_path,
            callback=existing_or_pattern,
        ),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(
            "--items",
            metavar="FILE",
            help="The items there are: an id a line, or a table with a column item and one of kinds.",
            callback=existing(),
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Column of --items over which new items are spread evenly.")
    ] = None,
    *,
    reading: ReadingSettings,
    settings: StoppingOptions,
    as_json: Json = False,
) -> None:
    """Say which items to ask next, or that enough were asked.

    False claims stay at 5 %, however often it is called.
    """
    from tellapart.core.comparison import ComparisonSettings
    from tellapart.readers import read_scores, with_patterns
    from tellapart.stopping.run import check_asked, first_items, read_pool

    if by is not None and items is None:
        raise UsageError("--by names a column of --items, which is not given", next_step="Add --items FILE")
    if not scores and items is None:
        raise UsageError(
            "there are neither scores nor items", next_step="To begin: tellapart next --items FILE"
        )
    comparison = ComparisonSettings(baseline=settings.baseline, sesoi=settings.sesoi, seed=settings.seed)
    pool = read_pool(items, by) if items else None
    if scores:
        read = read_scores(with_patterns(scores), reading, ordered=True, progress=reporter(lines=False))
        asking = check_asked(read, comparison, pool, max_items=settings.max_items, batch=settings.batch)
        for note in read.notes:
            say(f"note: {note}")
    elif pool:
        asking = first_items(pool, max_items=settings.max_items, batch=settings.batch, seed=settings.seed)
    if as_json:
        print_json(asking.to_json())
        return
    print_line(asking.reason)
    for item in asking.next_items:
        print_line(item)
