"""What one iteration teaches, as two tables: search terms that led to noise, places where files were missed.

Counts with 95 % intervals, for which the files of a conversation count as one source. Nothing is tested: a
dozen conversations show where to look, not what a change would bring.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import Field

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.figures import AreaMeasure
from tellapart.codesearch.metrics.aggregate import areas, share_of
from tellapart.codesearch.metrics.conversation import no_run
from tellapart.codesearch.metrics.judge import MOST_FAILED
from tellapart.codesearch.metrics.warnings import FEW as FEWEST_OF_AREA
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.core.estimate import Estimate
from tellapart.core.record import StoredRecord
from tellapart.embed.identifiers import split_identifiers

Basis = Literal["judged", "union"]
"""Noise is what the judge rejects; where nothing was judged, what no exploration found."""

MOST_PLACES = 50
"""Maximum number of places, those with most missed files first."""

FEW = 12
"""Conversations below which the tables are anecdotes."""

_SHOWN = 5


class TermRow(StoredRecord):
    """The files that a search term led to, over the conversations that used it."""

    term: str
    conversations: int
    relevant: int
    noise: int
    without_verdict: int
    noise_share: Estimate


class PlaceRow(StoredRecord):
    """The files of a directory with all that is below it, or of a kind such as ``*.py``."""

    place: str
    missed: int
    found: int
    noise: int
    recall: Estimate


class Learnings(StoredRecord):
    """``learnings.json``."""

    iteration_number: int | None
    timestamp: Any
    conversations: int
    basis: str
    terms: tuple[TermRow, ...]
    places: tuple[PlaceRow, ...]
    areas: dict[str, dict[str, AreaMeasure]] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Labelled:
    """The files of one conversation: ours by what they are, and those that we missed."""

    case: Case
    relevant: frozenset[str]
    noise: frozenset[str]
    missed: frozenset[str]
    open: frozenset[str]


def learnings(evaluation: Evaluation) -> Learnings:
    """Learn from one iteration."""
    cases = sorted_cases(evaluation.cases)
    judged = any(verdict.relevant is not None for case in cases for verdict in case.verdicts.values())
    basis: Basis = "judged" if judged else "union"
    labelled = [_label(case, basis) for case in cases]
    return Learnings(
        iteration_number=evaluation.iteration,
        timestamp=evaluation.timestamp,
        conversations=len(cases),
        basis=basis,
        terms=tuple(_terms(labelled)),
        places=tuple(_places(labelled)[:MOST_PLACES]),
        areas=_areas_below(cases),
        notes=tuple(_notes(labelled, basis)),
    )


def _label(case: Case, basis: Basis) -> _Labelled:
    """Label files; one is open where its verdict failed or, without a judge, all exploring."""
    others = case.our_unique - case.our_unique_relevant
    unknown = case.without_verdict if basis == "judged" else others if no_run(case) else frozenset()
    relevant = case.intersection | case.our_unique_relevant
    return _Labelled(case, relevant, others - unknown, case.ground_truth_unique, unknown)


def _terms(labelled: Sequence[_Labelled]) -> list[TermRow]:
    """Count by term, in lower case; those that led to most noise come first."""
    files: dict[str, list[tuple[str, str]]] = defaultdict(list)
    used: dict[str, set[str]] = defaultdict(set)
    for each in labelled:
        for term in {term.lower() for term in each.case.terms if term.strip()}:
            used[term].add(each.case.id)
            files[term] += []
        for file, terms in _terms_by_file(each.case).items():
            kind = "noise" if file in each.noise else "open" if file in each.open else "relevant"
            for term in {term.lower() for term in terms} & used.keys():
                files[term].append((each.case.id, kind))
    rows = []
    for term, of_term in files.items():
        kinds = [kind for _, kind in of_term]
        rows.append(
            TermRow(
                term=term,
                conversations=len(used[term]),
                relevant=kinds.count("relevant"),
                noise=kinds.count("noise"),
                without_verdict=kinds.count("open"),
                noise_share=share_of((id_, kind == "noise") for id_, kind in of_term if kind != "open"),
            )
        )
    return sorted(rows, key=lambda row: (row.relevant - row.noise, -row.noise, row.term))


def _terms_by_file(case: Case) -> dict[str, Sequence[str]]:
    """The terms that led to each of our files: as the system says, else those that its path holds.

    A path holds a term where it holds all its words, in any order: ``image_post`` holds ``postImage``.
    """
    if case.terms_by_file:
        return {file: case.terms_by_file.get(file, ()) for file in case.files}
    words = {term: set(split_identifiers(term)) for term in case.terms}
    return {
        file: [term for term, of_term in words.items() if of_term and of_term <= {*split_identifiers(file)}]
        for file in case.files
    }


def _places(labelled: Sequence[_Labelled]) -> list[PlaceRow]:
    """Count by directory and by kind; a directory all of whose files lie in one below it is left out."""
    files: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for each in labelled:
        for kind in ("missed", "relevant", "noise"):
            for file in getattr(each, kind):
                for place in _places_of(file):
                    files[place].append((each.case.id, kind))
    # A directory that holds no more than one of those in it adds nothing.
    as_full = {
        parent
        for place, of_place in files.items()
        if len(files.get(parent := str(PurePosixPath(place).parent), [])) == len(of_place)
    }
    rows = []
    for place, of_place in files.items():
        if place in as_full:
            continue
        kinds = [kind for _, kind in of_place]
        rows.append(
            PlaceRow(
                place=place,
                missed=kinds.count("missed"),
                found=kinds.count("relevant"),
                noise=kinds.count("noise"),
                recall=share_of((id_, kind == "relevant") for id_, kind in of_place if kind != "noise"),
            )
        )
    return sorted(rows, key=lambda row: (-row.missed, -row.noise, row.place))


def _places_of(file: str) -> Iterator[str]:
    path = PurePosixPath(file)
    yield from (str(parent) for parent in path.parents if str(parent) != ".")
    yield f"*{path.suffix.lower()}" if path.suffix else "* without an ending"


def _areas_below(cases: Sequence[Case]) -> dict[str, dict[str, AreaMeasure]]:
    """Areas that are far below the aggregate, by what can be measured."""
    counts = Counter(case.product_area for case in cases)
    below = {
        area: {name: measure for name, measure in figures.items() if measure.anomaly}
        for area, figures in areas(cases).items()
        if counts[area] >= FEWEST_OF_AREA
    }
    return {area: figures for area, figures in below.items() if figures}


def _notes(labelled: Sequence[_Labelled], basis: Basis) -> Iterator[str]:
    if len(labelled) < FEW:
        yield (
            f"{len(labelled)} conversations show where to look, not what a change would bring: evaluate it "
            "on others"
        )
    open_ = sum(len(each.open) for each in labelled)
    unique = sum(len(each.case.our_unique) for each in labelled)
    if basis == "union":
        yield "nothing was judged: noise is every file that no exploration found"
    elif open_:
        doubt = "; what is noise cannot be relied on" if open_ > MOST_FAILED * unique else ""
        yield (
            f"{open_:,} of {unique:,} files that only the system found have no verdict, and count neither as "
            f"noise nor as relevant{doubt}"
        )
    unexplored = [each.case.id for each in labelled if no_run(each.case)]
    if unexplored:
        yield f"both explorations failed in {_ids(unexplored)}: nothing is known to be missed there"
    with_files = [each.case for each in labelled if each.case.files]
    without = [case.id for case in with_files if not case.terms]
    if without:
        yield f"noise cannot be traced to search terms in {_ids(without)}, which have none"
    by_path = [case.id for case in with_files if case.terms and not case.terms_by_file]
    if by_path:
        yield (
            f"the system does not say which term led to which file in {_ids(by_path)}: files are traced by "
            "the words of their paths"
        )


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")


def summary(learnings: Learnings) -> list[str]:
    """Summarise for a terminal, a line each."""
    noisy = [row for row in learnings.terms if row.noise > row.relevant]
    missed = [row for row in learnings.places if row.missed]
    lines = []
    if noisy:
        named = ", ".join(
            f"{row.term!r} {row.noise:,} of {row.noise + row.relevant:,}" for row in noisy[:_SHOWN]
        )
        lines.append(f"search terms that led to most noise (files): {named}")
    if missed:
        named = ", ".join(
            f"{row.place} {row.missed:,} of {row.missed + row.found:,}" for row in missed[:_SHOWN]
        )
        lines.append(f"places with most missed files: {named}")
    if learnings.areas:
        lines.append(f"areas far below the whole: {', '.join(learnings.areas)}")
    return lines or ["no search term led to noise, and no file was missed"]
