"""What one iteration teaches: noisy terms, places with missed files, areas far below the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tellapart.codesearch.learning.labels import Basis, LabelledCase, basis_of, label_cases
from tellapart.codesearch.learning.learnings import AreaFarBelow, Learnings
from tellapart.codesearch.learning.places import place_facts
from tellapart.codesearch.learning.terms import term_facts
from tellapart.codesearch.metrics.aggregate import areas
from tellapart.codesearch.metrics.judge import MOST_FAILED
from tellapart.codesearch.model import Case, Evaluation
from tellapart.codesearch.tracing import weakest_trace
from tellapart.core.seed import SEED


def _notes(cases: Sequence[LabelledCase], basis: Basis) -> list[str]:
    return [*_on_noise(cases, basis), *_on_missing(cases), *_on_traces(cases)]


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
    for name, run in (("run_a", "run A"), ("run_b", "run B")):
        suspect = [labelled.id for labelled in cases if getattr(labelled.case, name).suspect]
        if suspect:
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
"""Maximum number of directories, those with most missed files first."""

_SHOWN = 5


def learnings(evaluation: Evaluation, *, seed: int = SEED) -> Learnings:
    """Learn from one iteration."""
    basis = basis_of(evaluation.cases)
    cases = label_cases(evaluation.cases, basis)
    return Learnings(
        iteration_number=evaluation.iteration,
        timestamp=evaluation.timestamp,
        conversations=len(cases),
        basis=basis,
        traced_by=weakest_trace([labelled.case for labelled in cases]),
        terms=tuple(term_facts(cases)),
        directories=tuple(place_facts(cases, "directory")[:MOST_PLACES]),
        kinds=tuple(place_facts(cases, "kind")),
        areas=_areas_below([labelled.case for labelled in cases], seed),
        notes=tuple(_notes(cases, basis)),
    )


def _areas_below(cases: Sequence[Case], seed: int) -> dict[str, AreaFarBelow]:
    """Areas that are far below the aggregate, by what can be measured."""
    far_below = {}
    for area, figures in areas(cases, seed=seed).items():
        below = {name: gap for name, gap in figures.below_aggregate.items() if gap.anomaly}
        if below:
            far_below[area] = AreaFarBelow(count=figures.count, below=below)
    return far_below


def summary(learnings: Learnings) -> list[str]:
    """What a person at the terminal reads, a line each."""
    noisy = [fact for fact in learnings.terms if fact.noise > fact.relevant]
    missed = [fact for fact in learnings.directories if fact.missed]
    lines = []
    if noisy:
        named = ", ".join(
            f"{fact.term!r} {fact.noise:,} of {fact.noise + fact.relevant:,}" for fact in noisy[:_SHOWN]
        )
        lines.append(f"search terms that led to most noise (files): {named}")
    if missed:
        named = ", ".join(
            f"{fact.place}/ {fact.missed:,} of {fact.missed + fact.found:,}" for fact in missed[:_SHOWN]
        )
        lines.append(f"directories with most missed files: {named}")
    if learnings.areas:
        lines.append(f"areas far below the whole: {', '.join(learnings.areas)}")
    return lines or ["no search term led to noise, and no file was missed"]
