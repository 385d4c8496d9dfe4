"""Search terms that led to noise: which to drop, and which to rank lower."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from tellapart.codesearch.learning.against import PATTERN
from tellapart.codesearch.learning.effects import Change, Effect, effect_of
from tellapart.codesearch.learning.known import Known
from tellapart.codesearch.learning.labels import Basis
from tellapart.codesearch.learning.proposal import MOST_EXAMPLES, Proposal, chance_words
from tellapart.codesearch.learning.terms import TermFacts
from tellapart.core.comparison import Claim, claims

ALONE = (
    "a file is gone without a term where no other term of the conversation led to it, and none takes its "
    "place"
)
OCCURS = (
    "a term led to every file that it occurs in, since the system does not say which did; where no other "
    "term of the conversation occurs in a file, it is gone without this one, and none takes its place"
)
_GOES_WITH = (
    "files with the term are noise more often; whether they were found because of it is not known, so that "
    "no effect can be counted"
)
OPEN = "files without a verdict could turn it round"


@dataclass(frozen=True)
class _Tried:
    fact: TermFacts
    effect: Effect
    claim: Claim


def drop_terms(known: Sequence[Known], facts: Sequence[TermFacts], basis: Basis, seed: int) -> list[Proposal]:
    """Terms without which more noise than relevant files goes.

    Every term that ``PATTERN`` conversations or more used and that led to a file alone is tried; of these a
    term is proposed that led alone to more noise than relevant files, to noise in ``PATTERN`` conversations
    or more, and without which mean precision is higher or nothing relevant is lost. ``beyond_chance`` is said
    of precision's change.
    """
    tried = [
        (fact, effect_of(known, basis, partial(_alone, term=fact.term), seed))
        for fact in sorted(facts, key=lambda fact: fact.term)
        if len(fact.conversations) >= PATTERN and fact.noise_alone + fact.relevant_alone + fact.open_alone
    ]
    claimed = claims([effect.precision.p for _, effect in tried])
    found = [_Tried(fact, effect, claim) for (fact, effect), claim in zip(tried, claimed, strict=True)]
    return [_drop(known, one) for one in found if _is_worth_it(one)]


def rank_terms_lower(
    known: Sequence[Known], facts: Sequence[TermFacts], dropped: Collection[str]
) -> list[Proposal]:
    """Terms whose files are clearly noise more often than the other files of the same conversations.

    Args:
        known: In the order of ids.
        facts: Of all terms.
        dropped: Terms that are proposed to be dropped, which are left out.
    """
    return [
        _lower(known, fact)
        for fact in facts
        if fact.term not in dropped and fact.noise_against_others.clear(1)
    ]


def _alone(one: Known, term: str) -> frozenset[str]:
    return one.alone(term)


def _is_worth_it(one: _Tried) -> bool:
    change = one.effect.precision
    # Where searches are left without a file they have no precision that could rise.
    rises = one.fact.relevant_alone == 0 or (change.difference is not None and change.difference > 1e-12)
    more_noise = one.fact.noise_alone > one.fact.relevant_alone
    return len(one.fact.noise_alone_in) >= PATTERN and more_noise and rises


def _drop(known: Sequence[Known], one: _Tried) -> Proposal:
    fact, effect = one.fact, one.effect
    precision, recall = effect.whole.values()
    says = chance_words(one.claim)
    noise = {file for each in known for file in each.alone(fact.term) & each.labels.noise}
    by_system = all(each.trace == "system" for each in known if fact.term in each.terms)
    return Proposal(
        kind="drop_term",
        subject=fact.term,
        statement=(
            f"Without the search term {fact.term!r} {fact.noise_alone:,} files of noise would not be found, "
            f"and {fact.relevant_alone:,} relevant ones neither: precision {_words(precision)}, "
            f"recall {_words(recall)}; {says}"
        ),
        conversations=fact.noise_alone_in,
        evidence={
            "noise": fact.noise,
            "relevant": fact.relevant,
            "noise_rate": fact.noise_rate,
            "noise_alone": fact.noise_alone,
            "relevant_alone": fact.relevant_alone,
            "open_alone": fact.open_alone,
            "files": sorted(noise)[:MOST_EXAMPLES],
        },
        p=one.claim.p,
        p_holm=one.claim.p_adjusted,
        beyond_chance=one.claim.holds,
        withheld=OPEN if fact.relevant_alone + fact.open_alone >= fact.noise_alone else None,
        weight=float(fact.noise_alone - fact.relevant_alone),
        assumes=ALONE if by_system else OCCURS,
        effect=effect,
        could_hurt=effect.hurt(),
    )


def _words(change: Change) -> str:
    means = (change.before, change.after)
    return " to ".join("undefined" if one is None else f"{one:.2f}" for one in means)


def _lower(known: Sequence[Known], fact: TermFacts) -> Proposal:
    other = fact.noise_against_others
    using = [one for one in known if fact.term in one.terms]
    noise = {(one.id, file) for one in using for file in one.labels.noise if fact.term in one.by_file[file]}
    says = chance_words(other.claim)
    return Proposal(
        kind="rank_term_lower",
        subject=fact.term,
        statement=(
            f"Files with the search term {fact.term!r} are noise in {other.here:.0%}, those without it in "
            f"{other.elsewhere:.0%}: search for it last, or count it for less; {says}"
        ),
        conversations=tuple(sorted({id for id, _ in noise})),
        evidence={
            "noise": fact.noise,
            "relevant": fact.relevant,
            "open": fact.open,
            "noise_rate": fact.noise_rate,
            "share": fact.share,
            "noise_against_others": other.record(),
            "files": sorted({file for _, file in noise})[:MOST_EXAMPLES],
        },
        p=other.p,
        p_holm=other.p_holm,
        beyond_chance=other.beyond_chance,
        weight=other.excess,
        assumes=_GOES_WITH,
        effect=None,
        could_hurt=_relevant_by_area(using, fact.term),
    )


def _relevant_by_area(using: Sequence[Known], term: str) -> dict[str, dict[str, int]]:
    """Areas in which the term also led to relevant files, which would be ranked lower too."""
    found: dict[str, int] = {}
    for one in using:
        there = sum(term in one.by_file[file] for file in one.labels.relevant)
        if there:
            found[one.area] = found.get(one.area, 0) + there
    return {area: {"relevant_there": count} for area, count in sorted(found.items())}
