"""Measures of queries that may have several right answers, averaged over the orders that ties allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numba import prange

from tellapart.core.arrays import F64, I64
from tellapart.core.compiled import compiled

NDCG_AT = 10
RECALL_AT = (1, 3, 5, 10)

# Queries that share one hash table.
_BLOCK = 256
# DCG of a ranking whose first 0, 1, 2, … places hold right answers.
_GAINS = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2, NDCG_AT + 2)))])


@dataclass(frozen=True)
class QueryMeasures:
    """How well the right answers of each query are ranked; every array has shape (queries,) and is in [0, 1].

    Each is its mean over the orders of the options that score alike. With one right answer
    ``average_precision`` is the reciprocal rank, ``ndcg10`` the mean of 1 / log2(1 + rank) up to rank 10,
    ``recallK`` the chance of a rank up to K, and ``any_correct`` equals ``recall1``.

    Attributes:
        any_correct: Probability that the first option is a right answer.
        average_precision: Mean over the right answers of the precision at their ranks.
        ndcg10: Gains of the first ten options, discounted by log2(1 + rank), over the best there can be.
        recall1: Share of the right answers that come first; with R of them at most 1 / R.
        recall3: Share among the first three.
        recall5: Among the first five.
        recall10: Among the first ten.

    Source:
        McSherry and Najork 2008, "Computing information retrieval performance measures efficiently in the
        presence of tied scores".
    """

    any_correct: F64
    average_precision: F64
    ndcg10: F64
    recall1: F64
    recall3: F64
    recall5: F64
    recall10: F64

    def take(self, queries: I64) -> QueryMeasures:
        """The measures of ``queries``, positions in any order and as often as they are there."""
        return QueryMeasures(*(getattr(self, name)[queries] for name in QUERY_MEASURES))


QUERY_MEASURES = tuple(field.name for field in fields(QueryMeasures))
"""Their names."""


def measure_queries(similarities: F64, options: I64, offsets: I64, queries: I64) -> QueryMeasures:
    """Measure queries whose options are listed by item: a right answer first, then wrong ones.

    The items of a query are measured together. An option that several of them list counts once, and as a
    right answer if it is one of any item; a query with one item is ranked as it is listed. Wrong options
    below all right ones change nothing.

    Args:
        similarities: Shape (options of all items,), finite, item after item; higher fits better. An option
            has one similarity in all items of a query.
        options: Of the same shape: which option each is.
        offsets: Shape (items + 1,): item i owns ``similarities[offsets[i]:offsets[i + 1]]``, at least one.
        queries: Shape (queries + 1,): query q owns the items from ``queries[q]`` up to ``queries[q + 1]``, at
            least one.

    Returns:
        The measures of each query; arrays of length 0 without queries.
    """
    measures = np.zeros((len(QUERY_MEASURES), len(queries) - 1))
    _measure(similarities, options, offsets, queries, _GAINS, np.array(RECALL_AT), measures)
    return QueryMeasures(*measures)


def join_measures(parts: Sequence[QueryMeasures]) -> QueryMeasures:
    """Put measures of some queries after those of others; no parts are no queries."""
    return QueryMeasures(
        *(np.concatenate([np.empty(0), *(getattr(part, name) for part in parts)]) for name in QUERY_MEASURES)
    )


@compiled(parallel=True)
def _measure(
    scores: F64, options: I64, bounds: I64, queries: I64, gains: F64, cuts: I64, measures: F64
) -> None:
    """Fill in ``measures``, a row each in the order of ``QUERY_MEASURES``."""
    for block in prange((len(queries) + _BLOCK - 2) // _BLOCK):
        begin, end = block * _BLOCK, min((block + 1) * _BLOCK, len(queries) - 1)
        largest = 0
        for query in range(begin, end):
            largest = max(largest, bounds[queries[query + 1]] - bounds[queries[query]])
        slots = 4
        while slots < 2 * largest:
            slots *= 2
        distinct, table, owners = np.empty(largest), np.empty(slots, np.int64), np.full(slots, -1)
        for query in range(begin, end):
            first, last = queries[query], queries[query + 1]
            ranked, right = scores[bounds[first] : bounds[last]], 1
            if last - first > 1:
                size, right = _distinct(
                    scores, options, bounds[first : last + 1], distinct, table, owners, query
                )
                ranked = distinct[:size]
            _measure_one(ranked, right, gains, cuts, measures[:, query])


@compiled()
def _measure_one(ranked: F64, right: int, gains: F64, cuts: I64, measures: F64) -> None:
    """Fill in the measures of a query from the scores of its options, the right ones first."""
    precisions, gained, most = 0.0, 0.0, len(gains) - 1
    for answer in range(right):
        score, above, level, before, beside = ranked[answer], 0, 0, 0, 0
        for option in range(len(ranked)):
            above += ranked[option] > score
            level += ranked[option] == score
        for other in range(right):
            before += ranked[other] > score
            beside += ranked[other] == score
        if above == 0:
            measures[0] = beside / level
        # It stands at each place of its tie equally often, the other right ones evenly around it.
        even = (beside - 1) / (level - 1) if level > 1 else 0.0
        for offset in range(level):
            precisions += (before + offset * even + 1) / (above + offset + 1) / level
        gained += (gains[min(above + level, most)] - gains[min(above, most)]) / level
        for cut in range(len(cuts)):
            measures[3 + cut] += min(max(cuts[cut] - above, 0), level) / level / right
    measures[1] = precisions / right
    measures[2] = gained / gains[min(right, most)]


@compiled()
def _distinct(
    scores: F64, options: I64, bounds: I64, distinct: F64, table: I64, owners: I64, query: int
) -> tuple[int, int]:
    """Write the scores of a query's distinct options, the right ones first; count both.

    Wrong ones below all right ones are left out.
    """
    lowest, size = np.inf, 0
    for item in range(len(bounds) - 1):
        score = scores[bounds[item]]
        lowest = min(lowest, score)
        if _is_new(table, owners, query, options[bounds[item]]):
            distinct[size] = score
            size += 1
    right = size
    for option in range(bounds[0], bounds[-1]):
        if scores[option] >= lowest and _is_new(table, owners, query, options[option]):
            distinct[size] = scores[option]
            size += 1
    return size, right


@compiled()
def _is_new(table: I64, owners: I64, query: int, option: int) -> bool:
    """Note an option of a query in a hash table, whose slots are free unless the query owns them."""
    slot = (option * 2_654_435_761 >> 20) & (len(table) - 1)
    while owners[slot] == query:
        if table[slot] == option:
            return False
        slot = (slot + 1) & (len(table) - 1)
    table[slot], owners[slot] = option, query
    return True
