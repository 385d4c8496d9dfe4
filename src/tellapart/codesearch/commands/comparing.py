"""Systems against one another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import print_json, show
from tellapart.codesearch.commands.options import Seed

Evaluations = Annotated[
    list[str],
    typer.Argument(
        help="Evaluations or run directories, two or more: a path, or NAME=PATH to name its system.",
        show_default=False,
    ),
]


def compare(
    evaluations: Evaluations,
    seed: Seed = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare systems on the same conversations: overall, by area, and by who vouches for a file."""
    from tellapart.codesearch.comparing import compare as compare_systems
    from tellapart.codesearch.comparing import named
    from tellapart.codesearch.reading import read_evaluation
    from tellapart.codesearch.recordings import evaluation_file
    from tellapart.report import comparison as block
    from tellapart.report.terminal import rich_list

    given = []
    for name, path in map(_split, evaluations):
        file = evaluation_file(path)
        given.append((name, path, read_evaluation(file.read_bytes(), where=str(file))))
    found = compare_systems(named(given), seed=42 if seed is None else seed)
    if as_json:
        print_json(found.record)
    else:
        show(*block.terminal(found.comparison), rich_list(found.record["sentences"]))


def _split(given: str) -> tuple[str | None, Path]:
    name, equals, path = given.partition("=")
    return (name, Path(path)) if equals and name and path else (None, Path(given))
