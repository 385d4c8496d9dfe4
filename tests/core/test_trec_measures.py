import math
import sys

import pytest

from tellapart.core.trec_measures import query_scores
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
