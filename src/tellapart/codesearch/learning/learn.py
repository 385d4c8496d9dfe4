"""All that one iteration teaches: facts, patterns, outliers, proposals, and cautions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, log2

from tellapart.codesearch.case import Case
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.learning.comparison import PATTERN
from tellapart.codesearch.learning.held_back import divide, held_back_words, hold_back
from tellapart.codesearch.learning.labels import Basis, LabelledCase, basis_of, label_cases
from tellapart.codesearch.learning.outliers import anecdotes, outliers
from tellapart.codesearch.learning.places import leave_out_places, place_facts, search_places
from tellapart.codesearch.learning.proposals import NAMES, first_ones
from tellapart.codesearch.learning.terms import drop_terms, rank_terms_lower, term_facts
from tellapart.codesearch.metrics.aggregate import areas
from tellapart.codesearch.metrics.judge import MOST_FAILED
from tellapart.codesearch.results.learnings import (
    AreaFarBelow,
    Learnings,
    PlaceRecord,
    ProposalRecord,
    TermRecord,
)
from tellapart.codesearch.tracing import weakest_trace
from tellapart.core.comparison import ALPHA
from tellapart.core.seed import SEED

ENOUGH = 2 * (1 + ceil(-log2(ALPHA)))
"""Conversations that can confirm anything: of the n held back, 2 of 2^n flips of signs are extreme."""


def notes(cases: Sequence[LabelledCase], basis: Basis) -> list[str]:
    """Say it, a sentence each."""
    return [*_on_size(cases), *_on_noise(cases, basis), *_on_missing(cases), *_on_traces(cases)]


def _on_size(cases: Sequence[LabelledCase]) -> Iterator[str]:
    n = len(cases)
    there = "there is 1 conversation" if n == 1 else f"there are {n} conversations"
    if n < PATTERN:
        yield f"{there}, and a pattern needs {PATTERN}: nothing is proposed"
    elif n < ENOUGH:
        yield (
            f"{there}, and with fewer than {ENOUGH} no proposal can be confirmed: half of them suggest, and "
            "the other half tests"
        )


def _on_noise(cases: Sequence[LabelledCase], basis: Basis) -> Iterator[str]:
    if basis == "union":
        yield "nothing was judged: noise is every file that no exploration found"
        return
    open_ = sum(len(labelled.labels.open) for labelled in cases)
    unique = sum(len(labelled.case.our_unique) for labelled in cases)
    if open_:
        doubt = "; what is noise cannot be relied on" if open_ > MOST_FAILED * unique else ""
        yield (
            f"{open_:,} of {unique:,} files that only the system found have no verdict, and count neither as "
            f"noise nor as relevant{doubt}"
        )
    unseen = [case.id for case in cases if not case.labels.noise_seen]
    if unseen:
        yield f"no file was judged in {_ids(unseen)}: shares of noise leave them out"


def _on_missing(cases: Sequence[LabelledCase]) -> Iterator[str]:
    unseen = [case.id for case in cases if not case.labels.missed_seen]
    if unseen:
        yield f"both explorations failed in {_ids(unseen)}: nothing is known to be missed there"
    for name in ("run_a", "run_b"):
        suspect = [labelled.id for labelled in cases if getattr(labelled.case, name).suspect]
        if suspect:
            run = name.replace("_", " ").replace("a", "A").replace("b", "B")
            yield (
                f"{run} found nothing, without an error, in {_ids(suspect)}: what was missed is the other "
                "run's word alone"
            )


def _on_traces(cases: Sequence[LabelledCase]) -> Iterator[str]:
    with_files = [case for case in cases if case.by_file]
    without = [case.id for case in with_files if not case.terms]
    if without and len(without) == len(with_files):
        yield "no conversation has search terms, so that noise cannot be traced to any"
        return
    if without:
        yield f"noise cannot be traced to search terms in {_ids(without)}, which have none"
    by_path = [case.id for case in with_files if case.terms and case.trace == "path"]
    if by_path:
        yield (
            f"neither the system nor the repositories say which term led to which file in {_ids(by_path)}: "
            "files are traced by the words of their paths, and no term can be said to have led to one alone"
        )
    traced = [terms for case in with_files if case.trace != "path" for terms in case.by_file.values()]
    several = sum(len(terms) > 1 for terms in traced)
    if several:
        yield (
            f"{several:,} of {len(traced):,} files are traced to two terms or more, so that none of these "
            "would go with one term alone"
        )


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")


MOST_PLACES = 50
"""Directories that are listed, those with most missed files first."""

_SHOWN = 5
_CANDIDATES = 3


def learnings(evaluation: Evaluation, *, seed: int = SEED) -> Learnings:
    """Learn from one iteration."""
    basis = basis_of(evaluation.cases)
    cases = label_cases(evaluation.cases, basis)
    terms = term_facts(cases, seed)
    directories, kinds = place_facts(cases, "directory", seed), place_facts(cases, "kind", seed)
    single, patterns = outliers(cases, basis)
    proposals, candidates = _confirmed(
        cases, basis, _proposals(cases, basis, terms, directories, kinds, seed), seed
    )
    return Learnings(
        iteration_number=evaluation.iteration,
        timestamp=evaluation.timestamp,
        conversations=len(cases),
        pattern=PATTERN,
        basis=basis,
        traced_by=weakest_trace([labelled.case for labelled in cases]),
        terms=tuple(terms),
        directories=tuple(directories[:MOST_PLACES]),
        kinds=tuple(kinds),
        areas=_areas_below([labelled.case for labelled in cases], basis, seed),
        patterns=tuple(patterns),
        outliers=tuple(single),
        anecdotes=tuple(anecdotes(terms, directories, kinds)),
        proposals=tuple(proposals),
        candidates=tuple(candidates),
        notes=tuple(notes(cases, basis)),
    )


def _proposals(
    cases: Sequence[LabelledCase],
    basis: Basis,
    terms: Sequence[TermRecord],
    directories: Sequence[PlaceRecord],
    kinds: Sequence[PlaceRecord],
    seed: int,
) -> list[ProposalRecord]:
    dropped = drop_terms(cases, terms, basis, seed)
    return first_ones(
        [
            *dropped,
            *rank_terms_lower(cases, terms, {proposal.subject for proposal in dropped}),
            *search_places(cases, directories, "directory", seed),
            *search_places(cases, kinds, "kind", seed),
            *leave_out_places(cases, directories, "directory", basis, seed),
            *leave_out_places(cases, kinds, "kind", basis, seed),
        ]
    )


def _confirmed(
    cases: Sequence[LabelledCase], basis: Basis, of_all: Sequence[ProposalRecord], seed: int
) -> tuple[list[ProposalRecord], list[ProposalRecord]]:
    """What conversations confirm that did not suggest it, and the rest of what all of them together suggest.

    A proposal has the counts of all conversations, where these suggest it too.
    """
    suggesting, held = divide(cases)
    suggested = _proposals(
        suggesting,
        basis,
        term_facts(suggesting, seed),
        place_facts(suggesting, "directory", seed),
        place_facts(suggesting, "kind", seed),
        seed,
    )
    tested = hold_back(suggested, held, len(cases), basis, seed)
    whole = {proposal.id: proposal for proposal in of_all}
    proposals = [
        whole.get(proposal.id, proposal).model_copy(update={"held_back": tested[proposal.id]})
        for proposal in suggested
        if tested[proposal.id].confirmed
    ]
    confirmed = {proposal.id for proposal in proposals}
    candidates = [
        proposal.model_copy(update={"held_back": tested.get(proposal.id)})
        for proposal in of_all
        if proposal.id not in confirmed
    ]
    return first_ones(proposals), candidates


def _areas_below(cases: Sequence[Case], basis: Basis, seed: int) -> dict[str, AreaFarBelow]:
    """Areas that are far below the aggregate, by what can be measured."""
    far_below = {}
    for area, figures in areas(cases, seed=seed).items():
        gaps = {name: figures.below_aggregate[name] for name in NAMES[basis]}
        below = {name: gap for name, gap in gaps.items() if gap.anomaly}
        if below:
            pattern = figures.count >= PATTERN
            far_below[area] = AreaFarBelow(count=figures.count, pattern=pattern, below=below)
    return far_below


def summary(learnings: Learnings) -> list[str]:
    """What a person at the terminal reads, a line each."""
    proposals = learnings.proposals
    conversations = _counted(learnings.conversations, "conversation")
    lines = [f"{_counted(len(proposals), 'proposal')} from {conversations}"]
    for proposal in proposals[:_SHOWN]:
        lines.append(f"- {proposal.statement}")
        lines.append(f"  {held_back_words(proposal)}")
        if proposal.withheld:
            lines.append(f"  undecided: {proposal.withheld}")
        explanation = learnings.explanations.get(proposal.id)
        if explanation and explanation.explanation is not None:
            lines.append(f"  {explanation.explanation}")
    failed = sum(one.failed for one in learnings.explanations.values())
    if failed:
        of = len(learnings.explanations)
        lines.append(f"{learnings.explained_by} gave no explanation of {failed} of {of} proposals")
    lines += [
        f"not proposed: {candidate.statement}: {held_back_words(candidate)}"
        for candidate in learnings.candidates[:_CANDIDATES]
    ]
    lines += [
        f"- {pattern.what} in {pattern.product_area}: {', '.join(pattern.conversations)}"
        for pattern in learnings.patterns[:_SHOWN]
    ]
    terms = [anecdote for anecdote in learnings.anecdotes if anecdote.what == "term"][:_SHOWN]
    if terms:
        named = ", ".join(f"{term.subject!r} {term.against:,}" for term in terms)
        lines.append(f"files of noise of one term alone, in fewer than {PATTERN} conversations: {named}")
    return lines


def _counted(number: int, what: str) -> str:
    """Put a number before what it counts."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
