"""Proposed changes, and what the figures would have been with them: the iteration counted once more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tellapart.codesearch.case import Case
from tellapart.codesearch.learning.labels import Basis, LabelledCase
from tellapart.codesearch.metrics.conversation import MEASURES
from tellapart.codesearch.metrics.paired_cases import TIE, pair_figures
from tellapart.codesearch.results.learnings import EffectRecord, ProposalRecord
from tellapart.core.comparison import Claim
from tellapart.core.stats import mean_once

NAMES: Mapping[Basis, tuple[str, str]] = {
    "judged": ("precision", "recall"),
    "union": ("precision_union", "recall_union"),
}
"""The two measures that are counted once more."""

Without = Callable[[LabelledCase], Collection[str]]


@dataclass(frozen=True)
class Effect:
    """The measures of the whole and by product area, and what would be lost.

    Attributes:
        whole: By measure.
        areas: By area and measure (before, after).
        relevant_lost: By area, relevant files that would be gone; only areas with some.
        emptied: Conversations that would be left without a file, in order; their precision is undefined and
            no longer in the mean.
    """

    whole: dict[str, EffectRecord]
    areas: Mapping[str, Mapping[str, tuple[float | None, float | None]]]
    relevant_lost: Mapping[str, int]
    emptied: tuple[str, ...]

    @property
    def precision(self) -> EffectRecord:
        """The first of the two measures."""
        return next(iter(self.whole.values()))

    def hurt(self) -> dict[str, dict[str, float]]:
        """Areas in which a measure would fall, by how much, below 0; and relevant files lost there."""
        falls: dict[str, dict[str, float]] = {}
        for area, measures in sorted(self.areas.items()):
            own = {
                name: after - before
                for name, (before, after) in measures.items()
                if before is not None and after is not None and after < before - TIE
            }
            lost = self.relevant_lost.get(area, 0)
            if own or lost:
                falls[area] = own | ({"relevant_lost": lost} if lost else {})
        return falls


def effect_of(cases: Sequence[LabelledCase], basis: Basis, without: Without, seed: int) -> Effect:
    """Count once more without some of our files; nothing takes their place."""
    gone = [frozenset(without(labelled)) for labelled in cases]
    before = [labelled.case for labelled in cases]
    after = [without_files(labelled.case, files) for labelled, files in zip(cases, gone, strict=True)]
    lost: dict[str, int] = {}
    for labelled, files in zip(cases, gone, strict=True):
        if count := len(labelled.labels.relevant & files):
            lost[labelled.area] = lost.get(labelled.area, 0) + count
    areas = sorted({labelled.area for labelled in cases})
    emptied = [
        labelled.id
        for labelled, case in zip(cases, after, strict=True)
        if labelled.case.result.files and not case.ours
    ]
    return Effect(
        {name: _change(before, after, name, seed) for name in NAMES[basis]},
        {area: _of_area(before, after, area, basis) for area in areas},
        lost,
        tuple(emptied),
    )


def without_files(case: Case, gone: Collection[str]) -> Case:
    """A case as it would be if our search had not returned some files."""
    kept = tuple(file for file in case.result.files if file not in gone)
    return replace(case, result=replace(case.result, files=kept))


def _change(before: Sequence[Case], after: Sequence[Case], name: str, seed: int) -> EffectRecord:
    old, new = ([MEASURES[name](case).value for case in cases] for cases in (before, after))
    figures = pair_figures(new, old)
    effect = figures.test(seed=seed)
    return EffectRecord(
        before=mean_once([value for value in old if value is not None]),
        after=mean_once([value for value in new if value is not None]),
        difference=effect.value,
        interval=effect.interval,
        p=effect.p,
        conversations=figures.n,
    )


def _of_area(
    before: Sequence[Case], after: Sequence[Case], area: str, basis: Basis
) -> dict[str, tuple[float | None, float | None]]:
    own = [[case for case in cases if case.conversation.product_area == area] for cases in (before, after)]
    return {name: (_mean(own[0], name), _mean(own[1], name)) for name in NAMES[basis]}


def _mean(cases: Sequence[Case], name: str) -> float | None:
    values = [value for case in cases if (value := MEASURES[name](case).value) is not None]
    return mean_once(values)


MOST_PROPOSALS = 20
"""More than that nobody reads; the facts hold the rest."""

MOST_EXAMPLES = 5
"""Files that are shown of each."""

Kind = Literal[
    "drop_term",
    "rank_term_lower",
    "search_directory",
    "search_kind",
    "leave_out_directory",
    "leave_out_kind",
]


def proposal(
    kind: Kind,
    subject: str,
    claim: Claim,
    *,
    statement: str,
    conversations: tuple[str, ...],
    evidence: dict[str, Any],
    weight: float,
    assumes: str,
    could_hurt: dict[str, Any],
    effect: Effect | None = None,
    withheld: str | None = None,
) -> ProposalRecord:
    """Propose a change; what each field says stands with `ProposalRecord`."""
    return ProposalRecord(
        id=f"{kind}:{subject}",
        kind=kind,
        subject=subject,
        statement=statement,
        conversations=conversations,
        evidence=evidence,
        p=claim.p,
        p_holm=claim.p_adjusted,
        beyond_chance=claim.holds,
        withheld=withheld,
        weight=weight,
        assumes=assumes,
        effect=effect.whole if effect else None,
        emptied=effect.emptied if effect else (),
        could_hurt=could_hurt,
    )


def first_ones(proposals: Iterable[ProposalRecord]) -> list[ProposalRecord]:
    """Those that are worth reading first: beyond chance, then by weight, then by name."""
    ordered = sorted(
        proposals,
        key=lambda proposal: (proposal.beyond_chance is not True, -round(proposal.weight, 9), proposal.id),
    )
    return ordered[:MOST_PROPOSALS]
