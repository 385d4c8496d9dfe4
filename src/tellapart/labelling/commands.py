"""``tellapart label``: draw answers for people to label, as a sheet."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.inputs import existing_or_pattern
from tellapart.cli.output import print_line, say
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings, words
from tellapart.core.seed import MOST_SEED, SEED
from tellapart.readers.settings import ReadingSettings, source_path


@with_settings
def label(
    scores: Annotated[
        list[Path],
        typer.Argument(
            help="Scores of which answers are to be labelled, as of audit.",
            show_default=False,
            parser=source_path,
            callback=existing_or_pattern,
        ),
    ],
    budget: Annotated[
        int,
        typer.Option(
            "--budget", metavar="ITEMS", min=1, help="Items to label, each with the answers of all models."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", writable=True, metavar="FILE", help="Write the sheet, CSV.")],
    seed: Annotated[int, typer.Option("--seed", min=0, max=MOST_SEED, help="Seed for the draw.")] = SEED,
    *,
    reading: ReadingSettings,
) -> None:
    """Draw answers at random for people to label, models hidden, and say what the labels would buy.

    Fill the sheet's column human with scores, then give it to audit, compare or next as --human.
    """
    import polars as pl

    from tellapart.labelling.sheet import check_out, draw_sheet, write_sheet
    from tellapart.readers import item_texts, matching_paths, read_scores
    from tellapart.report.numbers import count, plural

    check_out(out, reading.human, takes_labels=True)
    scores = matching_paths(scores)
    read = read_scores(scores, reading, progress=reporter(lines=False))
    for note in read.notes:
        say(f"note: {note}")
    sheet = draw_sheet(read.table, item_texts(scores, reading, read.models), budget=budget, seed=seed)
    frame, (low, high) = sheet.frame, read.table.limits
    if reading.lower_is_better:
        # Labels are on the scale of the file.
        frame, low, high = frame.with_columns(-pl.col("human")), 0.0 - high, 0.0 - low
    write_sheet(out, frame)
    if sheet.lost:
        say(
            f"note: the sheet leaves out {plural(sheet.lost, 'label')}, of answers not in this draw; "
            "with the seed of an earlier sheet and at least its budget it has all of its labels."
        )
    if not sheet.has_answers:
        say(
            "note: these scores hold no texts of answers, so the sheet has codes and items alone; with "
            "columns such as 'question' and 'response' beside the scores it shows them."
        )
    with_labels = ["tellapart", "audit", *map(str, scores), *words(replace(reading, human=out))]
    print_line(
        f"Wrote {out}: {plural(frame.height, 'answer')} to {count(sheet.items)} of {count(sheet.of)} "
        f"items. Score each from {low:g} to {high:g} in the column human, then: {shlex.join(with_labels)}"
    )
    for line in sheet.outlook:
        print_line(line)
