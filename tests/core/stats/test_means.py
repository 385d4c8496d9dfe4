import math
import random

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
