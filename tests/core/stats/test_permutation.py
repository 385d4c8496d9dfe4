import numpy as np
import pytest

from reference import permutation as slow
from tellapart.core.stats.permutation import block_permutation


def rng(seed=1):
    return np.random.default_rng(seed)


CASES = {
    "one block": ([1, 1, 0, 0, 0, 1], [[1, 0], [1, 1], [0, 0], [0, 1], [0, 2], [0, 5]], [0] * 6),
    "two blocks": ([1, 0, 0.5, 3, 4, 9, 2], [[i, i * i % 5] for i in range(7)], list("abaabab")),
    "pairs and one alone": ([0, 1, 1, 0, 0, 1, 5], [[k % 2, k] for k in range(7)], [0, 0, 1, 1, 2, 2, 3]),
    "all alike but one": ([0, 0, 0, 1, 0], [[1], [2], [3], [40], [5]], [0] * 5),
}


@pytest.mark.parametrize("case", CASES)
def test_every_permutation_written_down_gives_the_same(case):
    values, contrasts, blocks = CASES[case]
    p, z = slow.block_permutation(values, contrasts, blocks)
    found = block_permutation(values, contrasts, blocks, rng=rng(), draws=20_000)
    assert found.z == pytest.approx(z)
    # Five standard errors of 20,000 draws.
    assert found.p == pytest.approx(p, abs=5 * (p * (1 - p) / 20_000) ** 0.5 + 1e-4)
    assert found.draws == 20_000


def test_what_cannot_vary_has_no_z_and_changes_no_p():
    values, contrast = [1, 0, 1, 1, 0, 0, 1], np.arange(7.0)
    alone = block_permutation(values, contrast[:, None], [0] * 7, rng=rng())
    beside = block_permutation(values, np.column_stack([np.full(7, 0.1), contrast]), [0] * 7, rng=rng())
    assert beside.z[0] is None
    assert (beside.p, beside.z[1]) == (alone.p, pytest.approx(alone.z[0]))


@pytest.mark.parametrize("values", [[], [1.0], [0.1] * 5])
def test_nothing_that_varies_gives_no_p_but_a_reason(values):
    contrasts = np.arange(2.0 * len(values)).reshape(-1, 2)
    found = block_permutation(values, contrasts, [0] * len(values), rng=rng())
    assert (found.p, found.z, found.draws) == (None, (None, None), 0)
    assert found.reason == "nothing varies within a block"
