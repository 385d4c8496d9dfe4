"""Directories and kinds of files: what was missed there, and what noise came from there, against the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Literal

from tellapart.codesearch.learning.against import Against, Counts, against, corrected
from tellapart.codesearch.learning.known import Known

What = Literal["directory", "kind"]

Matches = Callable[[str], bool]


@dataclass(frozen=True)
class PlaceFacts:
    """What is known of the files of one directory, or of one kind.

    Attributes:
        place: ``repo/directory``, or an ending such as ``.py``; ``(none)`` for files without one.
        missed: Relevant files there that we did not find.
        found: Relevant files there that we found.
        noise: Files of noise there.
        missed_in: Conversations in which some were missed, in order.
        noise_in: Conversations in which there was noise, in order.
        recall_against_others: Share of the relevant files there that we found, against that of all others.
        noise_against_others: Share of noise among our files there, against that of all others.
    """

    place: str
    missed: int
    found: int
    noise: int
    missed_in: tuple[str, ...]
    noise_in: tuple[str, ...]
    recall_against_others: Against = Against(0)
    noise_against_others: Against = Against(0)

    @property
    def recall(self) -> float | None:
        """Share of the relevant files there that we found; None where there is none."""
        relevant = self.missed + self.found
        return self.found / relevant if relevant else None

    @property
    def noise_rate(self) -> float | None:
        """Share of noise among our files there; None where there is none."""
        ours = self.noise + self.found
        return self.noise / ours if ours else None

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {
            **vars(self),
            "missed_in": list(self.missed_in),
            "noise_in": list(self.noise_in),
            "recall": self.recall,
            "noise_rate": self.noise_rate,
            "recall_against_others": self.recall_against_others.record(),
            "noise_against_others": self.noise_against_others.record(),
        }


def place_facts(known: Sequence[Known], what: What, seed: int) -> list[PlaceFacts]:
    """Count by directory, with all that is below it, or by kind.

    Args:
        known: In the order of ids.
        what: Which of both.
        seed: Of the comparisons.

    Returns:
        One for each, most missed files first, then most noise, then by name. Of directories that hold just
        the same files only the deepest is there.
    """
    counted = [_count(known, place, matches(place, what)) for place in sorted(_places(known, what))]
    if what == "directory":
        counted = _deepest(counted)
    recall, noise = (
        corrected([against(rows(known, matches(one.place, what)), seed) for one in counted])
        for rows in (recall_rows, noise_rows)
    )
    found = [
        replace(one, recall_against_others=r, noise_against_others=n)
        for one, r, n in zip(counted, recall, noise, strict=True)
    ]
    return sorted(found, key=lambda fact: (-fact.missed, -fact.noise, fact.place))


def matches(place: str, what: What) -> Matches:
    """Make what says whether a file is there."""
    if what == "directory":
        return lambda file: file.startswith(f"{place}/")
    return lambda file: kind_of(file) == place


def kind_of(file: str) -> str:
    """The ending of a file's name in lower case, with its dot; ``(none)`` without one."""
    return PurePosixPath(file).suffix.lower() or "(none)"


def recall_rows(known: Sequence[Known], there: Matches, outside: Matches | None = None) -> list[Counts]:
    """By conversation how many relevant files were found there, and elsewhere.

    Args:
        known: The conversations; those that nobody explored to the end are left out.
        there: Which files are there.
        outside: Which are elsewhere; by default all that are not there.
    """
    return [
        _split(one.labels.relevant, one.labels.relevant | one.labels.missed, there, outside)
        for one in known
        if one.labels.missed_seen
    ]


def noise_rows(known: Sequence[Known], there: Matches, outside: Matches | None = None) -> list[Counts]:
    """By conversation how many of our files are noise there, and elsewhere; as ``recall_rows``."""
    return [
        _split(one.labels.noise, one.labels.relevant | one.labels.noise, there, outside)
        for one in known
        if one.labels.noise_seen
    ]


def _split(part: frozenset[str], whole: frozenset[str], there: Matches, outside: Matches | None) -> Counts:
    here = {file for file in whole if there(file)}
    others = whole - here if outside is None else {file for file in whole if outside(file)}
    return Counts(len(part & here), len(here), len(part & others), len(others))


def _places(known: Sequence[Known], what: What) -> set[str]:
    files = {file for one in known for file in one.labels.relevant | one.labels.missed | one.labels.noise}
    if what == "kind":
        return {kind_of(file) for file in files}
    return {str(parent) for file in files for parent in PurePosixPath(file).parents if str(parent) != "."}


def _count(known: Sequence[Known], place: str, there: Matches) -> PlaceFacts:
    def of(which: str) -> Counter[str]:
        return Counter(one.id for one in known for file in getattr(one.labels, which) if there(file))

    missed, found, noise = of("missed"), of("relevant"), of("noise")
    return PlaceFacts(
        place, missed.total(), found.total(), noise.total(), tuple(sorted(missed)), tuple(sorted(noise))
    )


def _deepest(facts: Iterable[PlaceFacts]) -> list[PlaceFacts]:
    """Leave out directories all of whose files lie in one directory within."""
    listed = list(facts)
    total = {fact.place: fact.missed + fact.found + fact.noise for fact in listed}
    fuller = {
        str(PurePosixPath(place).parent)
        for place, count in total.items()
        if total.get(str(PurePosixPath(place).parent)) == count
    }
    return [fact for fact in listed if fact.place not in fuller]
