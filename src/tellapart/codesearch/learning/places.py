"""Directories and kinds of files: what was missed there, and what noise came from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from tellapart.codesearch.case import Case
from tellapart.codesearch.learning.labels import Basis, label


@dataclass
class PlaceFacts:
    """What is known of the files of one directory, or of one kind.

    Attributes:
        place: ``repo/directory``, or an ending such as ``.py``; ``(none)`` for files without one.
        missed: Relevant files there that we did not find.
        found: Relevant files there that we found.
        noise: Files of noise there.
        missed_in: Conversations in which some were missed, in order.
        noise_in: Conversations in which there was noise, in order.
    """

    place: str
    missed: int = 0
    found: int = 0
    noise: int = 0
    missed_in: list[str] = field(default_factory=list)
    noise_in: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float | None:
        """Share of the relevant files there that we found; None where there is none."""
        relevant = self.missed + self.found
        return self.found / relevant if relevant else None


def directory_facts(cases: Sequence[Case], basis: Basis) -> list[PlaceFacts]:
    """Count by directory, at every depth.

    Returns:
        By most missed, then most noise, then path. A directory is left out where one below it has just the
        same counts: the deeper one says more.
    """
    facts = _counted(cases, basis, _directories)
    counts = {fact.place: _counts(fact) for fact in facts}
    deeper = {
        parent
        for place, own in counts.items()
        for parent in map(str, PurePosixPath(place).parents)
        if counts.get(parent) == own
    }
    return [fact for fact in facts if fact.place not in deeper]


def kind_facts(cases: Sequence[Case], basis: Basis) -> list[PlaceFacts]:
    """Count by the ending of the file's name, in lower case; ordered as ``directory_facts``."""
    return _counted(cases, basis, lambda file: iter([kind_of(file)]))


def kind_of(file: str) -> str:
    """The ending of a file's name in lower case, with its dot; ``(none)`` without one."""
    return PurePosixPath(file).suffix.lower() or "(none)"


def _counted(
    cases: Sequence[Case], basis: Basis, places_of: Callable[[str], Iterator[str]]
) -> list[PlaceFacts]:
    found: dict[str, PlaceFacts] = {}
    for case in sorted(cases, key=lambda case: case.conversation.id):
        labels = label(case, basis)
        for kind, files in (("missed", labels.missed), ("found", labels.relevant), ("noise", labels.noise)):
            for file in files:
                for place in places_of(file):
                    _add(found.setdefault(place, PlaceFacts(place)), kind, case.conversation.id)
    return sorted(found.values(), key=lambda fact: (-fact.missed, -fact.noise, fact.place))


def _add(fact: PlaceFacts, kind: str, conversation: str) -> None:
    setattr(fact, kind, getattr(fact, kind) + 1)
    seen = {"missed": fact.missed_in, "noise": fact.noise_in}.get(kind)
    if seen is not None and conversation not in seen[-1:]:
        seen.append(conversation)


def _counts(fact: PlaceFacts) -> tuple[object, ...]:
    return fact.missed, fact.found, fact.noise, tuple(fact.missed_in), tuple(fact.noise_in)


def _directories(file: str) -> Iterator[str]:
    yield from (str(parent) for parent in PurePosixPath(file).parents if str(parent) != ".")
