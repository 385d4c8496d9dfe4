"""What a benchmark is built from: the units and summaries of repositories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tellapart.contrastive.benchmark import BenchmarkCounts
from tellapart.contrastive.summaries import (
    SHORTEST,
    Summary,
    docstring_summaries,
    read_summaries,
    unknown_source,
)
from tellapart.core.progress import SILENT, Progress
from tellapart.errors import InputError, UsageError
from tellapart.extraction.copies import distinct
from tellapart.extraction.extract import extract_units
from tellapart.extraction.sources import NAMED_PER_CAUSE, Skipped, find_sources
from tellapart.extraction.unit import Unit


@dataclass(frozen=True)
class UnitFilter:
    """Which units may be targets or candidates.

    Attributes:
        types: Of these types; of any where none is named.
        languages: The same of languages.
        min_lines: At least so many lines.
        max_lines: At most so many.
    """

    types: Collection[str] = ()
    languages: Collection[str] = ()
    min_lines: int = 5
    max_lines: int = 500


ALL_UNITS = UnitFilter()


@dataclass(frozen=True)
class Material:
    """What a benchmark is built from.

    Attributes:
        units: Distinct units that may be targets or candidates, by path and line.
        summaries: Of some or all of them.
        counts: What was found and left out.
        skipped: Files and definitions left out, with examples by cause.
    """

    units: tuple[Unit, ...]
    summaries: tuple[Summary, ...]
    counts: BenchmarkCounts
    skipped: Skipped


def gather_material(
    repositories: Sequence[Path],
    *,
    summaries: str | None = "docstring",
    candidates: str = "documented",
    which: UnitFilter = ALL_UNITS,
    progress: Progress = SILENT,
) -> Material:
    """Extract units and summaries.

    Args:
        repositories: One or more directories; with several, paths begin with the directory's name.
        summaries: ``docstring``, or ``jsonl:FILE`` for texts that models wrote; None for none, where somebody
            is to write them once it is known about what.
        candidates: ``documented`` takes only units that have a docstring or a summary, so that a target and
            its distractors are of one kind and none can be told apart without reading the summary; ``all``
            takes every unit.
        which: Units that are left out are counted by cause.
        progress: Receives how many files are read.

    Raises:
        InputError: A repository or the summaries cannot be used, or there is nothing to ask about.
        UsageError: ``summaries`` is something else, or two repositories cannot be told apart.
    """
    units: list[Unit] = []
    counts: dict[str, int] = {}
    examples: dict[str, tuple[str, ...]] = {}
    if len({repository.resolve().name for repository in repositories}) < len(repositories):
        raise UsageError("two repositories have the same directory name; their units could not be told apart")
    for repository in repositories:
        extraction = extract_units(
            find_sources(repository), min_lines=which.min_lines, max_lines=which.max_lines, progress=progress
        )
        prefix = f"{repository.resolve().name}/" if len(repositories) > 1 else ""
        units += [replace(unit, id=prefix + unit.id, path=prefix + unit.path) for unit in extraction.units]
        for cause, count in extraction.skipped.counts.items():
            counts[cause] = counts.get(cause, 0) + count
            examples[cause] = examples.get(cause, ()) + extraction.skipped.examples[cause]
    _check_units(units, repositories, which)
    units = _filtered(units, which, counts, examples)
    kept, copies = distinct(units)
    texts = [] if summaries is None else _summaries(summaries, kept)
    documented = {summary.unit for summary in docstring_summaries(kept)} | {summary.unit for summary in texts}
    pool = kept if candidates == "all" else tuple(unit for unit in kept if unit.id in documented)
    if not pool:
        raise _undocumented(kept, "Take every unit with --candidates all")
    totals: BenchmarkCounts = {
        "extracted": len(units),
        "copies": len(copies),
        "undocumented": len(kept) - len(pool),
        "skipped": counts,
    }
    return Material(pool, tuple(texts), totals, Skipped(counts, examples))


def _summaries(source: str, units: Sequence[Unit]) -> list[Summary]:
    kind, _, file = source.partition(":")
    if kind == "docstring" and not file:
        texts = docstring_summaries(units)
        if not texts:
            raise _undocumented(units, "Give summaries of your own with --summaries jsonl:FILE")
        return texts
    if kind == "jsonl" and file:
        return read_summaries(Path(file), {unit.id: unit for unit in units})
    raise unknown_source(source)


def _undocumented(units: Sequence[Unit], next_step: str) -> InputError:
    return InputError(
        f"none of the {len(units)} units has a docstring or doc comment of {SHORTEST} characters or more",
        next_step=next_step,
    )


def _filtered(
    units: Sequence[Unit],
    which: UnitFilter,
    counts: dict[str, int],
    examples: dict[str, tuple[str, ...]],
) -> list[Unit]:
    """The units of the wanted types and languages; the others are added to ``counts`` and ``examples``."""
    kept = []
    for unit in units:
        if which.languages and unit.language not in which.languages:
            cause = "other language"
        elif which.types and unit.type not in which.types:
            cause = "other type"
        else:
            kept.append(unit)
            continue
        counts[cause] = counts.get(cause, 0) + 1
        if counts[cause] <= NAMED_PER_CAUSE:
            examples[cause] = (*examples.get(cause, ()), unit.id)
    if not kept:
        found = Counter(f"{unit.language} {unit.type}" for unit in units)
        raise InputError(
            "no unit is of the languages and types that are asked for",
            next_step="There are: " + ", ".join(f"{n:,} {name}" for name, n in sorted(found.items())),
        )
    return kept


def _check_units(units: Sequence[Unit], repositories: Sequence[Path], which: UnitFilter) -> None:
    if not units:
        raise InputError(
            f"no function, method or class of {which.min_lines} to {which.max_lines} lines was found in any "
            "known language",
            where=", ".join(map(str, repositories)),
            next_step="Tests, vendored and generated code are left out; see docs/contrastive.md",
        )
