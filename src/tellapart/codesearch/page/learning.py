"""What was learnt: proposals, search terms that led to noise, places that were missed."""

from __future__ import annotations

from tellapart.codesearch.learning.held_back import held_back_words
from tellapart.codesearch.page.cells import number
from tellapart.codesearch.results.learnings import ExplanationRecord, Learnings
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

MOST = 15
"""Rows of terms and of places; learnings.json has all."""


def proposals(learnings: Learnings) -> Table:
    """What might be changed, what speaks for it, and whom it might hurt."""
    rows = [
        [
            proposal.statement,
            held_back_words(proposal) if proposal.held_back else "not tested",
            ", ".join(proposal.could_hurt) or "none seen",
            show.count(len(proposal.conversations)),
        ]
        for proposal in learnings.proposals
    ]
    left = len(learnings.candidates)
    candidates = (
        f" {left:,} further candidates in learnings.json are not confirmed, and not proposed." if left else ""
    )
    return table(
        "proposals",
        "Proposals",
        ["Proposal", "In conversations that did not suggest it", "Areas it could hurt", "Conversations"],
        rows,
        words=3,
        note=f"Nothing is changed by them. A pattern needs {learnings.pattern} conversations.{candidates}",
    )


def explanations(learnings: Learnings) -> Table | None:
    """What a language model says of the proposals; None where none was asked."""
    if not learnings.explanations:
        return None
    rows: list[list[Cell | str]] = []
    for proposal in learnings.proposals:
        explanation = learnings.explanations.get(proposal.id, ExplanationRecord())
        reason = (
            f"the model gave none: {_why(explanation.failure)}"
            if explanation.failed
            else "the model was not asked"
        )
        texts = (explanation.explanation, explanation.check_first, explanation.risk)
        rows.append([proposal.statement, *(text or undefined(reason) for text in texts)])
    return table(
        "explanations",
        f"The proposals, explained by {learnings.explained_by or 'a language model'}",
        ["Proposal", "Explanation", "Check first", "Risk"],
        rows,
        words=4,
        note="The facts and the proposals are not the model's.",
    )


def _why(failure: object) -> str:
    detail = failure.get("detail") if isinstance(failure, dict) else failure
    return str(detail or "it left the proposal out")


def terms(learnings: Learnings) -> Table:
    """Search terms by the noise that they led to."""
    worst = sorted(learnings.terms, key=lambda fact: (-fact.noise, fact.term))
    rows: list[list[Cell | str]] = [
        [
            fact.term,
            show.count(fact.noise),
            show.count(fact.relevant),
            show.count(fact.open),
            number(fact.noise_rate, "no file of it is judged"),
            show.count(len(fact.conversations)),
        ]
        for fact in worst[:MOST]
        if fact.noise
    ]
    headings = ["Search term", "Noise", "Relevant", "No verdict", "Share of noise", "Conversations"]
    return table("terms", "Search terms that led to most noise", headings, rows)


def places(learnings: Learnings) -> Table:
    """Directories by the relevant files that were missed in them."""
    rows: list[list[Cell | str]] = [
        [
            f"{fact.place}/",
            show.count(fact.missed),
            show.count(fact.found),
            show.count(fact.noise),
            number(fact.recall, "nothing relevant is there"),
        ]
        for fact in learnings.directories[:MOST]
    ]
    headings = ["Directory", "Missed", "Found", "Noise", "Recall there"]
    return table("places", "Directories where most was missed", headings, rows)
