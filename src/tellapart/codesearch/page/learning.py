"""What was learnt: search terms that led to noise, places with missed files."""

from __future__ import annotations

from tellapart.codesearch.learning.learnings import Learnings
from tellapart.codesearch.page.cells import number
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table

MOST = 15
"""Rows of terms and of places; learnings.json has all."""


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
