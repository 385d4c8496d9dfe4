"""What a benchmark is built from: the units and summaries of repositories."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tellapart.contrastive.benchmark import BenchmarkCounts, CandidateKind
from tellapart.contrastive.build_options import ALL_UNITS, LONGEST_UNIT, SHORTEST_UNIT, UnitFilter
from tellapart.contrastive.left_out import LeftOutPath, by_path
from tellapart.contrastive.summaries import (
    SHORTEST,
    Summary,
    docstring_summaries,
    read_summaries,
    unknown_source,
)
from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.errors import InputError, UsageError
from tellapart.extraction.copies import distinct
from tellapart.extraction.extract import extract_units
from tellapart.extraction.sources import LeftOut, Skipped, find_sources
from tellapart.extraction.unit import Unit


@dataclass(frozen=True)
class Material:
    """What a benchmark is built from.

    Attributes:
        units: Distinct units that may be targets or candidates, by path and line.
        counts: What was found and left out.
        left_out: Everything that was left out: files, and units that cannot be cut out, are copies or, if
            only documented units are wanted, have neither a docstring nor a summary.
    """

    units: tuple[Unit, ...]
    summaries: tuple[Summary, ...]
    counts: BenchmarkCounts
    left_out: tuple[LeftOutPath, ...]


def gather_material(
    repositories: Sequence[Path],
    *,
    summaries: str | None = "docstring",
    candidates: CandidateKind = "documented",
    which: UnitFilter = ALL_UNITS,
    progress: Progress = SILENT,
    spread: Spread | None = None,
) -> Material:
    """Extract units and summaries."""
    extracted = find_units(repositories, which=which, progress=progress, spread=spread)
    kept = extracted.units
    texts = [] if summaries is None else _summaries(summaries, kept, repositories)
    documented = {summary.unit for summary in docstring_summaries(kept)} | {summary.unit for summary in texts}
    takes_all = candidates == "all"
    pool = kept if takes_all else tuple(unit for unit in kept if unit.id in documented)
    if not pool:
        raise _undocumented(kept, repositories)
    bare = () if takes_all else tuple(unit for unit in kept if unit.id not in documented)
    totals: BenchmarkCounts = {
        "extracted": len(kept) + len(extracted.copies),
        "copies": len(extracted.copies),
        "undocumented": len(bare),
        "skipped": extracted.skipped.counts,
    }
    return Material(pool, tuple(texts), totals, tuple(list_left_out(extracted, bare)))


@dataclass(frozen=True)
class FoundUnits:
    """The units of repositories.

    Attributes:
        units: Distinct, by path and line.
        copies: Units that equal one of those but for names, comments and white space.
        skipped: Files, definitions that make no units, and units that are not wanted.
    """

    units: tuple[Unit, ...]
    copies: tuple[Unit, ...]
    skipped: Skipped


def find_units(
    repositories: Sequence[Path],
    *,
    which: UnitFilter = ALL_UNITS,
    progress: Progress = SILENT,
    spread: Spread | None = None,
) -> FoundUnits:
    """Extract the units of repositories; see ``gather_material``."""
    units: list[Unit] = []
    skipped: list[LeftOut] = []
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
        skipped += [thing._replace(path=prefix + thing.path) for thing in extraction.skipped.things]
    _check_units(units, repositories)
    units, unwanted = _filtered(units, which)
    skipped += unwanted
    kept, copies = distinct(units)
    return FoundUnits(kept, tuple(unit for unit in units if unit.id in copies), Skipped(tuple(skipped)))


def list_left_out(extracted: FoundUnits, undocumented: Iterable[Unit] = ()) -> list[LeftOutPath]:
    """List everything that was left out of what was found, ``undocumented`` units included."""
    copies = (_left_out(unit, "copy") for unit in extracted.copies)
    bare = (_left_out(unit, "undocumented") for unit in undocumented)
    return by_path([*extracted.skipped.things, *copies, *bare])


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


def _filtered(units: Sequence[Unit], which: UnitFilter) -> tuple[list[Unit], list[LeftOut]]:
    """Divide units into those of the wanted languages, and the others."""
    kept, unwanted = [], []
    for unit in units:
        if which.languages and unit.language not in which.languages:
            unwanted.append(_left_out(unit, "other language"))
        else:
            kept.append(unit)
    if not kept:
        counts = Counter(unit.language for unit in units)
        raise InputError(
            "no unit is of the languages that are asked for",
            next_step="There are: " + ", ".join(f"{n:,} {name}" for name, n in sorted(counts.items())),
        )
    return kept, unwanted


def _check_units(units: Sequence[Unit], repositories: Sequence[Path]) -> None:
    if not units:
        raise InputError(
            f"no function, method or class of {SHORTEST_UNIT} to {LONGEST_UNIT} lines was found in any "
            "known language",
            where=", ".join(map(str, repositories)),
            next_step="Tests, vendored and generated code are left out; see docs/contrastive.md",
        )
