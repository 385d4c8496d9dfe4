import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import average_precision_score

from tellapart.core.stats.influence import average_precision_values, pearson_values, spearman_values

STEP = 1e-6


def weighted_spearman(x, y, weights):
    """By its definition: Pearson's correlation of weighted mid-ranks."""
    a, b = (
        np.array([np.sum(weights * (side < value)) + np.sum(weights * (side == value)) / 2 for value in side])
        for side in (x, y)
    )
    a, b = a - np.sum(weights * a), b - np.sum(weights * b)
    return np.sum(weights * a * b) / np.sqrt(np.sum(weights * a * a) * np.sum(weights * b * b))


def derivatives(figure, n):
    """How fast a figure of weighted items moves as the weight of one grows, by a small step."""
    even = np.full(n, 1 / n)
    rows = (1 - STEP) * even + STEP * np.eye(n)
    return np.array([(figure(row) - figure(even)) / STEP for row in rows])


@pytest.fixture
def draws():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 6, 40).astype(float)
    return x, (x + rng.normal(0, 2, 40)).round(0)


def test_spearman_is_the_mean_and_each_item_adds_its_influence(draws):
    values = spearman_values(*draws)
    assert values.mean() == pytest.approx(spearmanr(*draws).statistic, abs=1e-12)
    moved = derivatives(lambda weights: weighted_spearman(*draws, weights), 40)
    assert values - values.mean() == pytest.approx(moved, abs=1e-4)


def test_pearson_is_the_mean_and_each_item_adds_its_influence(draws):
    values = pearson_values(*draws)
    assert values.mean() == pytest.approx(pearsonr(*draws).statistic, abs=1e-12)
    moved = derivatives(
        lambda w: np.cov(*draws, aweights=w)[0, 1] / np.sqrt(np.prod(np.diag(np.cov(*draws, aweights=w)))), 40
    )
    assert values - values.mean() == pytest.approx(moved, abs=1e-4)


def test_average_precision_is_the_mean_and_each_item_adds_its_influence(draws):
    labels = (draws[0] > 3).astype(float)
    values = average_precision_values(labels, draws[1])
    assert values.mean() == pytest.approx(average_precision_score(labels, draws[1]), abs=1e-12)
    moved = derivatives(lambda w: average_precision_score(labels, draws[1], sample_weight=w), 40)
    assert values - values.mean() == pytest.approx(moved, abs=1e-4)


def test_what_is_constant_or_empty_has_no_figure():
    ones = np.ones(4)
    for values in (spearman_values(ones, np.arange(4.0)), pearson_values(ones, np.arange(4.0))):
        assert np.isnan(values).all() and len(values) == 4
    assert np.isnan(average_precision_values(np.zeros(4), ones)).all()
    empty = np.empty(0)
    assert [
        len(figure(empty, empty)) for figure in (spearman_values, pearson_values, average_precision_values)
    ] == [0] * 3
