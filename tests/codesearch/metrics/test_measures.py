import random

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from codesearch.explored_cases import case
from codesearch.judged_cases import judged, with_failure
from reference.codesearch import every_outcome
from tellapart.codesearch.metrics.measures import (
    MEASURES,
    SCORED,
    counted_twice,
    documented,
    no_run,
    unjudged,
)

precision, recall, f1, precision_union, recall_union = (SCORED[name] for name in MEASURES)
LETTERS = "abcdefgh"


def triple(measure):
    return measure.value, *measure.bounds


def open_between(measure):
    assert (measure.value, measure.missing) == (None, "judge")
    return measure.bounds


def test_by_hand():
    # Ours abcdef; the explorations found a and b of these, and g. Of c to f the judge calls c relevant, d
    # not, and says nothing of e and f. So 3 are sure and up to 5 may be.
    one = judged(1, "ag", "b", "abcdef", yes="c", no="d", failed="ef")
    assert open_between(precision(one)) == (3 / 6, 5 / 6)
    assert open_between(recall(one)) == (3 / 4, 5 / 6)
    # 2 x 3 / (6 + 3 + 1), the harmonic mean of 1/2 and 3/4; and 2 x 5 / (6 + 5 + 1).
    assert open_between(f1(one)) == (6 / 10, 10 / 12)
    ruled = judged(1, "ag", "b", "abcdef", yes="c", no="def")
    assert [triple(of(ruled)) for of in (precision, recall, f1)] == [(v,) * 3 for v in (1 / 2, 3 / 4, 3 / 5)]
    assert triple(precision_union(one)) == (2 / 6,) * 3
    assert triple(recall_union(one)) == (2 / 3,) * 3
    assert {name: SCORED[name](ruled).missing for name in MEASURES} == dict.fromkeys(MEASURES)


def random_case(rng, *, with_failures):
    rates = rng.choice([(0.6, 0.3, 0.3), (0.6, 0.05, 0), (0.05, 0.3, 0)])
    ours, a, b = ("".join(f for f in LETTERS if rng.random() < rate) for rate in rates)
    say = "ynf" if with_failures else "yn"
    said = {f: rng.choice(say) for f in ours if f not in a + b}
    return judged(1, a, b, ours, *("".join(f for f, word in said.items() if word == w) for w in "ynf"))


def test_bounds_are_those_of_every_way_the_missing_verdicts_could_come_out():
    rng = random.Random(7)
    seen = set()
    for _ in range(400):
        one = random_case(rng, with_failures=True)
        outcomes = list(every_outcome(one))
        for name in MEASURES:
            known = [outcome[name] for outcome in outcomes if outcome[name] is not None]
            found = SCORED[name](one)
            # No file relevant comes first. A share that is undefined then has no lower bound.
            low, high = outcomes[0][name], max(known, default=None)
            assert found.bounds[0] == (None if low is None else float(low))
            assert found.bounds[1] == (None if high is None else float(high))
            if low is not None:
                assert low == min(known)
            seen.add((name, low is None, high is None, low == high))
    # Shares of nothing were among them, at one end and at both.
    assert {("recall", True, False, False), ("recall", True, True, True), ("f1", True, True, True)} <= seen
    assert {("precision", True, True, True), ("recall_union", True, True, True)} <= seen


def test_with_all_verdicts_they_are_those_of_scikit_learn():
    rng = random.Random(3)
    for _ in range(100):
        one = random_case(rng, with_failures=False)
        relevant = one.ground_truth | one.our_unique_relevant
        truth, found = (np.array([f"repo/{f}" in files for f in LETTERS]) for files in (relevant, one.ours))
        expected = precision_recall_fscore_support(truth, found, average="binary", zero_division=np.nan)
        if truth.any() or found.any():
            values = [measure(one).value for measure in (precision, recall, f1)]
            assert np.array(values, dtype=float) == pytest.approx(expected[:3], nan_ok=True)


def test_without_any_verdict_only_bounds_are_there():
    one = case(1, "ab", "c", "adef")
    assert unjudged(one)
    assert (*triple(precision(one)), precision(one).missing) == (None, 1 / 4, 1.0, "judge")
    assert (*triple(recall(one)), recall(one).missing) == (None, 1 / 3, 4 / 6, "judge")
    assert (*triple(f1(one)), f1(one).missing) == (None, 2 / 7, 8 / 10, "judge")
    assert (precision_union(one).value, recall_union(one).value) == (1 / 4, 1 / 3)
    # Verdicts that all failed are none; as documented they count as not relevant.
    all_failed = judged(1, "ab", "c", "adef", failed="def")
    assert open_between(precision(all_failed)) == (1 / 4, 1.0)
    assert documented(all_failed, "precision") == 1 / 4
    # Verdicts on files of theirs are none on ours.
    assert unjudged(judged(1, "ab", "c", "adef", yes="a"))


def test_without_explorations_there_is_no_recall_and_precision_is_what_the_judge_says():
    one = judged(1, None, None, "abc", yes="a", no="bc")
    one = with_failure(one, "run_a", "budget")
    assert no_run(one)
    assert triple(precision(one)) == (1 / 3,) * 3
    for measure in (recall, f1, precision_union, recall_union):
        assert (*triple(measure(one)), measure(one).missing) == (None, 0.0, 1.0, "budget")


def test_documented_counts_a_judged_file_of_theirs_twice():
    # Ours abcd of which a is theirs too; a and b are called relevant. The documented pipeline adds
    # 1 + 2 of 4, and 3 of 3 + 1 missed.
    one = judged(1, "ae", "", "abcd", yes="ab", no="cd")
    assert counted_twice(one) == {"repo/a"}
    assert (documented(one, "precision"), documented(one, "recall")) == (3 / 4, 3 / 4)
    assert (precision(one).value, recall(one).value) == (2 / 4, 2 / 3)
    assert documented(judged(1, "ab", "", "ab", yes="ab"), "precision") == 1.0
    assert documented(case(1, "a", "", "ab"), "precision") is None
    assert documented(case(1, "a", None, ""), "precision") is None
