"""Levels of several looks at growing scores."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from tellapart.core.stats.spending import nominal_level, spent_p

UNEVEN = (0.25, 0.4, 0.7, 1.0)


@pytest.mark.parametrize("level", [0.05, 0.01])
def test_paths_without_a_difference_cross_as_often_as_was_to_be_spent(level):
    shares = np.array(UNEVEN)
    levels = [nominal_level(level, UNEVEN[: k + 1]) for k in range(len(UNEVEN))]
    edges = norm.isf(np.array(levels) / 2)
    correlations = np.sqrt(np.minimum.outer(shares, shares) / np.maximum.outer(shares, shares))
    for k in range(1, len(UNEVEN) + 1):
        paths = multivariate_normal(np.zeros(k), correlations[:k, :k], seed=1, abseps=1e-6)
        inside = paths.cdf(edges[:k], lower_limit=-edges[:k])
        assert 1 - inside == pytest.approx(level * UNEVEN[k - 1] ** 2, abs=2e-5)


def test_a_single_look_has_the_whole_level():
    assert nominal_level(0.05, [1.0]) == pytest.approx(0.05, rel=1e-6)


def test_p_of_all_looks_is_the_level_that_would_just_have_claimed():
    level = nominal_level(0.03, UNEVEN[:3])
    assert spent_p(level, UNEVEN[:3]) == pytest.approx(0.03, rel=1e-6)
    ps = [spent_p(p, UNEVEN[:2]) for p in (0.0, 1e-9, 1e-4, 0.01, 0.3, 1.0)]
    assert ps == sorted(ps)
    assert (ps[0], ps[-1]) == (0.0, 1.0)
