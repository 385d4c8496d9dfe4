"""Directories and kinds of files: where to search, and what to leave out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from tellapart.codesearch.learning.against import PATTERN, Against, Counts, against
from tellapart.codesearch.learning.effects import effect_of
from tellapart.codesearch.learning.known import Known
from tellapart.codesearch.learning.labels import Basis
from tellapart.codesearch.learning.places import (
    Matches,
    PlaceFacts,
    What,
    matches,
    noise_rows,
    recall_rows,
)
from tellapart.codesearch.learning.proposal import MOST_EXAMPLES, Proposal, chance_words

_MORE = "what else the search would return from there was never recorded, so that no effect can be counted"
_LESS = "no file takes the place of one that goes"

Which = Literal["missed", "noise"]


class Rows(Protocol):
    """Counts by conversation, there and outside; `recall_rows` or `noise_rows`."""

    def __call__(
        self, known: Sequence[Known], there: Matches, outside: Matches | None = None
    ) -> list[Counts]:
        """Count."""
        ...


def search_places(
    known: Sequence[Known], facts: Sequence[PlaceFacts], what: What, seed: int
) -> list[Proposal]:
    """Places with missed files in ``PATTERN`` conversations whose recall is clearly below all others'.

    What is clear says `Against.clear`. A directory is named in place of those within it only where it is
    clearly below the rest without them as well.
    """
    clear = [
        fact for fact in facts if len(fact.missed_in) >= PATTERN and fact.recall_against_others.clear(-1)
    ]
    if what == "directory":
        clear = _named(known, clear, recall_rows, -1, seed)
    return [_search(known, fact, what) for fact in clear]


def leave_out_places(
    known: Sequence[Known], facts: Sequence[PlaceFacts], what: What, basis: Basis, seed: int
) -> list[Proposal]:
    """Places with noise in ``PATTERN`` conversations, more noise than anything relevant, found or missed.

    Their share of noise is clearly above that of all others, as for ``search_places``, and mean precision is
    higher without them.
    """
    clear = [
        fact
        for fact in facts
        if len(fact.noise_in) >= PATTERN
        and fact.noise > fact.found + fact.missed
        and fact.noise_against_others.clear(1)
    ]
    if what == "directory":
        clear = _named(known, clear, noise_rows, 1, seed)
    found = [_leave_out(known, fact, what, basis, seed) for fact in clear]
    return [one for one in found if _raises_precision(one)]


def _raises_precision(one: Proposal) -> bool:
    change = one.effect.precision.difference if one.effect else None
    return change is not None and change > 1e-12


def _named(
    known: Sequence[Known], clear: Sequence[PlaceFacts], rows: Rows, sign: int, seed: int
) -> list[PlaceFacts]:
    """Of directories within one another, those that say all; the deepest are looked at first."""
    kept: list[PlaceFacts] = []
    for fact in sorted(clear, key=lambda fact: (-fact.place.count("/"), fact.place)):
        inner = [one for one in kept if one.place.startswith(f"{fact.place}/")]
        if inner and not _without(known, fact, inner, rows, seed).clear(sign):
            continue
        kept = [*(one for one in kept if one not in inner), fact]
    return kept


def _without(
    known: Sequence[Known], fact: PlaceFacts, inner: Sequence[PlaceFacts], rows: Rows, seed: int
) -> Against:
    there = matches(fact.place, "directory")
    within = [matches(one.place, "directory") for one in inner]

    def rest(file: str) -> bool:
        return there(file) and not any(one(file) for one in within)

    def outside(file: str) -> bool:
        return not there(file)

    return against(rows(known, rest, outside), seed)


def _search(known: Sequence[Known], fact: PlaceFacts, what: What) -> Proposal:
    other, there = fact.recall_against_others, matches(fact.place, what)
    says = chance_words(other.claim)
    return Proposal(
        kind="search_directory" if what == "directory" else "search_kind",
        subject=fact.place,
        statement=(
            f"{fact.missed:,} of {fact.missed + fact.found:,} relevant files {_there(fact.place, what)} were "
            f"missed, recall {other.here:.2f} against {other.elsewhere:.2f} elsewhere: search there, or rank "
            f"it higher; {says}"
        ),
        conversations=fact.missed_in,
        evidence={
            "missed": fact.missed,
            "found": fact.found,
            "recall": fact.recall,
            "recall_against_others": other.record(),
            "files": _files(known, there, "missed"),
        },
        p=other.p,
        p_holm=other.p_holm,
        beyond_chance=other.beyond_chance,
        weight=-other.excess,
        assumes=_MORE,
        effect=None,
        could_hurt=_noisy_areas(known, there),
    )


def _leave_out(known: Sequence[Known], fact: PlaceFacts, what: What, basis: Basis, seed: int) -> Proposal:
    other, there = fact.noise_against_others, matches(fact.place, what)
    effect = effect_of(
        known,
        basis,
        lambda one: [file for file in one.case.ours if there(file)],
        seed,
    )
    says = chance_words(other.claim)
    relevant = fact.found + fact.missed
    return Proposal(
        kind="leave_out_directory" if what == "directory" else "leave_out_kind",
        subject=fact.place,
        statement=(
            f"{fact.noise:,} files {_there(fact.place, what)} are noise and {relevant:,} relevant, "
            f"{other.here:.0%} noise against {other.elsewhere:.0%} elsewhere: leave it out, or rank it "
            f"lower; {says}"
        ),
        conversations=fact.noise_in,
        evidence={
            "noise": fact.noise,
            "relevant": relevant,
            "found": fact.found,
            "missed": fact.missed,
            "noise_rate": fact.noise_rate,
            "noise_against_others": other.record(),
            "files": _files(known, there, "noise"),
        },
        p=other.p,
        p_holm=other.p_holm,
        beyond_chance=other.beyond_chance,
        weight=float(fact.noise - relevant),
        assumes=_LESS,
        effect=effect,
        could_hurt=effect.hurt(),
    )


def _there(place: str, what: What) -> str:
    if what == "directory":
        return f"in {place}/"
    return "without an ending" if place == "(none)" else f"that end in {place}"


def _files(known: Sequence[Known], there: Matches, which: Which) -> list[str]:
    found = {file for one in known for file in getattr(one.labels, which) if there(file)}
    return sorted(found)[:MOST_EXAMPLES]


def _noisy_areas(known: Sequence[Known], there: Matches) -> dict[str, dict[str, int]]:
    """Areas whose conversations have noise from there already: more of the same is to be feared."""
    counts: dict[str, dict[str, int]] = {}
    for one in known:
        own = counts.setdefault(one.area, {"noise_there": 0, "relevant_there": 0})
        own["noise_there"] += sum(map(there, one.labels.noise))
        own["relevant_there"] += sum(map(there, one.labels.relevant | one.labels.missed))
    return {area: own for area, own in sorted(counts.items()) if own["noise_there"]}
