import math
import random
from dataclasses import replace

import pytest

from codesearch.as_json import as_json
from codesearch.explored_cases import case
from codesearch.judged_cases import judged
from reference import rankings as slow
from tellapart.codesearch.metrics.measures import grades
from tellapart.codesearch.metrics.ranked import ranked
from tellapart.codesearch.model import JudgeVerdict

ranked = as_json(ranked)

# Grades: b 2, a and c 1, x 1, y 0; z is not judged. Ours in order: y b z x a.
ONE = judged("one", "ab", "bc", "ybzxa", yes="x", no="y", failed="z")
LETTERS = "abcdefghijklmnopqrstuvwx"


def slowly(files, judged):
    return {
        "R@5": slow.recall(files, judged, 5),
        "R@10": slow.recall(files, judged, 10),
        "R@20": slow.recall(files, judged, 20),
        "MRR": slow.reciprocal_rank(files, judged),
        "nDCG@10": slow.ndcg(files, judged, 10),
        "bpref": slow.bpref(files, judged),
        "Judged@10": slow.judged_share(files, judged, 10),
    }


RULED = replace(ONE, verdicts={**ONE.verdicts, "repo/z": JudgeVerdict(False)})


def means(found):
    return {name: one["value"] for name, one in found["measures"].items()}


def random_case(rng, number):
    a, b = ("".join(rng.sample(LETTERS, rng.randint(1, 9))) for _ in range(2))
    ours = "".join(rng.sample(LETTERS, rng.randint(6, 22)))
    return case(number, a, b, ours, judged="".join(rng.sample(LETTERS, 12)))


def test_as_slow_references_have_them():
    for seed in range(4):
        one = random_case(random.Random(100 + seed), "one")
        assert means(ranked([one])) == pytest.approx(slowly(one.files, grades(one)))


def test_one_conversation_by_hand():
    found = means(ranked([RULED]))
    assert found["R@5"] == found["R@20"] == 3 / 4
    assert found["MRR"] == 1 / 2
    # Places 2, 4 and 5 gain 2, 1 and 1; at best 2, 1, 1, 1.
    best = 2 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)
    assert found["nDCG@10"] == pytest.approx((2 / math.log2(3) + 1 / math.log2(5) + 1 / math.log2(6)) / best)
    found = means(ranked([ONE]))
    # y, the one file judged not relevant, stands before all three of four: each counts 1 - 1 / min(4, 1).
    assert found["bpref"] == 0
    assert found["Judged@10"] == 4 / 5
    assert (found["R@5"], found["nDCG@10"]) == (None, None)


def test_a_missing_verdict_leaves_what_needs_none():
    for cases in ([case("one", "ab", "bc", "xb")], [case("other", "ab", "bc", "xb"), RULED]):
        found = ranked(cases)["measures"]
        assert (found["R@5"]["value"], found["R@5"]["reason"]) == (None, "verdicts are missing")
        assert found["bpref"]["n"] == len(cases)
    found = ranked([case("one", "ab", "bc", "xb")])["measures"]
    assert found["bpref"]["value"] == pytest.approx(1 / 3)
    assert found["Judged@10"]["value"] == 1 / 2
