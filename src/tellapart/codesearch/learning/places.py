"""Directories and kinds of files: what was missed or is noise there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath
from typing import Literal

from tellapart.codesearch.learning.labels import LabelledCase
from tellapart.codesearch.learning.learnings import PlaceRecord

What = Literal["directory", "kind"]


def place_facts(cases: Sequence[LabelledCase], what: What) -> list[PlaceRecord]:
    """Count by directory, with all that is below it, or by kind."""
    facts = [_count(cases, subject, _matches(subject, what)) for subject in sorted(_places(cases, what))]
    if what == "directory":
        facts = _deepest(facts)
    return sorted(facts, key=lambda fact: (-fact.missed, -fact.noise, fact.place))


def _matches(directory_or_kind: str, what: What) -> Callable[[str], bool]:
    if what == "directory":
        return lambda file: file.startswith(f"{directory_or_kind}/")
    return lambda file: kind_of(file) == directory_or_kind


def kind_of(file: str) -> str:
    """The ending of a file's name in lower case, with its dot; ``(none)`` without one."""
    return PurePosixPath(file).suffix.lower() or "(none)"


def _places(cases: Sequence[LabelledCase], what: What) -> set[str]:
    files = {file for case in cases for file in case.labels.relevant | case.labels.missed | case.labels.noise}
    if what == "kind":
        return {kind_of(file) for file in files}
    return {str(parent) for file in files for parent in PurePosixPath(file).parents if str(parent) != "."}


def _count(cases: Sequence[LabelledCase], subject: str, there: Callable[[str], bool]) -> PlaceRecord:
    def by_case(which: str) -> Counter[str]:
        return Counter(case.id for case in cases for file in getattr(case.labels, which) if there(file))

    missed, hits, noise = by_case("missed"), by_case("relevant"), by_case("noise")
    relevant, ours = missed.total() + hits.total(), noise.total() + hits.total()
    return PlaceRecord(
        place=subject,
        missed=missed.total(),
        found=hits.total(),
        noise=noise.total(),
        missed_in=tuple(sorted(missed)),
        noise_in=tuple(sorted(noise)),
        recall=hits.total() / relevant if relevant else None,
        noise_rate=noise.total() / ours if ours else None,
    )


def _deepest(facts: Iterable[PlaceRecord]) -> list[PlaceRecord]:
    """Leave out directories all of whose files lie in one directory within."""
    listed = list(facts)
    total = {fact.place: fact.missed + fact.found + fact.noise for fact in listed}
    fuller = {
        str(PurePosixPath(directory).parent)
        for directory, count in total.items()
        if total.get(str(PurePosixPath(directory).parent)) == count
    }
    return [fact for fact in listed if fact.place not in fuller]
