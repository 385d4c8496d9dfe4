"""What people found when they read suspects: a file of marks, and what it excludes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from typing_extensions import TypedDict

from tellapart.core.fingerprint import sha256
from tellapart.core.record import Record
from tellapart.errors import InputError
from tellapart.files import check_record, read_bytes, read_object


class MarkKind(StrEnum):
    """What a pair of a target and a distractor is."""

    SECOND = "second right answer"
    SOUND = "sound"
    BROKEN = "broken item"


class Mark(Record):
    """One judgement.

    Attributes:
        target: Id of the unit that is asked about.
        distractor: Id of the other; may be absent where the target's items are broken.
        mark: ``second right answer`` excludes the distractor for this target, ``broken item`` the target,
            ``sound`` nothing.
        note: Anything.
    """

    target: str
    distractor: str | None = None
    mark: MarkKind
    note: str = ""


class MarksFile(Record):
    """A file of marks, as the page of ``contrastive review`` saves it.

    Attributes:
        schema_version: Of this record.
        benchmark: Fingerprint of the benchmark that was read.
        marks: In any order.
    """

    schema_version: Literal[1] = 1
    benchmark: str
    marks: tuple[Mark, ...]


class Revised(TypedDict):
    """What the header of a revised benchmark says.

    Attributes:
        marks: SHA-256 of each file of marks.
        benchmarks: Fingerprints of the benchmarks that were read, one a file.
        excluded_distractors: Pairs of a target of this benchmark and a distractor that is kept from it.
        excluded_targets: Targets that are left out.
    """

    marks: list[str]
    benchmarks: list[str]
    excluded_distractors: int
    excluded_targets: int


@dataclass(frozen=True)
class Exclusions:
    """What marks keep out of a benchmark; nothing by default.

    Attributes:
        pairs: Target and distractor, by id.
        targets: Targets without items.
        digests: SHA-256 of each file of marks.
        benchmarks: Fingerprints of the benchmarks that were read, one a file.
    """

    pairs: frozenset[tuple[str, str]] = frozenset()
    targets: frozenset[str] = frozenset()
    digests: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()

    @property
    def units(self) -> set[str]:
        """Every unit that is named."""
        return {unit for pair in self.pairs for unit in pair} | self.targets

    def recorded(self, targets: Collection[str]) -> Revised:
        """Give the entry of the header."""
        picked = set(targets)
        return {
            "marks": list(self.digests),
            "benchmarks": list(self.benchmarks),
            "excluded_distractors": sum(
                target in picked and target not in self.targets for target, _ in self.pairs
            ),
            "excluded_targets": len(self.targets & picked),
        }


NOTHING = Exclusions()


def read_exclusions(paths: Sequence[Path]) -> Exclusions:
    """Read files of marks."""
    files = [_read_marks(path) for path in paths]
    marks: dict[tuple[str, str | None], tuple[Mark, Path]] = {}
    for path, file in zip(paths, files, strict=True):
        for mark in file.marks:
            first, there = marks.setdefault((mark.target, mark.distractor), (mark, path))
            if first.mark != mark.mark:
                raise InputError(
                    f"target {mark.target!r} and distractor {mark.distractor!r} are marked "
                    f"{mark.mark.value!r}, and {first.mark.value!r} in {there}",
                    where=path,
                    next_step="Keep one of the two marks",
                )
    every = [mark for mark, _ in marks.values()]
    return Exclusions(
        pairs=frozenset(
            (mark.target, mark.distractor)
            for mark in every
            if mark.mark is MarkKind.SECOND and mark.distractor is not None
        ),
        targets=frozenset(mark.target for mark in every if mark.mark is MarkKind.BROKEN),
        digests=tuple(sha256(read_bytes(path)) for path in paths),
        benchmarks=tuple(file.benchmark for file in files),
    )


def check_units(exclusions: Exclusions, units: Iterable[str]) -> None:
    """See that marks are about units that are there.

    An id holds a hash of the code, so that marks of another benchmark serve wherever the same code is.
    """
    there = set(units)
    lost = sorted(exclusions.units - there)
    if not lost:
        return
    name = lost[0].partition("#")[0]
    changed = any(unit.partition("#")[0] == name for unit in there)
    raise InputError(
        f"{len(lost)} of {len(exclusions.units)} marked units are not in this benchmark, such as {lost[0]!r}"
        + (", whose code has changed" if changed else ""),
        next_step=f"The marks are of benchmark {' and '.join(exclusions.benchmarks)}: name the same "
        "repository and options, or review the new benchmark with 'tellapart contrastive review'",
    )


def _read_marks(path: Path) -> MarksFile:
    file = check_record(
        read_object(path),
        MarksFile,
        path,
        "file of marks",
        next_step="The page that 'tellapart contrastive review BENCH --html FILE' writes saves one",
    )
    for mark in file.marks:
        if mark.mark is MarkKind.SECOND and mark.distractor is None:
            raise InputError(
                f"the mark of target {mark.target!r} is {mark.mark.value!r} and names no distractor",
                where=path,
                next_step="Name the other right answer as 'distractor', or mark a 'broken item'",
            )
    return file
