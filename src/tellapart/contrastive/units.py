"""The units of repositories: what a benchmark is built from, and which units are asked about."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from tellapart.contrastive.benchmark import BenchmarkCounts, CandidateKind, LeftOutPath, by_path, examples
from tellapart.contrastive.summaries import (
    SHORTEST,
    Summary,
    docstring_summaries,
    docstring_summary,
    read_summaries,
    unknown_source,
)
from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.core.record import Record
from tellapart.errors import InputError, UsageError
from tellapart.extraction.copies import distinct
from tellapart.extraction.extract import extract_units
from tellapart.extraction.sources import LeftOut, find_sources
from tellapart.extraction.unit import Unit

SHORTEST_UNIT, LONGEST_UNIT = 5, 500
"""Lines of a unit."""


@dataclass(frozen=True)
class Material:
    """What a benchmark is built from; units are distinct, by path and line."""

    units: tuple[Unit, ...]
    summaries: tuple[Summary, ...]
    counts: BenchmarkCounts
    left_out: tuple[LeftOutPath, ...]


def gather_material(
    repositories: Sequence[Path],
    *,
    summaries: str | None = "docstring",
    candidates: CandidateKind = "documented",
    languages: Sequence[str] = (),
    progress: Progress = SILENT,
    spread: Spread | None = None,
) -> Material:
    """Extract units and summaries."""
    units, left_out = find_units(repositories, languages, progress=progress, spread=spread)
    texts = [] if summaries is None else _summaries(summaries, units, repositories)
    documented = {summary.unit for summary in (*docstring_summaries(units), *texts)}
    pool = units if candidates == "all" else tuple(unit for unit in units if unit.id in documented)
    if not pool:
        raise _undocumented(units, repositories)
    chosen = {unit.id for unit in pool}
    skipped = Counter(thing.cause for thing in left_out)
    copies = skipped.pop("copy", 0)
    totals: BenchmarkCounts = {
        "extracted": len(units) + copies,
        "copies": copies,
        "undocumented": len(units) - len(pool),
        "skipped": dict(sorted(skipped.items())),
    }
    left_out += [_left_out(unit, "undocumented") for unit in units if unit.id not in chosen]
    return Material(pool, tuple(texts), totals, tuple(by_path(left_out)))


def find_units(
    repositories: Sequence[Path],
    languages: Sequence[str] = (),
    *,
    progress: Progress = SILENT,
    spread: Spread | None = None,
) -> tuple[tuple[Unit, ...], list[LeftOut]]:
    """Extract the distinct units of repositories, and say what else there was."""
    units: list[Unit] = []
    left_out: list[LeftOut] = []
    if len({repository.resolve().name for repository in repositories}) < len(repositories):
        raise UsageError("two repositories have the same directory name; their units could not be told apart")
    for repository in repositories:
        extraction = extract_units(
            find_sources(repository),
            min_lines=SHORTEST_UNIT,
            max_lines=LONGEST_UNIT,
            progress=progress,
            spread=spread,
        )
        prefix = f"{repository.resolve().name}/" if len(repositories) > 1 else ""
        units += [replace(unit, id=prefix + unit.id, path=prefix + unit.path) for unit in extraction.units]
        left_out += [thing._replace(path=prefix + thing.path) for thing in extraction.skipped.things]
    wanted = [unit for unit in units if not languages or unit.language in languages]
    if not wanted:
        raise _no_units(units, repositories)
    left_out += [
        _left_out(unit, "other language") for unit in units if languages and unit.language not in languages
    ]
    kept, copies = distinct(wanted)
    left_out += [_left_out(unit, "copy") for unit in wanted if unit.id in copies]
    return kept, left_out


def _left_out(unit: Unit, cause: str) -> LeftOut:
    return LeftOut(unit.path, cause, unit.id.partition("::")[2].partition("#")[0], unit.start_line)


def _summaries(source: str, units: Sequence[Unit], repositories: Sequence[Path]) -> list[Summary]:
    kind, _, file = source.partition(":")
    if kind == "docstring" and not file:
        texts = docstring_summaries(units)
        if not texts:
            raise _undocumented(units, repositories)
        return texts
    if kind == "jsonl" and file:
        return read_summaries(Path(file), {unit.id: unit for unit in units})
    raise unknown_source(source)


def _undocumented(units: Sequence[Unit], repositories: Sequence[Path]) -> InputError:
    named = shlex.join(map(str, repositories))
    return InputError(
        f"none of the {len(units)} units has a docstring or doc comment of {SHORTEST} characters or more",
        next_step="Let a language model write summaries of every unit: 'tellapart contrastive build "
        f"{named} --summaries llm:PROVIDER/MODEL --out bench'; or write them yourself into the file that "
        f"'tellapart contrastive units {named} --template summaries.jsonl' makes, and build with "
        "'--summaries jsonl:summaries.jsonl'",
    )


def _no_units(units: Sequence[Unit], repositories: Sequence[Path]) -> InputError:
    if units:
        counts = Counter(unit.language for unit in units)
        return InputError(
            "no unit is of the languages that are asked for",
            next_step="There are: " + ", ".join(f"{n:,} {name}" for name, n in sorted(counts.items())),
        )
    return InputError(
        f"no function, method or class of {SHORTEST_UNIT} to {LONGEST_UNIT} lines was found in any known "
        "language",
        where=", ".join(map(str, repositories)),
        next_step="Tests, vendored and generated code are left out; see docs/contrastive.md",
    )


def pick_targets(units: Sequence[Unit], summarised: Sequence[int], count: int, seed: int) -> list[int]:
    """Pick targets like the units they are picked from: one from each slice by language, type and length.

    Long code is near to more summaries than short code, so a sample with too much of one sort would be off
    chance.
    """
    if count >= len(summarised):
        return sorted(summarised)

    def lot(i: int) -> bytes:
        return hashlib.sha256(f"{seed}\n{units[i].id}".encode()).digest()

    def order_key(i: int) -> tuple[str, str, int, str]:
        return units[i].language, units[i].type, len(units[i].content), units[i].id

    ordered = sorted(summarised, key=order_key)
    edges = [len(ordered) * k // count for k in range(count + 1)]
    return sorted(min(ordered[low:high], key=lot) for low, high in pairwise(edges))


LISTED = ("id", "path", "name", "type", "language", "start_line", "end_line")


class UnitListing(Record):
    """The units that questions can be made of, by path and line, and everything that was left out.

    Each unit has the fields ``LISTED``, and ``documented`` if a summary can be taken from its docstring.
    """

    units: list[dict[str, Any]]
    left_out: list[LeftOutPath]

    def template(self) -> str:
        """The file that ``jsonl:FILE`` reads, with empty models and summaries."""
        rows = ({"unit": unit["id"], "model": "", "summary": ""} for unit in self.units)
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)

    def lines(self) -> Iterator[str]:
        """The list for people."""
        for unit in self.units:
            documented = "documented" if unit["documented"] else "undocumented"
            lines = f"lines {unit['start_line']}-{unit['end_line']}"
            yield f"{unit['id']}  {unit['type']}, {unit['language']}, {lines}, {documented}"
        documented_units = sum(unit["documented"] for unit in self.units)
        yield f"{len(self.units):,} units, {documented_units:,} of them documented"
        if self.left_out:
            yield "left out, for example:"
            yield from examples(self.left_out)


def list_units(
    repositories: Sequence[Path], languages: Sequence[str] = (), progress: Progress = SILENT
) -> UnitListing:
    """List the units of repositories, with or without a docstring."""
    units, left_out = find_units(repositories, languages, progress=progress)
    listed = [
        {name: getattr(unit, name) for name in LISTED} | {"documented": docstring_summary(unit) is not None}
        for unit in units
    ]
    return UnitListing(units=listed, left_out=by_path(left_out))
