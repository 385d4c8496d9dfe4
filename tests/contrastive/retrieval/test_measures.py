"""Measures of rankings, beside the library that computes them and the mean over all orders of a tie."""

from itertools import permutations
from statistics import fmean

import numpy as np
import pytest

from tellapart.contrastive.retrieval.measures import MEASURES, expected_rank, measures, reciprocal_rank
from tellapart.core.trec_measures import query_scores


def from_library(rankings, relevant):
    """Means of ir_measures over rankings of document numbers, best first."""
    judged = {str(query): {f"d{d}": 1 for d in relevant} for query in range(len(rankings))}
    ranked = {
        str(query): {f"d{document}": float(-place) for place, document in enumerate(order)}
        for query, order in enumerate(rankings)
    }
    scores = query_scores(MEASURES, judged, ranked)
    return {name: fmean(of.values()) for name, of in zip(MEASURES, scores, strict=True)}


def counts(scores, relevant):
    own = np.array([scores[d] for d in relevant])[:, None]
    return (np.array(scores) > own).sum(axis=1), (np.array(scores) == own).sum(axis=1)


def orders(scores):
    """All orders of documents that their scores allow, best first."""
    return [
        order
        for order in permutations(range(len(scores)))
        if all(scores[a] >= scores[b] for a, b in zip(order, order[1:], strict=False))
    ]


@pytest.mark.parametrize("relevant", [[4], [0, 7], [1, 2, 3, 11], list(range(12))])
def test_without_ties_as_ir_measures_has_them(relevant):
    pytest.importorskip("ir_measures")
    scores = np.random.default_rng(3).permutation(12).astype(float)
    expected = from_library([np.argsort(-scores).tolist()], relevant)
    assert measures(*counts(scores, relevant)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "relevant"),
    [
        ([2, 1, 1, 1, 0], [2]),
        ([1, 1, 1, 1, 1, 1], [0, 3]),
        ([3, 2, 2, 2, 2, 1], [1, 2, 5]),
        ([1, 1, 0, 0], [0, 3]),
    ],
)
def test_ties_are_the_mean_over_their_orders(scores, relevant):
    pytest.importorskip("ir_measures")
    expected = from_library(orders(scores), relevant)
    assert measures(*counts(scores, relevant)) == pytest.approx(expected, abs=1e-12)
    firsts = [min(order.index(d) for d in relevant) + 1 for order in orders(scores)]
    above, level = counts(scores, relevant)
    together = int((above == above.min()).sum())
    tie = int(above.min()), int(level[above.argmin()]), together
    assert expected_rank(*tie) == pytest.approx(fmean(firsts))
    assert reciprocal_rank(*tie) == pytest.approx(fmean(1 / first for first in firsts))
