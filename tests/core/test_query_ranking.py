"""Measures of queries, beside their definition over every order that ties allow, and ir_measures."""

from itertools import permutations
from math import log2
from statistics import fmean

import numpy as np
import pytest

from tellapart.core.query_ranking import QUERY_MEASURES, measure_queries
from tellapart.core.ranking import rank_options
from tellapart.core.trec_measures import query_scores

NAMES = dict(zip(QUERY_MEASURES, ("Success@1", "AP", "nDCG@10", "R@1", "R@3", "R@5", "R@10"), strict=True))


def of_one(items, scores):
    """Measures of one query: ``items`` list options, the right one first, and ``scores`` is by option."""
    options = np.array([option for item in items for option in item])
    offsets = np.cumsum([0, *map(len, items)])
    found = measure_queries(
        np.array([scores[o] for o in options]), options, offsets, np.array([0, len(items)])
    )
    return {name: getattr(found, name)[0] for name in QUERY_MEASURES}


def by_definition(order, right):
    places = [place for place, option in enumerate(order, 1) if option in right]
    return {
        "any_correct": float(order[0] in right),
        "average_precision": fmean(count / place for count, place in enumerate(places, 1)),
        "ndcg10": sum(1 / log2(1 + place) for place in places if place <= 10)
        / sum(1 / log2(1 + place) for place in range(1, min(len(right), 10) + 1)),
        **{f"recall{k}": sum(place <= k for place in places) / len(right) for k in (1, 3, 5, 10)},
    }


def over_orders(items, scores):
    right, options = {item[0] for item in items}, sorted({o for item in items for o in item})
    allowed = [
        by_definition(order, right)
        for order in permutations(options)
        if all(scores[a] >= scores[b] for a, b in zip(order, order[1:], strict=False))
    ]
    return {name: fmean(order[name] for order in allowed) for name in QUERY_MEASURES}


def test_two_right_answers_by_hand():
    # The shared negatives are 8 and 9; 0 is first, 8 second and 1 third. Precisions 1 and 2/3; gains 1 and
    # 1 / log2(4) of at most 1 and 1 / log2(3).
    found = of_one([[0, 8, 9], [1, 8, 9]], {0: 0.9, 8: 0.5, 1: 0.4, 9: 0.1})
    assert found == pytest.approx(
        {
            "any_correct": 1,
            "average_precision": (1 + 2 / 3) / 2,
            "ndcg10": 1.5 / (1 + 1 / log2(3)),
            "recall1": 0.5,
            "recall3": 1,
            "recall5": 1,
            "recall10": 1,
        }
    )


@pytest.mark.parametrize("seed", range(12))
def test_ties_are_the_mean_over_their_orders(seed):
    drawn = np.random.default_rng(seed)
    options = drawn.permutation(7).tolist()
    right = options[: drawn.integers(1, 4)]
    # Some options are listed with several right answers, and a right answer may be listed as a wrong one.
    items = [
        [one, *(o for o in options if o != one and (o not in right or drawn.random() < 0.3))] for one in right
    ]
    items = [[one, *others[: drawn.integers(1, 7)]] for one, *others in items]
    scores = drawn.integers(0, 3, 7).astype(float)
    assert of_one(items, scores) == pytest.approx(over_orders(items, scores), abs=1e-12)


def test_one_right_answer_is_measured_by_its_rank():
    scores = np.random.default_rng(5).integers(0, 4, 400).astype(float)
    offsets = np.arange(0, 401, 20)
    ranking = rank_options(scores, offsets, np.zeros(20, dtype=np.int64))
    found = measure_queries(scores, np.arange(400), offsets, np.arange(21))
    assert found.average_precision == pytest.approx(ranking.reciprocal_rank, abs=1e-14)
    for k, share in ((1, found.any_correct), (1, found.recall1), (3, found.recall3), (5, found.recall5)):
        assert share == pytest.approx(ranking.top(k), abs=1e-14)
    places = [range(rank, rank + ties + 1) for rank, ties in zip(ranking.rank, ranking.ties, strict=True)]
    discounted = [fmean(1 / log2(1 + place) if place <= 10 else 0 for place in of) for of in places]
    assert found.ndcg10 == pytest.approx(discounted, abs=1e-14)


def test_random_queries_as_ir_measures_has_them():
    pytest.importorskip("ir_measures")
    drawn = np.random.default_rng(3)
    judged, ranked, found = {}, {}, []
    for query in range(60):
        n, relevant = int(drawn.integers(12, 40)), int(drawn.integers(1, 12))
        scores = drawn.permutation(n).astype(float)
        items = [[one, *range(relevant, n)] for one in range(relevant)]
        found.append(of_one(items, scores))
        judged[f"{query:02}"] = {str(one): 1 for one in range(relevant)}
        ranked[f"{query:02}"] = {str(o): score for o, score in enumerate(scores)}
    theirs = query_scores([*NAMES.values()], judged, ranked)
    for name, of_queries in zip(NAMES, theirs, strict=True):
        assert [one[name] for one in found] == pytest.approx([*of_queries.values()], abs=1e-6)
