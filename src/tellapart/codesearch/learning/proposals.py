"""What might be changed, with the evidence, the effect on the recorded iteration, and whom it could hurt."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from tellapart.codesearch.case import Case
from tellapart.codesearch.learning.effects import Effect, effect_of
from tellapart.codesearch.learning.labels import Basis, label
from tellapart.codesearch.learning.places import PlaceFacts, kind_of
from tellapart.codesearch.learning.terms import TermFacts, files_by_term_alone

PATTERN = 3
"""Conversations that make a pattern; what fewer show is an outlier."""

MOST_PROPOSALS = 20
"""More than that nobody reads; the facts hold the rest."""

_NOISY = 0.5
_EXAMPLES = 5

Kind = Literal["drop_term", "search_directory", "search_kind", "leave_out_directory", "leave_out_kind"]


@dataclass(frozen=True)
class Proposal:
    """One change of the system under test, for a person to decide on.

    Attributes:
        id: Kind and subject, such as ``drop_term:post``.
        kind: What sort of change.
        subject: The term, directory or kind of file.
        statement: One sentence.
        conversations: Those that it rests on, in order; at least ``PATTERN``.
        evidence: Counts, and some files.
        effect: Of the change on the recorded iteration; None where that cannot be counted, since a search
            that looks in more places also finds what was not recorded.
        could_hurt: By product area what speaks against it.
    """

    id: str
    kind: Kind
    subject: str
    statement: str
    conversations: tuple[str, ...]
    evidence: dict[str, Any]
    effect: Effect | None
    could_hurt: dict[str, Any]


def drop_terms(cases: Sequence[Case], facts: Sequence[TermFacts], basis: Basis) -> list[Proposal]:
    """Terms that lead to more noise than relevant files, in ``PATTERN`` conversations or more."""
    found = []
    for fact in facts:
        rate = fact.noise_rate
        if len(fact.conversations) < PATTERN or rate is None or rate <= _NOISY or not fact.noise_alone:
            continue
        effect = effect_of(cases, basis, partial(files_by_term_alone, term=fact.term))
        noise = sorted(
            file for case in cases for file in files_by_term_alone(case, fact.term) & label(case, basis).noise
        )
        found.append(
            Proposal(
                id=f"drop_term:{fact.term}",
                kind="drop_term",
                subject=fact.term,
                statement=(
                    f"Without the search term {fact.term!r} {fact.noise_alone:,} files of noise would not be "
                    f"found, and {fact.relevant_alone:,} relevant ones neither"
                ),
                conversations=tuple(fact.conversations),
                evidence={
                    "noise": fact.noise,
                    "relevant": fact.relevant,
                    "noise_rate": rate,
                    "noise_alone": fact.noise_alone,
                    "relevant_alone": fact.relevant_alone,
                    "files": list(dict.fromkeys(noise))[:_EXAMPLES],
                },
                effect=effect,
                could_hurt=effect.hurt(),
            )
        )
    return found


def search_places(
    cases: Sequence[Case], facts: Sequence[PlaceFacts], basis: Basis, what: Literal["directory", "kind"]
) -> list[Proposal]:
    """Directories, or kinds of files, of which more is missed than found, in ``PATTERN`` conversations."""
    kind: Kind = "search_directory" if what == "directory" else "search_kind"
    found = []
    for fact in facts:
        if len(fact.missed_in) < PATTERN or fact.missed <= fact.found:
            continue
        found.append(
            Proposal(
                id=f"{kind}:{fact.place}",
                kind=kind,
                subject=fact.place,
                statement=(
                    f"{fact.missed:,} of {fact.missed + fact.found:,} relevant files "
                    f"{_there(what, fact.place)} were missed: search there, or rank it higher"
                ),
                conversations=tuple(fact.missed_in),
                evidence={
                    "missed": fact.missed,
                    "found": fact.found,
                    "recall": fact.recall,
                    "files": _files(cases, fact, what, "missed", basis),
                },
                effect=None,
                could_hurt=_noise_by_area(cases, fact, what, basis),
            )
        )
    return found


def leave_out_places(
    cases: Sequence[Case], facts: Sequence[PlaceFacts], basis: Basis, what: Literal["directory", "kind"]
) -> list[Proposal]:
    """Directories, or kinds of files, with noise in ``PATTERN`` conversations and little that is relevant."""
    kind: Kind = "leave_out_directory" if what == "directory" else "leave_out_kind"
    found = []
    for fact in facts:
        relevant = fact.found + fact.missed
        if len(fact.noise_in) < PATTERN or fact.noise <= 4 * relevant:
            continue
        effect = effect_of(cases, basis, partial(_ours_below, place=fact.place, what=what))
        found.append(
            Proposal(
                id=f"{kind}:{fact.place}",
                kind=kind,
                subject=fact.place,
                statement=(
                    f"{fact.noise:,} files {_there(what, fact.place)} are noise, {relevant:,} relevant: "
                    "leave it out, or rank it lower"
                ),
                conversations=tuple(fact.noise_in),
                evidence={
                    "noise": fact.noise,
                    "relevant": relevant,
                    "files": _files(cases, fact, what, "noise", basis),
                },
                effect=effect,
                could_hurt=effect.hurt(),
            )
        )
    return found


def apart(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Leave out directories that lie within, or around, one that is proposed already for the same."""
    kept: list[Proposal] = []
    for one in proposals:
        nested = any(
            one.kind == other.kind
            and (_within(one.subject, other.subject) or _within(other.subject, one.subject))
            for other in kept
            if one.kind.endswith("directory")
        )
        if not nested:
            kept.append(one)
    return kept


def _within(inner: str, outer: str) -> bool:
    return inner.startswith(f"{outer}/")


def _there(what: str, place: str) -> str:
    return f"in {place}/" if what == "directory" else f"that end in {place}"


def _below(files: Collection[str], place: str, what: str) -> frozenset[str]:
    if what == "directory":
        return frozenset(file for file in files if _within(file, place))
    return frozenset(file for file in files if kind_of(file) == place)


def _ours_below(case: Case, place: str, what: str) -> frozenset[str]:
    return _below(case.ours, place, what)


def _files(
    cases: Sequence[Case], fact: PlaceFacts, what: str, which: Literal["missed", "noise"], basis: Basis
) -> list[str]:
    found = {file for case in cases for file in _below(getattr(label(case, basis), which), fact.place, what)}
    return sorted(found)[:_EXAMPLES]


def _noise_by_area(
    cases: Sequence[Case], fact: PlaceFacts, what: str, basis: Basis
) -> dict[str, dict[str, int]]:
    """Areas whose conversations already have noise from there: more of the same is to be feared."""
    found: dict[str, int] = {}
    for case in cases:
        noise = len(_below(label(case, basis).noise, fact.place, what))
        if noise:
            area = case.conversation.product_area
            found[area] = found.get(area, 0) + noise
    return {area: {"noise_there": noise} for area, noise in sorted(found.items())}
