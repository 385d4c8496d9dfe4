"""The units of repositories as a list, for people who write summaries of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from tellapart.contrastive.build_options import ALL_UNITS, UnitFilter
from tellapart.contrastive.left_out import LeftOutPath, examples
from tellapart.contrastive.material import find_units, list_left_out
from tellapart.contrastive.summaries import docstring_summary
from tellapart.core.progress import SILENT, Progress
from tellapart.core.record import Record
from tellapart.extraction.unit import UnitType


class ListedUnit(Record):
    """One unit.

    Attributes:
        id: As ``jsonl:FILE`` names it.
        path: POSIX path from the repository's root.
        start_line: First line, from 1.
        end_line: Last line, included.
        documented: Whether a summary can be taken from its docstring.
    """

    id: str
    path: str
    name: str
    type: UnitType
    language: str
    start_line: int
    end_line: int
    documented: bool


class UnitListing(Record):
    """The units that questions can be made of, by path and line, and everything that was left out."""

    units: list[ListedUnit]
    left_out: list[LeftOutPath]


def list_units(
    repositories: Sequence[Path], *, which: UnitFilter = ALL_UNITS, progress: Progress = SILENT
) -> UnitListing:
    """List the units of repositories, with or without a docstring."""
    units = find_units(repositories, which=which, progress=progress)
    return UnitListing(
        units=[
            ListedUnit(
                id=unit.id,
                path=unit.path,
                name=unit.name,
                type=unit.type,
                language=unit.language,
                start_line=unit.start_line,
                end_line=unit.end_line,
                documented=docstring_summary(unit) is not None,
            )
            for unit in units.units
        ],
        left_out=list_left_out(units),
    )


def template_lines(listing: UnitListing) -> str:
    """Write the units as the file that ``jsonl:FILE`` reads, with empty models and summaries."""
    rows = ({"unit": unit.id, "model": "", "summary": ""} for unit in listing.units)
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def unit_lines(listing: UnitListing) -> Iterator[str]:
    """Write the list for people."""
    for unit in listing.units:
        lines = f"lines {unit.start_line}-{unit.end_line}"
        documented = "documented" if unit.documented else "undocumented"
        yield f"{unit.id}  {unit.type}, {unit.language}, {lines}, {documented}"
    documented_units = sum(unit.documented for unit in listing.units)
    yield f"{len(listing.units):,} units, {documented_units:,} of them documented"
    if listing.left_out:
        yield "left out, for example:"
        yield from examples(listing.left_out)
