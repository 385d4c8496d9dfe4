import evalica
import numpy as np
import pandas as pd
import pytest

from tellapart.core.stats import krippendorff_alpha

nan = np.nan
CANONICAL = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
    [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
]
JUDGES = [
    [5, 4, 3, 4, 2, 1, 3, 5, 4, 2, 3, 4, 1, 2, 5, 3],
    [4, 4, 3, 5, 2, 2, 3, 4, 4, 1, nan, 4, 2, 2, 5, 3],
    [5, 3, 2, 4, 3, 1, nan, 5, 5, 2, 3, 3, 1, nan, 4, nan],
]
# By krippendorff 0.9.0, whose licence is the GPL, so that it is not installed here. The canonical table
# and its figures are those of Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", too.
FIGURES = [
    (CANONICAL, "nominal", 0.743421052631579),
    (CANONICAL, "ordinal", 0.8153875037548814),
    (CANONICAL, "interval", 0.8491071428571428),
    (JUDGES, "nominal", 0.3228346456692913),
    (JUDGES, "ordinal", 0.8496809175594477),
    (JUDGES, "interval", 0.8337628865979382),
]


def alpha(ratings, scale, clusters=None, seed=0):
    return krippendorff_alpha(ratings, scale, clusters, rng=np.random.default_rng(seed))


@pytest.mark.parametrize(("ratings", "scale", "expected"), FIGURES)
def test_the_package_krippendorff_finds_the_same(ratings, scale, expected):
    assert alpha(ratings, scale).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_evalica_finds_the_same(scale):
    rng = np.random.default_rng(3)
    ratings = rng.integers(1, 6, (4, 150)).astype(float)
    ratings[1:] = np.where(rng.random((3, 150)) < 0.6, ratings[0], ratings[1:])
    ratings[rng.random(ratings.shape) < 0.3] = nan
    ours = alpha(ratings, scale)
    assert ours.value == pytest.approx(evalica.alpha(pd.DataFrame(ratings), distance=scale).alpha, abs=1e-12)
    assert ours.low < ours.value < ours.high
    assert ours.n == int(((~np.isnan(ratings)).sum(axis=0) > 1).sum())


def test_clusters_of_copies_say_no_more_than_one_of_them():
    rng = np.random.default_rng(4)
    ratings = rng.integers(1, 4, (2, 60)).astype(float)
    ratings[1] = np.where(rng.random(60) < 0.7, ratings[0], ratings[1])
    copied, clusters = np.repeat(ratings, 4, axis=1), np.repeat(np.arange(60), 4)
    alone, together, careless = (
        alpha(ratings, "nominal"),
        alpha(copied, "nominal", clusters),
        alpha(copied, "nominal"),
    )
    width = [one.high - one.low for one in (alone, together, careless)]
    assert width[1] == pytest.approx(width[0], rel=0.05) and width[2] < 0.7 * width[0]


def test_there_is_nothing_to_agree_on():
    assert alpha([[1, nan], [nan, 2]], "ordinal") == alpha(np.empty((2, 0)), "ordinal")
    assert alpha([[1, nan], [nan, 2]], "ordinal").reason == "no unit was rated by two raters"
    same = alpha([[4, 4, 1], [4, 4, nan]], "interval")
    assert (same.value, same.n, same.reason) == (None, 2, "every rating is 4, so nothing could have differed")


def test_what_is_no_table_of_ratings():
    for wrong in ([1, 2], [[1, np.inf]]):
        with pytest.raises(ValueError, match="expected"):
            alpha(wrong, "nominal")
