"""Search terms: what each led to, how much of it to nothing else, and whether it goes with noise.

What can be said of a term depends on who says which terms led to a file. Where the system does, a file that
was found by one term alone would be gone without it. Where only the contents are known, a term may occur in
a file without having led there, and common words occur in nearly all: then ``noise_against_others`` is what
is left, whether files with the term are noise more often than the conversation's other files. Paths say as
much as that and no more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from tellapart.codesearch.learning.comparison import (
    PATTERN,
    SharesOfCase,
    against,
    claim_of,
    corrected,
    is_clear,
)
from tellapart.codesearch.learning.labels import Basis, LabelledCase
from tellapart.codesearch.learning.proposals import (
    MOST_EXAMPLES,
    Effect,
    effect_of,
    proposal,
)
from tellapart.codesearch.metrics.conversation import Share
from tellapart.codesearch.metrics.paired_cases import TIE
from tellapart.codesearch.results.learnings import ComparedShares, EffectRecord, ProposalRecord, TermRecord
from tellapart.core.comparison import Claim, claims
from tellapart.report.numbers import whole_percent


def term_facts(cases: Sequence[LabelledCase], seed: int) -> list[TermRecord]:
    """Count by term."""
    terms = sorted(set().union(*(case.terms for case in cases)))
    compared = corrected([_compared(cases, term, seed) for term in terms])
    facts = [_facts(cases, term, other) for term, other in zip(terms, compared, strict=True)]
    return sorted(facts, key=_order)


def _order(fact: TermRecord) -> tuple[int, bool, float, int, str]:
    excess = round(fact.noise_against_others.excess, 9)
    own = fact.noise_alone - fact.relevant_alone
    return -own, len(fact.conversations) < PATTERN, -excess, -fact.noise, fact.term


def _compared(cases: Sequence[LabelledCase], term: str, seed: int) -> ComparedShares:
    rows = [noise_row(case, term) for case in cases if term in case.terms and case.labels.noise_seen]
    return against(rows, seed)


def noise_row(case: LabelledCase, term: str) -> SharesOfCase:
    """Of one conversation, the share of noise among files with a term, and among those without it."""
    labels = case.labels
    decided = labels.relevant | labels.noise
    here = {file for file in decided if term in case.by_file[file]}
    noise = len(labels.noise & here)
    return Share(noise, len(here)), Share(len(labels.noise) - noise, len(decided) - len(here))


def _facts(cases: Sequence[LabelledCase], term: str, compared: ComparedShares) -> TermRecord:
    using = [case for case in cases if term in case.terms]
    there = [frozenset(file for file, terms in case.by_file.items() if term in terms) for case in using]
    alone = [case.alone(term) for case in using]

    def count(which: str, of: Sequence[frozenset[str]]) -> int:
        return sum(len(getattr(case.labels, which) & files) for case, files in zip(using, of, strict=True))

    files = sum(len(case.by_file) for case in using)
    relevant, noise, open_ = (count(which, there) for which in ("relevant", "noise", "open"))
    return TermRecord(
        term=term,
        conversations=tuple(case.id for case in using),
        files=files,
        relevant=relevant,
        noise=noise,
        open=open_,
        relevant_alone=count("relevant", alone),
        noise_alone=count("noise", alone),
        open_alone=count("open", alone),
        noise_alone_in=tuple(
            case.id for case, files in zip(using, alone, strict=True) if case.labels.noise & files
        ),
        noise_against_others=compared,
        noise_rate=noise / (relevant + noise) if relevant + noise else None,
        share=(relevant + noise + open_) / files if files else None,
    )


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
OPEN = "files without a verdict could reverse this result"


@dataclass(frozen=True)
class _Tried:
    fact: TermRecord
    effect: Effect
    claim: Claim


def drop_terms(
    cases: Sequence[LabelledCase], facts: Sequence[TermRecord], basis: Basis, seed: int
) -> list[ProposalRecord]:
    """Terms without which more noise than relevant files goes.

    Every term that ``PATTERN`` conversations or more used and that led to a file alone is tried; of these a
    term is proposed that led alone to more noise than relevant files, to noise in ``PATTERN`` conversations
    or more, and without which mean precision is higher or nothing relevant is lost. ``beyond_chance`` is said
    of precision's change.
    """
    tried = [
        (fact, effect_of(cases, basis, partial(files_alone, term=fact.term), seed))
        for fact in sorted(facts, key=lambda fact: fact.term)
        if len(fact.conversations) >= PATTERN and fact.noise_alone + fact.relevant_alone + fact.open_alone
    ]
    claimed = claims([effect.precision.p for _, effect in tried])
    candidates = [_Tried(fact, effect, claim) for (fact, effect), claim in zip(tried, claimed, strict=True)]
    return [_drop(cases, candidate) for candidate in candidates if _is_worth_it(candidate)]


def rank_terms_lower(
    cases: Sequence[LabelledCase], facts: Sequence[TermRecord], dropped: Collection[str]
) -> list[ProposalRecord]:
    """Terms whose files are clearly noise more often than the other files of the same conversations."""
    return [
        _lower(cases, fact)
        for fact in facts
        if fact.term not in dropped and is_clear(fact.noise_against_others, 1)
    ]


def files_alone(case: LabelledCase, term: str) -> frozenset[str]:
    """Our files that no other term of the conversation led to."""
    return case.alone(term)


def _is_worth_it(candidate: _Tried) -> bool:
    change = candidate.effect.precision
    # Where searches are left without a file they have no precision that could rise.
    rises = candidate.fact.relevant_alone == 0 or (change.difference is not None and change.difference > TIE)
    more_noise = candidate.fact.noise_alone > candidate.fact.relevant_alone
    return len(candidate.fact.noise_alone_in) >= PATTERN and more_noise and rises


def _drop(cases: Sequence[LabelledCase], candidate: _Tried) -> ProposalRecord:
    fact, effect = candidate.fact, candidate.effect
    precision, recall = effect.whole.values()
    noise = {file for each in cases for file in each.alone(fact.term) & each.labels.noise}
    by_system = all(each.trace == "system" for each in cases if fact.term in each.terms)
    return proposal(
        "drop_term",
        fact.term,
        candidate.claim,
        statement=(
            f"Without the search term {fact.term!r} {fact.noise_alone:,} files of noise would not be found, "
            f"and {fact.relevant_alone:,} relevant ones neither: precision {_words(precision)}, "
            f"recall {_words(recall)}"
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
        withheld=OPEN if fact.relevant_alone + fact.open_alone >= fact.noise_alone else None,
        weight=float(fact.noise_alone - fact.relevant_alone),
        assumes=ALONE if by_system else OCCURS,
        effect=effect,
        could_hurt=effect.hurt(),
    )


def _words(change: EffectRecord) -> str:
    means = (change.before, change.after)
    return " to ".join("undefined" if mean is None else f"{mean:.2f}" for mean in means)


def _lower(cases: Sequence[LabelledCase], fact: TermRecord) -> ProposalRecord:
    other = fact.noise_against_others
    using = [case for case in cases if fact.term in case.terms]
    noise = {
        (case.id, file) for case in using for file in case.labels.noise if fact.term in case.by_file[file]
    }
    return proposal(
        "rank_term_lower",
        fact.term,
        claim_of(other),
        statement=(
            f"Files with the search term {fact.term!r} are noise in {whole_percent(other.here or 0)}, those "
            f"without it in {whole_percent(other.elsewhere or 0)}: search for it last, or count it for less"
        ),
        conversations=tuple(sorted({id for id, _ in noise})),
        evidence={
            "noise": fact.noise,
            "relevant": fact.relevant,
            "open": fact.open,
            "noise_rate": fact.noise_rate,
            "share": fact.share,
            "noise_against_others": other.to_json(),
            "files": sorted({file for _, file in noise})[:MOST_EXAMPLES],
        },
        weight=other.excess,
        assumes=_GOES_WITH,
        could_hurt=_relevant_by_area(using, fact.term),
    )


def _relevant_by_area(using: Sequence[LabelledCase], term: str) -> dict[str, dict[str, int]]:
    """Areas in which the term also led to relevant files, which would be ranked lower too."""
    counts: dict[str, int] = {}
    for case in using:
        there = sum(term in case.by_file[file] for file in case.labels.relevant)
        if there:
            counts[case.area] = counts.get(case.area, 0) + there
    return {area: {"relevant_there": count} for area, count in sorted(counts.items())}
