import numpy as np
import pytest

from reference import contrastive as slow
from tellapart.contrastive.selection import neighbours
from tellapart.contrastive.selection.neighbours import nearest


def random_rows(n, d, seed):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)


@pytest.mark.parametrize("block", [1, 3, 7, 4096])
def test_agrees_with_brute_force_across_blocks(monkeypatch, block):
    monkeypatch.setattr(neighbours, "_BLOCK", block)
    queries, documents = random_rows(40, 6, seed=1), random_rows(40, 6, seed=2)
    targets, pool = np.array([39, 0, 5, 6, 17, 2, 1]), np.arange(0, 40, 2)
    found = nearest(queries, documents, targets, pool, 8)
    assert found.tolist() == slow.nearest(queries, documents, targets, pool, 8)


@pytest.mark.parametrize("listed", [3, 128])
def test_ties_across_the_end_of_the_list_go_by_position_too(listed):
    rows = np.ones((300, 2), dtype=np.float32)
    found = nearest(rows, rows, np.array([0, 1, 299]), np.arange(300), listed)
    assert found.tolist() == [[i for i in range(300) if i != target][:listed] for target in (0, 1, 299)]
