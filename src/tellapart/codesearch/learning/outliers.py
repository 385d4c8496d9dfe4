"""Conversations that are far from the others, and facts that too few conversations show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tellapart.codesearch.learning.comparison import FAR, PATTERN
from tellapart.codesearch.learning.labels import Basis, LabelledCase
from tellapart.codesearch.learning.proposals import NAMES
from tellapart.codesearch.metrics.conversation import MEASURES
from tellapart.codesearch.results.learnings import (
    AnecdoteRecord,
    OutlierRecord,
    PatternRecord,
    PlaceRecord,
    TermRecord,
)

NOTHING_FOUND = "nothing relevant was found"

MOST_ANECDOTES = 20
"""Facts of fewer conversations than a pattern that are listed of each sort."""

_FEWEST_OTHERS = 4
_FENCE = 1.5


def outliers(cases: Sequence[LabelledCase], basis: Basis) -> tuple[list[OutlierRecord], list[PatternRecord]]:
    """Tell what is peculiar to one conversation or two from what an area's conversations share.

    A conversation is peculiar where nothing relevant was found although something is known to be, or where
    its precision or recall is further than ``FAR`` from the median of the others and outside their fences,
    1.5 times their interquartile range beyond the quartiles; of fewer than four others nobody can say.

    Source:
        Tukey 1977, "Exploratory Data Analysis", for the fences.
    """
    groups: dict[tuple[str, str], list[OutlierRecord]] = {}
    for peculiar in (*_nothing_found(cases), *_far(cases, basis)):
        groups.setdefault((peculiar.product_area, peculiar.what), []).append(peculiar)
    single: list[OutlierRecord] = []
    patterns: list[PatternRecord] = []
    for (area, what), group in sorted(groups.items()):
        if len(group) < PATTERN:
            single += group
        else:
            ids = tuple(outlier.conversation_id for outlier in group)
            patterns.append(PatternRecord(product_area=area, what=what, conversations=ids))
    return single, patterns


def anecdotes(
    terms: Sequence[TermRecord], directories: Sequence[PlaceRecord], kinds: Sequence[PlaceRecord]
) -> list[AnecdoteRecord]:
    """Facts that would call for a change if they were not of fewer than ``PATTERN`` conversations."""
    of_terms = [
        AnecdoteRecord(
            what="term",
            subject=fact.term,
            conversations=fact.noise_alone_in,
            against=fact.noise_alone,
            in_favour=fact.relevant_alone,
        )
        for fact in terms
        if 0 < len(fact.noise_alone_in) < PATTERN and fact.noise_alone > fact.relevant_alone
    ]
    listed = _most(of_terms)
    for what, facts in (("directory", directories), ("kind", kinds)):
        listed += _most([_missed(fact, what) for fact in facts if _is_anecdote(fact)])
    return listed


def _nothing_found(cases: Sequence[LabelledCase]) -> Iterator[OutlierRecord]:
    for case in cases:
        if case.labels.missed and not case.labels.relevant:
            yield OutlierRecord(conversation_id=case.id, product_area=case.area, what=NOTHING_FOUND)


def _far(cases: Sequence[LabelledCase], basis: Basis) -> Iterator[OutlierRecord]:
    for name in NAMES[basis]:
        values = [
            (labelled, value)
            for labelled in cases
            if (value := MEASURES[name](labelled.case).value) is not None
        ]
        for labelled, value in values:
            others = np.array([own for other, own in values if other is not labelled])
            if len(others) < _FEWEST_OTHERS:
                return
            low, median, high = np.quantile(others, [0.25, 0.5, 0.75]).tolist()
            reach = _FENCE * (high - low)
            if low - reach <= value <= high + reach or abs(value - median) <= FAR:
                continue
            yield OutlierRecord(
                conversation_id=labelled.id,
                product_area=labelled.area,
                what=f"{name} is far {'below' if value < median else 'above'} the others",
                measure=name,
                value=value,
                median_of_others=median,
            )


def _is_anecdote(fact: PlaceRecord) -> bool:
    return 0 < len(fact.missed_in) < PATTERN and fact.missed > fact.found


def _missed(fact: PlaceRecord, what: str) -> AnecdoteRecord:
    return AnecdoteRecord(
        what=what,
        subject=fact.place,
        conversations=fact.missed_in,
        against=fact.missed,
        in_favour=fact.found,
    )


def _most(anecdotes: list[AnecdoteRecord]) -> list[AnecdoteRecord]:
    """Those of most files; a directory within, or around, one that is listed already is left out."""
    kept: list[AnecdoteRecord] = []
    for anecdote in sorted(
        anecdotes, key=lambda anecdote: (anecdote.in_favour - anecdote.against, anecdote.subject)
    ):
        nested = anecdote.what == "directory" and any(
            _within(anecdote.subject, other.subject) or _within(other.subject, anecdote.subject)
            for other in kept
        )
        if not nested:
            kept.append(anecdote)
    return kept[:MOST_ANECDOTES]


def _within(inner: str, outer: str) -> bool:
    return inner.startswith(f"{outer}/")
