"""Directories and kinds of files: what was missed or is noise there, and what to change about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Literal, Protocol

from tellapart.codesearch.learning.comparison import (
    NOT_COMPARED,
    PATTERN,
    SharesOfCase,
    against,
    claim_of,
    corrected,
    is_clear,
)
from tellapart.codesearch.learning.labels import Basis, LabelledCase
from tellapart.codesearch.learning.proposals import MOST_EXAMPLES, Effect, effect_of, proposal
from tellapart.codesearch.metrics.conversation import Share
from tellapart.codesearch.metrics.paired_cases import TIE
from tellapart.codesearch.results.learnings import ComparedShares, PlaceRecord, ProposalRecord
from tellapart.report.numbers import whole_percent

What = Literal["directory", "kind"]

Matches = Callable[[str], bool]


def place_facts(cases: Sequence[LabelledCase], what: What, seed: int) -> list[PlaceRecord]:
    """Count by directory, with all that is below it, or by kind."""
    counted = [_count(cases, subject, matches(subject, what)) for subject in sorted(_places(cases, what))]
    if what == "directory":
        counted = _deepest(counted)
    recall, noise = (
        corrected([against(rows(cases, matches(fact.place, what)), seed) for fact in counted])
        for rows in (recall_rows, noise_rows)
    )
    facts = [
        fact.model_copy(update={"recall_against_others": r, "noise_against_others": n})
        for fact, r, n in zip(counted, recall, noise, strict=True)
    ]
    return sorted(facts, key=lambda fact: (-fact.missed, -fact.noise, fact.place))


def matches(directory_or_kind: str, what: What) -> Matches:
    """Make what says whether a file is there."""
    if what == "directory":
        return lambda file: file.startswith(f"{directory_or_kind}/")
    return lambda file: kind_of(file) == directory_or_kind


def kind_of(file: str) -> str:
    """The ending of a file's name in lower case, with its dot; ``(none)`` without one."""
    return PurePosixPath(file).suffix.lower() or "(none)"


def recall_rows(
    cases: Sequence[LabelledCase], there: Matches, outside: Matches | None = None
) -> list[SharesOfCase]:
    """By conversation how many relevant files were found there, and elsewhere."""
    return [
        _split(case.labels.relevant, case.labels.relevant | case.labels.missed, there, outside)
        for case in cases
        if case.labels.missed_seen
    ]


def noise_rows(
    cases: Sequence[LabelledCase], there: Matches, outside: Matches | None = None
) -> list[SharesOfCase]:
    """By conversation how many of our files are noise there, and elsewhere; as ``recall_rows``."""
    return [
        _split(case.labels.noise, case.labels.relevant | case.labels.noise, there, outside)
        for case in cases
        if case.labels.noise_seen
    ]


def _split(
    part: frozenset[str], whole: frozenset[str], there: Matches, outside: Matches | None
) -> SharesOfCase:
    here = {file for file in whole if there(file)}
    others = whole - here if outside is None else {file for file in whole if outside(file)}
    return Share(len(part & here), len(here)), Share(len(part & others), len(others))


def _places(cases: Sequence[LabelledCase], what: What) -> set[str]:
    files = {file for case in cases for file in case.labels.relevant | case.labels.missed | case.labels.noise}
    if what == "kind":
        return {kind_of(file) for file in files}
    return {str(parent) for file in files for parent in PurePosixPath(file).parents if str(parent) != "."}


def _count(cases: Sequence[LabelledCase], subject: str, there: Matches) -> PlaceRecord:
    def of(which: str) -> Counter[str]:
        return Counter(case.id for case in cases for file in getattr(case.labels, which) if there(file))

    missed, hits, noise = of("missed"), of("relevant"), of("noise")
    relevant, ours = missed.total() + hits.total(), noise.total() + hits.total()
    return PlaceRecord(
        place=subject,
        missed=missed.total(),
        found=hits.total(),
        noise=noise.total(),
        missed_in=tuple(sorted(missed)),
        noise_in=tuple(sorted(noise)),
        recall_against_others=NOT_COMPARED,
        noise_against_others=NOT_COMPARED,
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


_MORE = "what else the search would return from there was never recorded, so that no effect can be counted"
_LESS = "no file takes the place of one that goes"

Which = Literal["missed", "noise"]


class Rows(Protocol):
    """Counts by conversation, there and outside; `recall_rows` or `noise_rows`."""

    def __call__(
        self, cases: Sequence[LabelledCase], there: Matches, outside: Matches | None = None
    ) -> list[SharesOfCase]:
        """Count."""
        ...


def search_places(
    cases: Sequence[LabelledCase], facts: Sequence[PlaceRecord], what: What, seed: int
) -> list[ProposalRecord]:
    """Places with missed files in ``PATTERN`` conversations whose recall is clearly below all others'.

    What is clear says `is_clear`. A directory is named in place of those within it only where it is
    clearly below the rest without them as well.
    """
    clear = [
        fact for fact in facts if len(fact.missed_in) >= PATTERN and is_clear(fact.recall_against_others, -1)
    ]
    if what == "directory":
        clear = _named(cases, clear, recall_rows, -1, seed)
    return [_search(cases, fact, what) for fact in clear]


def leave_out_places(
    cases: Sequence[LabelledCase], facts: Sequence[PlaceRecord], what: What, basis: Basis, seed: int
) -> list[ProposalRecord]:
    """Places with noise in ``PATTERN`` conversations, more noise than anything relevant, found or missed.

    Their share of noise is clearly above that of all others, as for ``search_places``, and mean precision is
    higher without them.
    """
    clear = [
        fact
        for fact in facts
        if len(fact.noise_in) >= PATTERN
        and fact.noise > fact.found + fact.missed
        and is_clear(fact.noise_against_others, 1)
    ]
    if what == "directory":
        clear = _named(cases, clear, noise_rows, 1, seed)
    effects = [
        effect_of(cases, basis, partial(ours_there, there=matches(fact.place, what)), seed) for fact in clear
    ]
    return [
        _leave_out(cases, fact, effect, what)
        for fact, effect in zip(clear, effects, strict=True)
        if _raises_precision(effect)
    ]


def ours_there(labelled: LabelledCase, there: Matches) -> list[str]:
    """Our files of one conversation that are there."""
    return [file for file in labelled.case.ours if there(file)]


def _raises_precision(effect: Effect) -> bool:
    change = effect.precision.difference
    return change is not None and change > TIE


def _named(
    cases: Sequence[LabelledCase], clear: Sequence[PlaceRecord], rows: Rows, sign: int, seed: int
) -> list[PlaceRecord]:
    """Of directories within one another, those that say all; the deepest are looked at first."""
    kept: list[PlaceRecord] = []
    for fact in sorted(clear, key=lambda fact: (-fact.place.count("/"), fact.place)):
        inner = [other for other in kept if other.place.startswith(f"{fact.place}/")]
        if inner and not is_clear(_without(cases, fact, inner, rows, seed), sign):
            continue
        kept = [*(other for other in kept if other not in inner), fact]
    return kept


def _without(
    cases: Sequence[LabelledCase], fact: PlaceRecord, inner: Sequence[PlaceRecord], rows: Rows, seed: int
) -> ComparedShares:
    there = matches(fact.place, "directory")
    within = [matches(other.place, "directory") for other in inner]

    def rest(file: str) -> bool:
        return there(file) and not any(is_within(file) for is_within in within)

    def outside(file: str) -> bool:
        return not there(file)

    return against(rows(cases, rest, outside), seed)


def _search(cases: Sequence[LabelledCase], fact: PlaceRecord, what: What) -> ProposalRecord:
    other, there = fact.recall_against_others, matches(fact.place, what)
    return proposal(
        "search_directory" if what == "directory" else "search_kind",
        fact.place,
        claim_of(other),
        statement=(
            f"{fact.missed:,} of {fact.missed + fact.found:,} relevant files {_there(fact.place, what)} were "
            f"missed, recall {other.here:.2f} against {other.elsewhere:.2f} elsewhere: search there, or rank "
            "it higher"
        ),
        conversations=fact.missed_in,
        evidence={
            "missed": fact.missed,
            "found": fact.found,
            "recall": fact.recall,
            "recall_against_others": other.to_json(),
            "files": _files(cases, there, "missed"),
        },
        weight=-other.excess,
        assumes=_MORE,
        could_hurt=_noisy_areas(cases, there),
    )


def _leave_out(
    cases: Sequence[LabelledCase], fact: PlaceRecord, effect: Effect, what: What
) -> ProposalRecord:
    other, there = fact.noise_against_others, matches(fact.place, what)
    relevant = fact.found + fact.missed
    return proposal(
        "leave_out_directory" if what == "directory" else "leave_out_kind",
        fact.place,
        claim_of(other),
        statement=(
            f"{fact.noise:,} files {_there(fact.place, what)} are noise and {relevant:,} relevant, "
            f"{whole_percent(other.here or 0)} noise against "
            f"{whole_percent(other.elsewhere or 0)} elsewhere: leave it out, or rank it lower"
        ),
        conversations=fact.noise_in,
        evidence={
            "noise": fact.noise,
            "relevant": relevant,
            "found": fact.found,
            "missed": fact.missed,
            "noise_rate": fact.noise_rate,
            "noise_against_others": other.to_json(),
            "files": _files(cases, there, "noise"),
        },
        weight=float(fact.noise - relevant),
        assumes=_LESS,
        effect=effect,
        could_hurt=effect.hurt(),
    )


def _there(subject: str, what: What) -> str:
    if what == "directory":
        return f"in {subject}/"
    return "without an ending" if subject == "(none)" else f"that end in {subject}"


def _files(cases: Sequence[LabelledCase], there: Matches, which: Which) -> list[str]:
    files = {file for case in cases for file in getattr(case.labels, which) if there(file)}
    return sorted(files)[:MOST_EXAMPLES]


def _noisy_areas(cases: Sequence[LabelledCase], there: Matches) -> dict[str, dict[str, int]]:
    """Areas whose conversations have noise from there already: more of the same is to be feared."""
    counts: dict[str, dict[str, int]] = {}
    for case in cases:
        own = counts.setdefault(case.area, {"noise_there": 0, "relevant_there": 0})
        own["noise_there"] += sum(map(there, case.labels.noise))
        own["relevant_there"] += sum(map(there, case.labels.relevant | case.labels.missed))
    return {area: own for area, own in sorted(counts.items()) if own["noise_there"]}
