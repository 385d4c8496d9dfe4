import numpy as np
import pytest

from tellapart.contrastive.ranking.sensitivity import first_shares, least_shift


def test_shares_of_the_weights_under_which_a_writer_is_first():
    # Two sources: a is ahead where w > .25 of the first, as .3 w - .1 (1 - w) > 0.
    assert first_shares(np.array([[0.8, 0.4], [0.5, 0.5]])) == pytest.approx([0.75, 0.25])
    # Three: a is first near its own corner, and so are b and c; the triangle falls into three equal parts.
    assert first_shares(np.eye(3)) == pytest.approx([1 / 3] * 3)
    # a is best in one source and b in the other two: a wins where w_1 > w_2 + w_3, a triangle half as high.
    assert first_shares(np.array([[1.0, 0, 0], [0, 1, 1]])) == pytest.approx([0.25, 0.75])
    # Who is behind everywhere never wins, and two that are alike share.
    assert first_shares(np.array([[1.0, 1, 1], [1, 1, 1], [0, 0, 0]])) == pytest.approx([0.5, 0.5, 0])
    assert first_shares(np.array([[0.2], [0.3]])).tolist() == [0, 1]


def test_shares_agree_with_weights_drawn_at_random():
    rng = np.random.default_rng(1)
    means = rng.random((6, 3))
    weights = rng.dirichlet([1, 1, 1], 200_000)
    drawn = np.bincount((weights @ means.T).argmax(axis=1), minlength=6) / len(weights)
    assert first_shares(means) == pytest.approx(drawn, abs=0.005)


def test_the_least_weight_that_must_move_until_a_lead_is_gone():
    weights = {"retrieval": 0.45, "contrastive": 0.3, "judge": 0.25}
    # The lead is .45 * .2 - .25 * .2 = .04; each hundredth from retrieval to judge takes .004 of it.
    moved, then = least_shift(weights, [0.2, 0.0, -0.2]) or (None, {})
    assert moved == pytest.approx(0.1)
    assert then == pytest.approx({"retrieval": 0.35, "contrastive": 0.3, "judge": 0.35})
    # The lead is .45 * .4 + .3 * .1 - .25 * .01 = .2075. All of retrieval takes .45 * .41 = .1845 of it.
    moved, then = least_shift(weights, [0.4, 0.1, -0.01]) or (None, {})
    assert moved == pytest.approx(0.45 + 0.023 / 0.11)
    assert then["retrieval"] == 0
    assert least_shift(weights, [0.1, 0.2, 0.3]) is None
    assert least_shift(weights, [0.0, 0.0, 0.0]) == (0.0, weights)
