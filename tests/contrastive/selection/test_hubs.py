import numpy as np
import pytest

from reference import contrastive as slow
from tellapart.contrastive.selection import neighbours
from tellapart.contrastive.selection.neighbours import nearest, standardising_rows


def unit_rows(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("block", [4, 8192])
def test_inner_products_are_standardised_cosines(monkeypatch, block):
    monkeypatch.setattr(neighbours, "_BLOCK", block)
    vectors = unit_rows(np.random.default_rng(1).normal(size=(11, 5)))
    sample = np.array([0, 3, 4, 9])
    queries, documents = standardising_rows(vectors, sample)
    expected = [[slow.standardised(vectors, sample, q, d) for d in range(11)] for q in range(11)]
    assert queries @ documents.T == pytest.approx(np.array(expected), abs=1e-12)


def planted_hubs():
    """400 points around a common direction, the first ten much closer to it than the others."""
    rng = np.random.default_rng(3)
    common = np.zeros(200)
    common[0] = 6.0
    spread = rng.normal(size=(400, 200))
    spread[:10] *= 0.3
    return unit_rows(common + spread)


def test_standardising_keeps_hubs_from_being_everybodys_neighbours():
    vectors, everyone = planted_hubs(), np.arange(400)
    queries, documents = standardising_rows(vectors, everyone)
    ordinary = everyone[10:]
    by_cosine = nearest(*[vectors.astype(np.float32)] * 2, ordinary, everyone, 10)
    corrected = nearest(queries.astype(np.float32), documents.astype(np.float32), ordinary, everyone, 10)
    # Ten of 400 units are hubs, so an even choice takes them 2.5 % of the time; measured .668 and .001.
    assert (by_cosine < 10).mean() > 0.6
    assert (corrected < 10).mean() < 0.01
