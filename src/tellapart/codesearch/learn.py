"""What one iteration teaches, as two tables: search terms that led to noise, places where files were missed.

Counts with 95 % intervals, for which the files of a conversation count as one source. Nothing is tested: a
dozen conversations show where to look, not what a change would bring.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from pydantic import Field

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.figures import AreaMeasure
from tellapart.codesearch.metrics.judge import MOST_FAILED
from tellapart.codesearch.metrics.measures import far_below, no_run, share_of
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.core.estimate import Estimate
from tellapart.core.record import StoredRecord
from tellapart.embed.identifiers import split_identifiers
from tellapart.report.numbers import listed

MOST_PLACES = 50  # Maximum number of places, those with most missed files first
FEW = 12  # Conversations below which the tables are anecdotes
_SHOWN = 5

Kind = Literal["relevant", "noise", "open", "missed"]
"""What a file is: open without a verdict, missed where an exploration found it and we did not."""


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


class Wording(StoredRecord):
    """The words of a language model on the two tables, or why there are none."""

    model: str
    terms: str = ""
    places: str = ""
    failed: str | None = None


class Learnings(StoredRecord):
    """``learnings.json``; ``areas`` are those far below the whole, by the measures that are."""

    iteration_number: int | None
    timestamp: Any
    conversations: int
    basis: str
    terms: tuple[TermRow, ...]
    places: tuple[PlaceRow, ...]
    areas: dict[str, dict[str, AreaMeasure]] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    wording: Wording | None = None


class _File(NamedTuple):
    """One file of one conversation, which counts under several terms or places."""

    conversation: str
    kind: Kind
    file: str
    terms: frozenset[str]


def learnings(evaluation: Evaluation) -> Learnings:
    """Learn from one iteration: noise is what the judge rejects, or what no exploration found without one."""
    cases = sorted_cases(evaluation.cases)
    judged = any(verdict.relevant is not None for case in cases for verdict in case.verdicts.values())
    files = [file for case in cases for file in _files(case, judged)]
    used = Counter(term for case in cases for term in {term.lower() for term in case.terms if term.strip()})
    return Learnings(
        iteration_number=evaluation.iteration,
        timestamp=evaluation.timestamp,
        conversations=len(cases),
        basis="judged" if judged else "union",
        terms=tuple(_terms(files, used)),
        places=tuple(_places(files)[:MOST_PLACES]),
        areas=far_below(cases),
        notes=tuple(_notes(cases, files, judged)),
    )


def _files(case: Case, judged: bool) -> Iterator[_File]:
    """The files that we found, and those that we missed; without verdict one is open."""
    relevant = case.intersection | case.our_unique_relevant
    open_ = case.without_verdict if judged else case.our_unique if no_run(case) else frozenset()
    for file, terms in _terms_by_file(case).items():
        kind: Kind = "relevant" if file in relevant else "open" if file in open_ else "noise"
        yield _File(case.id, kind, file, frozenset(term.lower() for term in terms))
    for file in case.ground_truth_unique:
        yield _File(case.id, "missed", file, frozenset())


def _terms_by_file(case: Case) -> dict[str, Sequence[str]]:
    """The terms that led to each of our files: as the system says, else those that its path holds."""
    if case.terms_by_file:
        return {file: case.terms_by_file.get(file, ()) for file in case.files}
    words = {term: set(split_identifiers(term)) for term in case.terms}
    return {
        file: [term for term, of_term in words.items() if of_term and of_term <= {*split_identifiers(file)}]
        for file in case.files
    }


def _share(files: Iterable[_File], kind: Kind, among: tuple[Kind, ...]) -> Estimate:
    return share_of((file.conversation, file.kind == kind) for file in files if file.kind in among)


def _terms(files: Sequence[_File], used: Mapping[str, int]) -> list[TermRow]:
    """Count by term, in lower case; those that led to most noise come first."""
    by_term: dict[str, list[_File]] = {term: [] for term in used}
    for file in files:
        for term in file.terms & used.keys():
            by_term[term].append(file)
    rows = []
    for term, of_term in by_term.items():
        kinds = Counter(file.kind for file in of_term)
        rows.append(
            TermRow(
                term=term,
                conversations=used[term],
                relevant=kinds["relevant"],
                noise=kinds["noise"],
                without_verdict=kinds["open"],
                noise_share=_share(of_term, "noise", ("noise", "relevant")),
            )
        )
    return sorted(rows, key=lambda row: (row.relevant - row.noise, -row.noise, row.term))


def _places(files: Sequence[_File]) -> list[PlaceRow]:
    """Count by directory and by kind; a directory all of whose files lie in one below it is left out."""
    by_place: dict[str, list[_File]] = defaultdict(list)
    for file in files:
        if file.kind != "open":
            for place in _places_of(file.file):
                by_place[place].append(file)
    parents = {place: str(PurePosixPath(place).parent) for place in by_place}
    as_full = {
        parent
        for place, parent in parents.items()
        if parent in by_place and len(by_place[parent]) == len(by_place[place])
    }
    rows = []
    for place, of_place in by_place.items():
        if place not in as_full:
            kinds = Counter(file.kind for file in of_place)
            rows.append(
                PlaceRow(
                    place=place,
                    missed=kinds["missed"],
                    found=kinds["relevant"],
                    noise=kinds["noise"],
                    recall=_share(of_place, "relevant", ("relevant", "missed")),
                )
            )
    return sorted(rows, key=lambda row: (-row.missed, -row.noise, row.place))


def _places_of(file: str) -> Iterator[str]:
    path = PurePosixPath(file)
    yield from (str(parent) for parent in path.parents if str(parent) != ".")
    yield f"*{path.suffix.lower()}" if path.suffix else "* without an ending"


def _notes(cases: Sequence[Case], files: Sequence[_File], judged: bool) -> Iterator[str]:
    if len(cases) < FEW:
        yield (
            f"{len(cases)} conversations show where to look, not what a change would bring: evaluate it on "
            "others"
        )
    open_ = sum(file.kind == "open" for file in files)
    unique = sum(len(case.our_unique) for case in cases)
    if not judged:
        yield "nothing was judged: noise is every file that no exploration found"
    elif open_:
        doubt = "; what is noise cannot be relied on" if open_ > MOST_FAILED * unique else ""
        yield (
            f"{open_:,} of {unique:,} files that only the system found have no verdict, and count neither as "
            f"noise nor as relevant{doubt}"
        )
    if unexplored := [case.id for case in cases if no_run(case)]:
        yield f"both explorations failed in {listed(unexplored, most=3)}: nothing is known to be missed there"
    untold = [case for case in cases if case.files and not case.terms_by_file]
    if without := [case.id for case in untold if not case.terms]:
        yield f"noise cannot be traced to search terms in {listed(without, most=3)}, which have none"
    if traced := [case.id for case in untold if case.terms]:
        yield (
            f"the system does not say which term led to which file in {listed(traced, most=3)}: files are "
            "traced by the words of their paths"
        )


def summary(learnings: Learnings) -> list[str]:
    """Summarise for a terminal, a line each."""
    lines = []
    if noisy := [row for row in learnings.terms if row.noise > row.relevant][:_SHOWN]:
        named = ", ".join(f"{row.term!r} {row.noise:,} of {row.noise + row.relevant:,}" for row in noisy)
        lines.append(f"search terms that led to most noise (files): {named}")
    if missed := [row for row in learnings.places if row.missed][:_SHOWN]:
        named = ", ".join(f"{row.place} {row.missed:,} of {row.missed + row.found:,}" for row in missed)
        lines.append(f"places with most missed files: {named}")
    if learnings.areas:
        lines.append(f"areas far below the whole: {', '.join(learnings.areas)}")
    lines = lines or ["no search term led to noise, and no file was missed"]
    if (said := learnings.wording) and not said.failed:
        lines.append(f"in the words of {said.model}: “{said.terms} {said.places}”")
    return lines
