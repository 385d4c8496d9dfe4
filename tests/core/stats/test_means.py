import math
import random
from math import fsum

import numpy as np
import pytest

from tellapart.core.stats import mean_once


def test_the_mean_does_not_depend_on_the_order():
    values = [1e16, 1.0, -1e16, 3.0]
    # By hand: 4 / 4; adding from the left loses the 1.
    assert mean_once(values) == 1.0
    assert sum(values) / 4 != 1.0
    numbers = [math.sin(i) for i in range(1000)]
    assert len({mean_once(random.Random(seed).sample(numbers, 1000)) for seed in range(20)}) == 1


def test_no_values_have_no_mean():
    assert mean_once([]) is None


@pytest.mark.parametrize("spread", [0, 5, 300])
def test_many_values_are_added_up_as_exactly_as_few(spread):
    drawn = np.random.default_rng(spread)
    values = drawn.normal(size=5000) * 10.0 ** drawn.integers(-spread, spread + 1, 5000)
    values = np.concatenate([values, -values[:2000], [0.0, 5e-324, 1.0]])
    assert mean_once(values) == fsum(values) / len(values)
    assert mean_once(drawn.permutation(values)) == mean_once(values.tolist())
