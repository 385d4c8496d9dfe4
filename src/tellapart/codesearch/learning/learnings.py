"""All that one iteration teaches, as JSON has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tellapart.codesearch.case import Case
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.learning.against import PATTERN
from tellapart.codesearch.learning.effects import NAMES
from tellapart.codesearch.learning.known import Known, know
from tellapart.codesearch.learning.labels import Basis, basis_of
from tellapart.codesearch.learning.notes import notes
from tellapart.codesearch.learning.outliers import anecdotes, outliers
from tellapart.codesearch.learning.place_proposals import leave_out_places, search_places
from tellapart.codesearch.learning.places import PlaceFacts, place_facts
from tellapart.codesearch.learning.proposal import Proposal, first_ones
from tellapart.codesearch.learning.term_proposals import drop_terms, rank_terms_lower
from tellapart.codesearch.learning.terms import TermFacts, term_facts
from tellapart.codesearch.learning.tracing import weakest
from tellapart.codesearch.metrics.areas import areas

MOST_PLACES = 50
"""Directories that are listed, those with most missed files first."""

_SHOWN = 5


def learnings(evaluation: Evaluation, *, seed: int = 42) -> dict[str, Any]:
    """Learn from one iteration.

    Args:
        evaluation: What was found.
        seed: Of tests that draw.

    Returns:
        ``basis``, what noise is; ``traced_by``, the least by which files were traced to search terms;
        ``terms``, ``directories``, ``kinds`` and ``areas``, the facts; ``patterns``, what conversations of an
        area share, ``outliers``, what is peculiar to one or two, and ``anecdotes``, facts of as few;
        ``proposals``, those beyond chance first, then by how many files they are about; ``notes``, what to
        beware of. The same conversations give the same bytes, in whatever order they and their files are.
    """
    basis = basis_of(evaluation.cases)
    known = know(evaluation.cases, basis)
    terms = term_facts(known, seed)
    directories, kinds = place_facts(known, "directory", seed), place_facts(known, "kind", seed)
    single, patterns = outliers(known, basis)
    return {
        "iteration_number": evaluation.iteration,
        "timestamp": evaluation.timestamp,
        "conversations": len(known),
        "pattern": PATTERN,
        "basis": basis,
        "traced_by": weakest([one.case for one in known]),
        "terms": [fact.record() for fact in terms],
        "directories": [fact.record() for fact in directories[:MOST_PLACES]],
        "kinds": [fact.record() for fact in kinds],
        "areas": _areas_below([one.case for one in known], basis, seed),
        "patterns": patterns,
        "outliers": single,
        "anecdotes": anecdotes(terms, directories, kinds),
        "proposals": [one.record() for one in _proposals(known, basis, terms, directories, kinds, seed)],
        "notes": notes(known, basis),
    }


def _proposals(
    known: Sequence[Known],
    basis: Basis,
    terms: Sequence[TermFacts],
    directories: Sequence[PlaceFacts],
    kinds: Sequence[PlaceFacts],
    seed: int,
) -> list[Proposal]:
    dropped = drop_terms(known, terms, basis, seed)
    return first_ones(
        [
            *dropped,
            *rank_terms_lower(known, terms, {one.subject for one in dropped}),
            *search_places(known, directories, "directory", seed),
            *search_places(known, kinds, "kind", seed),
            *leave_out_places(known, directories, "directory", basis, seed),
            *leave_out_places(known, kinds, "kind", basis, seed),
        ]
    )


def _areas_below(cases: Sequence[Case], basis: Basis, seed: int) -> dict[str, Any]:
    """Areas that are far below the aggregate, by what can be measured."""
    found: dict[str, Any] = {}
    for area, figures in areas(cases, seed=seed).items():
        gaps = figures["below_aggregate"]
        below = {name: gaps[name] for name in NAMES[basis] if gaps[name]["anomaly"]}
        if below:
            found[area] = {"count": figures["count"], "pattern": figures["count"] >= PATTERN, "below": below}
    return found


def summary(found: Mapping[str, Any]) -> list[str]:
    """What a person at the terminal is told, a line each."""
    proposals, explained = found["proposals"], found.get("explanations", {})
    conversations = _counted(found["conversations"], "conversation")
    lines = [f"{_counted(len(proposals), 'proposal')} from {conversations}"]
    for one in proposals[:_SHOWN]:
        lines.append(f"- {one['statement']}")
        if one["withheld"]:
            lines.append(f"  undecided: {one['withheld']}")
        if "explanation" in explained.get(one["id"], {}):
            lines.append(f"  {explained[one['id']]['explanation']}")
    lines += [
        f"- {one['what']} in {one['product_area']}: {', '.join(one['conversations'])}"
        for one in found["patterns"][:_SHOWN]
    ]
    terms = [one for one in found["anecdotes"] if one["what"] == "term"][:_SHOWN]
    if terms:
        named = ", ".join(f"{one['subject']!r} {one['against']:,}" for one in terms)
        lines.append(f"files of noise of one term alone, in fewer than {PATTERN} conversations: {named}")
    return lines


def _counted(number: int, what: str) -> str:
    """Put a number before what it counts."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
