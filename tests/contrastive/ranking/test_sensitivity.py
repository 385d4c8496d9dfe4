import pytest

from tellapart.contrastive.ranking.sensitivity import least_shift


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
