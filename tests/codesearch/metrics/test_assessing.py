import random
from dataclasses import replace

import pytest
from scipy.stats import ttest_1samp

from codesearch.as_json import as_json
from codesearch.explored_cases import FAILED, case
from tellapart.codesearch.metrics.judge import assessment
from tellapart.codesearch.model import Assessment

assessment = as_json(assessment)


def assessed(made, scores, area=None):
    return replace(made, assessment=Assessment(scores, area))


def test_dimensions_by_hand():
    cases = [
        assessed(case(1, "a", "a", "a"), {"noise": 1, "gestalt": 4}),
        assessed(case(2, "a", "a", "a"), {"noise": 2, "gestalt": 4}),
        assessed(case(3, "a", "a", "a"), {"noise": 5}),
        replace(case(4, "a", "a", "a"), assessment=Assessment({}, failure=FAILED)),
        case(5, "a", "a", "a"),
    ]
    told = assessment(cases)
    assert (told["assessed"], told["failed"]) == (3, {"timeout": 1})
    noise = told["dimensions"]["noise"]
    assert (noise["mean"]["value"], noise["mean"]["n"]) == (pytest.approx(8 / 3), 3)
    assert noise["counts"] == {"1": 1, "2": 1, "3": 0, "4": 0, "5": 1}
    # Student's is -2.5 to 7.8, which no mean of levels can be.
    assert ttest_1samp([1, 2, 5], 0).confidence_interval().low < 1
    assert (noise["mean"]["low"], noise["mean"]["high"]) == (1.0, 5.0)
    gestalt = told["dimensions"]["gestalt"]["mean"]
    assert (gestalt["value"], gestalt["low"], gestalt["reason"]) == (4.0, None, "the values do not vary")
    assert assessment(random.Random(1).sample(cases, 5)) == told
    assert assessment(cases[4:]) is None


def test_classification_by_hand():
    pairs = [("x", "x"), ("x", "x"), ("x", "y"), ("y", "y"), ("uncertain", "x"), ("uncertain", "uncertain")]
    cases = [assessed(case(n, "a", "a", "a", area=ours), {}, area) for n, (ours, area) in enumerate(pairs)]
    cases.append(assessed(case(9, "a", "a", "a"), {}))
    told = assessment(cases)["classification"]
    assert (told["accuracy"]["value"], told["accuracy"]["n"]) == (4 / 6, 6)
    assert told["mistaken"] == {"uncertain -> x": 1, "x -> y": 1}
    assert assessment(cases[6:])["classification"] is None
