from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from reference import pairs as reference
from tellapart.core.stats.paired import holm
from tellapart.core.stats.sign_flip import exact_p, sign_flip_p

NAN = float("nan")


def flip(scores, clusters=None, pairs=((0, 1),), seed=0, **options):
    scores = np.asarray(scores, dtype=float)
    codes = np.arange(scores.shape[1]) if clusters is None else np.asarray(clusters)
    return sign_flip_p(scores, codes, list(pairs), rng=np.random.default_rng(seed), **options)


def table(models, items, seed=0, step=0.0):
    rng = np.random.default_rng(seed)
    return rng.random((models, items)) + step * np.arange(models)[:, None]


def test_a_pair_is_flipped_cluster_by_cluster():
    # Differences 1, 0, 1 | -1 | .5, .5: the clusters' sums are 2, -1, 1.
    a, b = [1, 1, 1, 0, 0.5, 1], [0, 1, 0, 1, 0, 0.5]
    assert flip([a, b], [0, 0, 0, 1, 2, 2]) == [reference.sign_flip([2, -1, 1])] == [0.75]
    assert flip([a, b]) == [reference.sign_flip([2, 0, 2, -2, 1, 1])]


def test_items_without_both_scores_do_not_count():
    a, b = [1, 1, NAN, 0.25, 1, 1], [0, 0, 1, 1, NAN, 0.5]
    kept = [0, 1, 3, 5]
    assert flip([a, b]) == flip([np.array(a)[kept], np.array(b)[kept]])
    assert flip([a, b], [0, 1, 0, 1, 2, 0]) == [reference.sign_flip([6, 1])]


def test_draws_agree_with_the_exact_answer():
    # Twenty terms in units of 1/100 have a distribution; hardly moved, they have none and are drawn.
    rng = np.random.default_rng(8)
    exact = np.round(rng.normal(0.3, 0.5, 20), 2)
    moved = exact + rng.uniform(-1e-7, 1e-7, 20)
    zeros = np.zeros(20)
    p, drawn = flip([exact, zeros])[0], flip([moved, zeros], draws=100_000, alpha=0.9)[0]
    assert 0.001 < p < 0.3
    assert drawn == pytest.approx(p, abs=4 * (p / 100_000) ** 0.5)
    assert (drawn * 100_001) == pytest.approx(round(drawn * 100_001), abs=1e-6)


def test_pairs_that_cannot_be_claimed_are_not_drawn_for_any_longer():
    scores = np.vstack([table(12, 60, seed=2), table(1, 60, seed=3) + 0.35])
    pairs = list(combinations(range(13), 2))
    short, long = flip(scores, pairs=pairs, draws=60_000), flip(scores, pairs=pairs, draws=60_000, alpha=0.99)
    drawn_for = np.array([60_001 if p == q else 10_001 for p, q in zip(short, long, strict=True)])
    assert {10_001, 60_001} == set(drawn_for.tolist())
    # A p that rests on fewer than 100 draws is not left at that.
    small = short[(short > 0.002) & (short < 0.0095)] * 10_001
    assert len(small) > 1
    assert (np.abs(small - np.round(small)) > 1e-6).all()
    # What is left out is far from a claim, and the rest is as it was.
    assert holm(short)[drawn_for == 10_001].min() > 0.1
    assert ((holm(short) <= 0.05) == (holm(long) <= 0.05)).all()
    assert short == pytest.approx(long, abs=0.02)


def test_too_many_clusters_are_named():
    with pytest.raises(ValueError, match="300 clusters differ, expected at most 256"):
        flip(table(2, 300))


STEADY = settings(derandomize=True, deadline=None, max_examples=60, database=None)
WHOLE = st.lists(st.integers(-6, 6).filter(bool), min_size=1, max_size=9)


def test_the_exact_p_by_hand():
    # 3, 2 and -1 add up to 4; of the 8 ways only +-(3 + 2 + 1) and +-(3 + 2 - 1) reach it.
    assert exact_p(np.array([3.0, 2.0, -1.0])) == 0.5
    assert exact_p(np.array([0.3])) == 1.0
    # Sixteen of one sign and of sizes without a unit: they and their mirror.
    assert exact_p(np.sqrt(np.arange(2.0, 18.0))) == 2 / 2**16


@STEADY
@given(WHOLE)
def test_it_is_the_share_of_all_ways(terms):
    expected = reference.sign_flip(terms)
    assert exact_p(np.array(terms, dtype=float)) == pytest.approx(expected, rel=1e-12)
    # The same where no unit is found, and the ways are gone through.
    assert exact_p(np.array(terms) * 2**0.5) == pytest.approx(expected, rel=1e-12)
    # And where the unit is a part of 1, so that sums that are equal are not so in binary: .1 + .2, .3.
    assert exact_p(np.array(terms) / 10) == pytest.approx(expected, rel=1e-12)
    assert exact_p(np.array(terms) / 3) == pytest.approx(expected, rel=1e-12)


def test_right_and_wrong_is_the_binomial_test():
    # 200 items of which 88 go one way: McNemar's.
    terms = np.repeat([1.0, -1.0], [112, 88])
    assert exact_p(terms) == pytest.approx(binomtest(88, 200).pvalue, rel=1e-9)


def test_many_terms_without_a_unit_have_none():
    terms = np.random.default_rng(3).normal(size=17)
    assert exact_p(terms) is None
    # A unit of which there are too many is none.
    assert exact_p(np.full(17, 2.0**17 + 1) + np.arange(17)) is None
