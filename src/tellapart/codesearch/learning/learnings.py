"""All that one iteration teaches, as JSON has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tellapart.codesearch.case import Case
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.learning.labels import Basis, basis_of, label
from tellapart.codesearch.learning.places import PlaceFacts, directory_facts, kind_facts
from tellapart.codesearch.learning.proposals import (
    MOST_PROPOSALS,
    PATTERN,
    Proposal,
    apart,
    drop_terms,
    leave_out_places,
    search_places,
)
from tellapart.codesearch.learning.terms import TermFacts, term_facts
from tellapart.codesearch.learning.tracing import weakest
from tellapart.codesearch.metrics.areas import areas

MOST_PLACES = 50
"""Directories that are listed, those with most missed files first."""


def learnings(evaluation: Evaluation, *, seed: int = 42) -> dict[str, Any]:
    """Learn from one iteration.

    Args:
        evaluation: What was found.
        seed: Of the areas' tests.

    Returns:
        ``basis``, what noise is; ``traced_by``, how files were traced to search terms; ``terms``,
        ``directories``, ``kinds`` and ``areas``, the facts; ``outliers``, conversations far below the rest
        that share it with fewer than ``PATTERN`` others; ``proposals``, by how many files they are about;
        ``notes``, what to beware of. The same evaluation gives the same bytes.
    """
    cases = evaluation.cases
    basis = basis_of(cases)
    terms, directories, kinds = (
        term_facts(cases, basis),
        directory_facts(cases, basis),
        kind_facts(cases, basis),
    )
    return {
        "iteration_number": evaluation.iteration,
        "timestamp": evaluation.timestamp,
        "conversations": len(cases),
        "pattern": PATTERN,
        "basis": basis,
        "traced_by": weakest(cases),
        "terms": [_term(fact) for fact in terms],
        "directories": [_place(fact) for fact in directories[:MOST_PLACES]],
        "kinds": [_place(fact) for fact in kinds],
        "areas": _areas_below(cases, basis, seed),
        "outliers": _outliers(cases, basis),
        "proposals": [_proposal(one) for one in _proposals(cases, basis, terms, directories, kinds)],
        "notes": _notes(cases, basis),
    }


def _proposals(
    cases: Sequence[Case],
    basis: Basis,
    terms: Sequence[TermFacts],
    directories: Sequence[PlaceFacts],
    kinds: Sequence[PlaceFacts],
) -> list[Proposal]:
    found = [
        *drop_terms(cases, terms, basis),
        *apart(_largest(search_places(cases, directories, basis, "directory"))),
        *search_places(cases, kinds, basis, "kind"),
        *apart(_largest(leave_out_places(cases, directories, basis, "directory"))),
        *leave_out_places(cases, kinds, basis, "kind"),
    ]
    return _largest(found)[:MOST_PROPOSALS]


def _largest(proposals: Iterable[Proposal]) -> list[Proposal]:
    """By how many files more speak for a change than against it, then by name."""
    return sorted(proposals, key=lambda one: (-_weight(one), one.id))


def _weight(proposal: Proposal) -> int:
    evidence = proposal.evidence
    if proposal.kind == "drop_term":
        return int(evidence["noise_alone"] - evidence["relevant_alone"])
    if "missed" in evidence:
        return int(evidence["missed"] - evidence["found"])
    return int(evidence["noise"] - evidence["relevant"])


def _term(fact: TermFacts) -> dict[str, Any]:
    return asdict(fact) | {"noise_rate": fact.noise_rate}


def _place(fact: PlaceFacts) -> dict[str, Any]:
    return asdict(fact) | {"recall": fact.recall}


def _proposal(proposal: Proposal) -> dict[str, Any]:
    record = {name: getattr(proposal, name) for name in ("id", "kind", "subject", "statement")}
    return record | {
        "conversations": list(proposal.conversations),
        "evidence": proposal.evidence,
        "effect": proposal.effect.record() if proposal.effect else None,
        "could_hurt": proposal.could_hurt,
    }


def _areas_below(cases: Sequence[Case], basis: Basis, seed: int) -> dict[str, Any]:
    """Areas that are far below the aggregate, by what can be measured."""
    names = ("precision", "recall") if basis == "judged" else ("precision_union", "recall_union")
    found: dict[str, Any] = {}
    for area, figures in areas(cases, seed=seed).items():
        below = {name: gap for name in names if (gap := figures["below_aggregate"][name])["anomaly"]}
        if below:
            found[area] = {"count": figures["count"], "pattern": figures["count"] >= PATTERN, "below": below}
    return found


def _outliers(cases: Sequence[Case], basis: Basis) -> list[dict[str, Any]]:
    """Conversations of which nothing relevant was found, although something is known to be."""
    none_found = [case for case in cases if (labels := label(case, basis)).missed and not labels.relevant]
    by_area: dict[str, list[str]] = {}
    for case in none_found:
        by_area.setdefault(case.conversation.product_area, []).append(case.conversation.id)
    return [
        {
            "conversation_id": conversation,
            "product_area": area,
            "what": "nothing relevant was found",
            "pattern": len(conversations) >= PATTERN,
        }
        for area, conversations in sorted(by_area.items())
        for conversation in sorted(conversations)
    ]


def _notes(cases: Sequence[Case], basis: Basis) -> list[str]:
    notes = []
    if basis == "union":
        notes.append("nothing was judged: noise is every file that no exploration found")
    trace = weakest(cases)
    if trace == "path":
        notes.append(
            "neither the system nor the repositories say which term led to which file: files are traced by "
            "the words of their paths alone"
        )
    elif trace is None:
        notes.append("no conversation has search terms, so that noise cannot be traced to any")
    if len(cases) < PATTERN:
        notes.append(
            f"there are {len(cases)} conversations, and a pattern needs {PATTERN}: nothing is proposed"
        )
    failed = sum(len(case.without_verdict) for case in cases) if basis == "judged" else 0
    if failed:
        notes.append(f"{failed:,} files without a verdict count neither as noise nor as relevant")
    return notes


def summary(found: Mapping[str, Any]) -> list[str]:
    """What a person at the terminal is told, a line each."""
    lines = [f"{len(found['proposals'])} proposals from {found['conversations']} conversations"]
    lines += [
        f"- {one['statement']} ({len(one['conversations'])} conversations)" for one in found["proposals"][:5]
    ]
    return lines
