import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import ranking as slow
from tellapart.core.ranking import rank_options

# Few distinct values, so that ties are common.
ITEM = st.lists(st.integers(0, 3).map(float), min_size=2, max_size=5)
REPEATABLE = settings(derandomize=True, deadline=None, max_examples=150)


def ranked(*items, targets=None):
    offsets = np.cumsum([0, *map(len, items)])
    return rank_options(np.concatenate(items), offsets, targets or [0] * len(items))


def test_figures_by_hand():
    # .7 is the target: .9 is above, .7 ties, .1 is below. Orders: target second or third.
    ranking = ranked([0.7, 0.9, 0.7, 0.1])
    assert ranking.rank.tolist() == [2]
    assert ranking.ties.tolist() == [1]
    assert ranking.expected_rank.tolist() == [2.5]
    assert ranking.reciprocal_rank.tolist() == pytest.approx([(1 / 2 + 1 / 3) / 2])
    assert ranking.top(1).tolist() == [0.0]
    assert ranking.top(2).tolist() == [0.5]
    assert ranking.top(3).tolist() == [1.0]
    assert ranking.margin.tolist() == pytest.approx([-0.2])
    assert ranking.confidence_gap.tolist() == pytest.approx([0.2])
    assert ranking.best_distractor.tolist() == [1]


@pytest.mark.parametrize("options", [2, 5, 20])
def test_a_constant_scorer_scores_chance(options):
    ranking = ranked([0.25] * options)
    assert ranking.top(1).tolist() == pytest.approx([1 / options])
    assert ranking.expected_rank.tolist() == [(options + 1) / 2]
    assert ranking.margin.tolist() == [0.0]


@pytest.mark.slow
@REPEATABLE
@given(st.lists(ITEM, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_agrees_with_every_order_listed(items, random):
    targets = [random.randrange(len(item)) for item in items]
    ranking = ranked(*items, targets=targets)
    for i, (scores, target) in enumerate(zip(items, targets, strict=True)):
        assert ranking.expected_rank[i] == pytest.approx(slow.expectation(scores, target, lambda rank: rank))
        assert ranking.reciprocal_rank[i] == pytest.approx(
            slow.expectation(scores, target, lambda rank: slow.Fraction(1, rank))
        )
        for k in (1, 3, 5):
            assert ranking.top(k)[i] == pytest.approx(
                slow.expectation(scores, target, lambda rank, k=k: int(rank <= k))
            )
        best = max(score for j, score in enumerate(scores) if j != target)
        assert ranking.margin[i] == scores[target] - best
        first, second = sorted(scores, reverse=True)[:2]
        assert ranking.confidence_gap[i] == first - second


@pytest.mark.parametrize(
    ("similarities", "offsets", "targets", "complaint"),
    [
        ([0.1, np.nan], [0, 2], [0], "similarity 1 is NaN"),
        ([0.1, 0.2, 0.3], [0, 2, 3], [0, 0], r"item 1 has 1 option\(s\)"),
        ([0.1, 0.2], [0, 2], [2], "item 0 has 2 options but its target is number 2"),
        ([0.1, 0.2], [0, 3], [0], "offsets must run from 0 to 2"),
        ([0.1, 0.2], [0, 2], [0, 1], "1 items but 2 targets"),
    ],
)
def test_impossible_input_is_refused(similarities, offsets, targets, complaint):
    with pytest.raises(ValueError, match=complaint):
        rank_options(similarities, offsets, targets)
