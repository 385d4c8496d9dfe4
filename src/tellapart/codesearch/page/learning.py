"""What was learnt: search terms that led to noise, places with missed files."""

from __future__ import annotations

from tellapart.codesearch.learn import Learnings
from tellapart.codesearch.page.cells import number, span
from tellapart.core.estimate import Estimate
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table

MOST = 15
"""Rows of terms and of places; learnings.json has all."""


def terms(learnings: Learnings) -> Table:
    """Search terms by the noise that they led to."""
    rows: list[list[Cell | str]] = [
        [
            row.term,
            show.count(row.noise),
            show.count(row.relevant),
            show.count(row.without_verdict),
            _share(row.noise_share),
            show.count(row.conversations),
        ]
        for row in learnings.terms[:MOST]
        if row.noise
    ]
    headings = ["Search term", "Noise", "Relevant", "No verdict", "Share of noise", "Conversations"]
    return table("terms", "Search terms that led to most noise (95 % intervals)", headings, rows)


def places(learnings: Learnings) -> Table:
    """Directories and kinds of files by the relevant files that were missed there."""
    rows: list[list[Cell | str]] = [
        [row.place, show.count(row.missed), show.count(row.found), show.count(row.noise), _share(row.recall)]
        for row in learnings.places[:MOST]
    ]
    headings = ["Place", "Missed", "Found", "Noise", "Recall there"]
    return table("places", "Where most was missed (95 % intervals)", headings, rows)


def _share(share: Estimate) -> Cell:
    return number(share.value, "no such file", "" if share.value is None else span(share.interval))
