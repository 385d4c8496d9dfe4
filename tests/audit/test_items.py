import numpy as np
import polars as pl
import pytest

from support.score_tables import grid_of
from tellapart.audit.items import examine, rest_correlations
from tellapart.audit.results import Flag
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable


def grid(scores, limits=(0.0, 1.0)):
    """A grid of models m000, m001, ... and items i000, ...; NaN is missing, None was never asked."""
    models = {f"m{m:03}": [... if score is None else score for score in row] for m, row in enumerate(scores)}
    return grid_of(models, limits=limits, name="i{:03}")


def binary(seed, models, items):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(models, 1)) * 1.5 - rng.normal(size=items)
    return (rng.random((models, items)) < 1 / (1 + np.exp(-logits))).astype(float)


def test_the_table_by_hand():
    # r as in the test of the correlation; the rest of the third and fourth items is the mean of three others.
    found = examine(grid([[1, 1, 1, 0], [1, 0, 1, 0], [0, 0, 1, 0], [np.nan, 0, 1, 0]]))
    assert found.table["item"].to_list() == ["i000", "i001", "i002", "i003"]
    assert found.table["n_models"].to_list() == [3, 4, 4, 4]
    assert found.table["difficulty"].to_list() == pytest.approx([2 / 3, 1 / 4, 1, 0])
    # Rests of the second item: 2/3, 2/3, 1/3, 1/2; deviations 1/8, 1/8, -5/24, -1/24, whose squares sum to
    # 11/144, against 3/4, -1/4, -1/4, -1/4.
    r = 1 / 8 / (3 / 4 * 11 / 144) ** 0.5
    assert found.table["discrimination"].to_list() == [None, pytest.approx(r), None, None]
    assert found.table["backwards"].is_null().all()
    assert found.table["flag"].to_list() == [None, None, "all_pass", "all_fail"]
    assert found.of(Flag.ALL_PASS) == ["i002"] and found.of(Flag.ALL_FAIL) == ["i003"]


def test_limits_other_than_0_and_1():
    scores = [[10, 1, 5, 10], [10, 1, 10, np.nan]]
    flags = examine(grid(scores, limits=(1, 10))).table["flag"].to_list()
    assert flags == ["all_pass", "all_fail", None, "all_pass"]
    assert examine(grid(scores, limits=(-np.inf, np.inf))).flagged == ()
    assert examine(grid(scores, limits=(-np.inf, 10))).of(Flag.ALL_PASS) == ["i000", "i003"]


def test_a_mean_of_answers_at_the_limit_is_the_limit_though_it_is_rounded():
    frame = pl.DataFrame({"model": [*"aaabbb"], "item": "x", "replicate": [0, 1, 2] * 2, "score": 0.1})
    of = {0.1: "all_pass", 0.11: None}
    for high, flag in of.items():
        table = ScoreTable.from_frame(frame, limits=(0.0, high))
        assert examine(score_grid(table)).table["flag"].to_list() == [flag]


def test_items_that_rank_the_models_backwards_are_flagged_with_their_correlation():
    scores = binary(0, 40, 120)
    order = np.argsort(scores.mean(axis=1))
    scores[:, 5] = 0.0
    scores[order[:20], 5] = 1.0
    found = examine(grid(scores))
    assert found.of(Flag.NEGATIVE) == ["i005"]
    assert found.table["flag"][5] == "negative_discrimination"
    r = rest_correlations(scores)[5]
    assert found.flagged[0].discrimination == pytest.approx(r) and r < -0.6
    assert found.table["backwards"][5] > 0.95
    assert found.table["backwards"].to_numpy()[np.arange(120) != 5].max() < 0.5


def turned(seed, models, items, wrong):
    """Scores of which the first items have a wrong key."""
    scores = binary(seed, models, items)
    scores[:, :wrong] = 1 - scores[:, :wrong]
    return examine(grid(scores))


def test_as_many_suspects_are_backwards_as_expected():
    for models in (8, 12, 20):
        found = [turned(seed, models, 200, 30) for seed in range(10)]
        expected = sum(one.suspects.expected_backwards for one in found)
        really = sum(item < "i030" for one in found for item in one.suspects.items)
        assert expected == pytest.approx(really, abs=0.15 * really)
        flagged = [item < "i030" for one in found for item in one.of(Flag.NEGATIVE)]
        assert np.count_nonzero(np.logical_not(flagged)) <= 0.1 * len(flagged)
    assert turned(0, 7, 200, 30).suspects.items == ()
    assert turned(0, 20, 200, 0).suspects.items == ()


def test_without_differences_next_to_nothing_is_flagged():
    rng = np.random.default_rng(0)
    flagged = [len(examine(grid((rng.random((8, 60)) < 0.6).astype(float))).flagged) for _ in range(20)]
    # An item is passed by all of 8 with a chance of .6^8 = .017, failed by all of .0007: 21 of 1,200.
    assert sum(flagged) == pytest.approx(21, abs=14)
    wide = [examine(grid((rng.random((25, 60)) < 0.6).astype(float))) for _ in range(10)]
    assert sum(len(found.flagged) for found in wide) <= 1


def test_reliability_names_its_models_and_counts_its_items():
    scores = [[1, 1, 0, 1], [1, 0, 0, np.nan], [0, 0, 1, 0], [np.nan] * 4]
    found = examine(grid_of(dict(zip("dcba", scores, strict=True)))).reliability
    # Of three items passed by 2, 1, 1 of 3: p q 2/9 each; totals 2, 1, 1: variance 2/9: 3/2 (1 - 3) = -3.
    assert (found.name, found.over_models, found.items, found.reason) == ("KR-20", ("b", "c", "d"), 3, "")
    assert found.value == pytest.approx(-3)


@pytest.mark.parametrize("scores", [[[1.0], [0.0]], [[np.nan], [np.nan]], [[0.5, 0.5], [0.5, 0.5]]])
def test_tiny_tables(scores):
    found = examine(grid(scores))
    assert found.flagged == () and found.reliability.value is None
    assert found.table["discrimination"].is_null().all()
