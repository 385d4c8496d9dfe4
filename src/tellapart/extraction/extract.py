"""Extract a repository's units: functions, methods and classes with a body.

A unit's content is its source span, decorators included, without the documentation, moved left by the indent
of its first line, with Unix line ends. Its lines are counted on the content: what a model gets to see.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tellapart.core.progress import SILENT, Progress
from tellapart.extraction.cutting import Cutter
from tellapart.extraction.reading import Unusable, read_source
from tellapart.extraction.sources import Skipped, Sources, Tally
from tellapart.extraction.unit import Unit


@dataclass(frozen=True)
class Extraction:
    """What was found, and what was left out.

    Attributes:
        units: By path, then start line; the outer before the inner.
        skipped: What ``sources`` left out already; files that are ``unreadable``, ``too large``, ``binary``,
            ``undecodable`` or ``unparsable``; and definitions that are ``too short``,
            ``too long``, ``too deep`` (inside fifty others), broken by a ``syntax error``, or have
            ``no body`` besides a docstring.
    """

    units: tuple[Unit, ...]
    skipped: Skipped


def extract_units(
    sources: Sources, *, min_lines: int = 5, max_lines: int = 500, progress: Progress = SILENT
) -> Extraction:
    """Extract the units of all source files.

    Args:
        sources: The files.
        min_lines: Shortest content kept, in lines.
        max_lines: Longest content kept.
        progress: Receives how many files are read.

    Returns:
        Units with unique ids. No file is fatal: one that cannot be used is counted and named.
    """
    tally = Tally.after(sources.skipped)
    units: list[Unit] = []
    with progress.step("read", len(sources.files), unit="files") as step:
        for done, (path, location, language) in enumerate(sources.files, start=1):
            try:
                data = read_source(location, language)
                units += Cutter(path, data, language, tally).units(min_lines, max_lines)
            except Unusable as cause:
                tally.add(str(cause), path)
            step.update(done)
    return Extraction(_with_unique_ids(units), tally.freeze())


def _with_unique_ids(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Tell equal definitions in one file apart by line, and on one line by a count."""
    seen: set[str] = set()
    unique = []
    for unit in units:
        name, count = unit.id, 1
        while name in seen:
            name = f"{unit.id}@{unit.start_line}" + (f".{count}" if count > 1 else "")
            count += 1
        seen.add(name)
        unique.append(unit if name == unit.id else replace(unit, id=name))
    return tuple(unique)
