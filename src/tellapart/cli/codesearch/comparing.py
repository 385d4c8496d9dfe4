"""Systems against one another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.codesearch.options import Seed
from tellapart.cli.output import print_json
from tellapart.errors import UsageError

Evaluations = Annotated[
    list[str],
    typer.Argument(
        help="Evaluations or run directories, two or more, as NAME=PATH or as a path that is its own name.",
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
    from tellapart.codesearch.reading import read_evaluation
    from tellapart.codesearch.recordings import evaluation_file

    found = {}
    for given in evaluations:
        name, path = _named(given)
        if name in found:
            raise UsageError(f"two evaluations are named {name!r}", next_step="Name them apart: NAME=PATH")
        file = evaluation_file(path)
        found[name] = read_evaluation(file.read_bytes(), where=str(file))
    record = compare_systems(found, seed=42 if seed is None else seed)
    if as_json:
        print_json(record)
        return
    for sentence in record["sentences"]:
        typer.echo(sentence)


def _named(given: str) -> tuple[str, Path]:
    name, equals, path = given.partition("=")
    return (name, Path(path)) if equals and name and path else (Path(given).stem, Path(given))
