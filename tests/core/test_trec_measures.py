import math
import sys
from itertools import permutations
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.core.trec_measures import decoded, encoded, query_scores, tied_scores
from tellapart.errors import MissingExtra, UsageError

JUDGED = {"one": {"a": 2, "b": 1, "c": 0}, "two": {"a": 1}}
RANKED = {"one": {"c": 3.0, "a": 2.0, "x": 1.0}, "three": {"a": 1.0}}


def test_measures_by_hand():
    # c, a, x: a gains 2 at rank 2; at best 2 and 1 at ranks 1 and 2.
    ndcg, rr, judged = query_scores(["nDCG@10", "RR", "Judged@2"], JUDGED, RANKED)
    assert ndcg == {"one": pytest.approx((2 / math.log2(3)) / (2 + 1 / math.log2(3)))}
    assert rr == {"one": 0.5}
    assert judged == {"one": 1.0}


def test_names_and_packages_that_are_not_there(monkeypatch):
    with pytest.raises(UsageError, match="'ERR@10' is not supported"):
        query_scores(["RR", "ERR@10"], JUDGED, RANKED)
    with pytest.raises(UsageError, match="no measure 'ndgc@10'.*nDCG@10"):
        query_scores(["ndgc@10"], JUDGED, RANKED)
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtra, match=r"pip install 'tellapart\[trec\]'"):
        query_scores(["RR"], JUDGED, RANKED)


EXACT = (
    *("nDCG", "nDCG@3", "nDCG(gains={1:3,2:1})@4", "nDCG(judged_only=True)@3", "AP", "AP@3", "AP(rel=2)"),
    *("AP(judged_only=True)", "RR", "RR@3", "RR(rel=2)", "P@3", "P@9", "R@2", "R(rel=2)@3", "Rprec"),
    *("P(judged_only=True)@2", "Success@2", "Success(rel=2)@3"),
)


def test_ties_are_the_mean_over_their_orders():
    drawn = np.random.default_rng(1)
    judged, ranked, orders, ordered = {}, {}, {}, {}
    documents = [f"d{n}" for n in range(6)]
    for n in range(25):
        query = f"q{n:02}"
        grades = zip([*documents, "not ranked"], drawn.integers(-1, 3, 7).tolist(), strict=True)
        judged[query] = {document: grade for document, grade in grades if drawn.random() < 0.8}
        of = ranked[query] = dict(zip(documents, drawn.integers(0, 3, 6).tolist(), strict=True))
        allowed = [
            order
            for order in permutations(documents)
            if all(of[a] >= of[b] for a, b in zip(order, order[1:], strict=False))
        ]
        orders[query] = [f"{query}/{i}" for i in range(len(allowed))]
        for name, order in zip(orders[query], allowed, strict=True):
            judged[name] = judged[query]
            ordered[name] = {document: float(-place) for place, document in enumerate(order)}
    for measure in EXACT:
        (by_order,) = query_scores([measure], judged, ordered)
        found = tied_scores(measure, judged, ranked)
        of_query = {query: [by_order[name] for name in names] for query, names in orders.items()}
        expected = {query: fmean(values) for query, values in of_query.items()}
        assert found.scores == pytest.approx(expected, abs=1e-14), measure
        decided = [query for query, values in of_query.items() if max(values) - min(values) > 1e-12]
        assert (found.is_exact, list(found.tied)) == (True, decided), measure


def test_scores_that_single_precision_takes_as_equal_are_no_ties():
    judged, ranked = {"q": {"a": 1}}, {"q": {"a": 1.00000000002, "b": 1.00000000001}}
    found = tied_scores("RR", judged, ranked)
    assert (found.scores, found.tied) == ({"q": 1.0}, ())
    assert query_scores(["RR"], judged, ranked) == [{"q": 0.5}]


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_every_name_is_one_field_and_comes_back(name):
    assert encoded(name).split() == [encoded(name)]
    assert decoded(encoded(name)) == name
