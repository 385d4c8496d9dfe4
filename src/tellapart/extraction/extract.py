"""Extract a repository's units: functions, methods and classes with a body.

A unit's content is its source span, decorators included, without the documentation, moved left by the indent
of its first line, with Unix line ends. Its lines are counted on the content: what a model gets to see.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import NamedTuple

from tellapart.core.jobs import Made, Spread
from tellapart.core.progress import SILENT, Progress, Rate
from tellapart.extraction.cutting import Cutter
from tellapart.extraction.languages import Language, all_languages
from tellapart.extraction.reading import Unusable, read_source
from tellapart.extraction.sources import LeftOut, Skipped, SourceFile, Sources, Tally
from tellapart.extraction.unit import Unit

_FILES_A_TASK = 16


@dataclass(frozen=True)
class Extraction:
    """The units, by path, then start line, the outer before the inner; and what was left out.

    That is what ``sources`` left out, files that cannot be read or parsed, and definitions that are too short
    or long, inside fifty others, broken by a syntax error, without a body, or have a macro for a header.
    """

    units: tuple[Unit, ...]
    skipped: Skipped


def extract_units(
    sources: Sources,
    *,
    min_lines: int = 5,
    max_lines: int = 500,
    progress: Progress = SILENT,
    spread: Spread | None = None,
) -> Extraction:
    """Extract the units of all source files."""
    job = CutJob(min_lines, max_lines)
    files = sources.files
    starts = range(0, len(files), _FILES_A_TASK)
    tasks = Made(len(starts), lambda task: [_read(f) for f in files[starts[task] :][:_FILES_A_TASK]])
    done_here = ((task, job.do(None, tasks[task])) for task in range(len(tasks)))
    cut: dict[int, list[CutFile]] = {}
    with progress.step("read", len(files), unit="files") as step:
        done, rate = 0, Rate("", time.monotonic)
        for task, of_task in done_here if spread is None else spread(job, tasks):
            cut[task] = of_task
            done += len(of_task)
            step.update(done, note=rate.after(len(of_task)))
    in_order = [file for task in range(len(tasks)) for file in cut[task]]
    skipped = [*sources.skipped.things, *chain.from_iterable(file.left_out for file in in_order)]
    units = chain.from_iterable(file.units for file in in_order)
    return Extraction(_with_unique_ids(units), Skipped(tuple(skipped)))


class ReadFile(NamedTuple):
    """A source file that was read: its text as ``read_source`` gives it, or why it cannot be used."""

    path: str
    language: str
    data: bytes | Unusable


def _read(file: SourceFile) -> ReadFile:
    try:
        return ReadFile(file.path, file.language.name, read_source(file.location, file.language))
    except Unusable as cause:
        return ReadFile(file.path, file.language.name, cause)


class CutFile(NamedTuple):
    """What a file came to: its units, and what was left out of it."""

    units: list[Unit]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class CutJob:
    """Cuts the units out of files that have so many lines."""

    min_lines: int
    max_lines: int
    name: str = "extracting units"

    def open(self) -> None:
        """Nothing: a grammar is loaded when a file needs it."""

    def do(self, _: None, files: Sequence[ReadFile]) -> list[CutFile]:
        """Cut some files."""
        return [self._cut(file) for file in files]

    def _cut(self, file: ReadFile) -> CutFile:
        tally = Tally()
        units: list[Unit] = []
        try:
            if isinstance(file.data, Unusable):
                raise file.data
            cutter = Cutter(file.path, file.data, _languages()[file.language], tally)
            units += cutter.units(self.min_lines, self.max_lines)
        except Unusable as cause:
            tally.add(str(cause), file.path)
        return CutFile(units, tally.freeze().things)

    def describe(self, files: Sequence[ReadFile]) -> str:
        """Name the first and the last file."""
        return files[0].path if len(files) == 1 else f"{files[0].path} to {files[-1].path}"


@cache
def _languages() -> dict[str, Language]:
    return {language.name: language for language in all_languages()}


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
