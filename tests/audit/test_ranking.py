import numpy as np
import pytest

from support.score_tables import grid_of
from tellapart.audit.ranking import rank
from tellapart.core.comparison import PairComparison, Verdict
from tellapart.core.stats import clustered_mean, clustered_rate


def of_models(limits=(0.0, 1.0), **scores):
    """A grid from scores by model; None is missing."""
    return grid_of(scores, limits=limits)


def verdict_of(a, b, verdict):
    unknown = ("difference", "sd", "design_effect", "interval", "interval_95", "level", "test", "p")
    unknown += ("p_adjusted", "p_equivalent", "bounds", "items_needed")
    return PairComparison(
        a=a, b=b, n=1, clusters=1, binary=False, verdict=verdict, planned_level=0.05, reason="",
        **dict.fromkeys(unknown),
    )  # fmt: skip


def ends(interval):
    return interval.low, interval.high


def ranked(grid, pairs=()):
    return {model.model: model for model in rank(grid, pairs).models}


def test_best_first_ties_by_name_and_models_without_a_score_last():
    # The means of b and c are equal, though .1 + .2 + .3 and .3 + .2 + .1 differ in the last bit.
    grid = of_models(b=[0.1, 0.2, 0.3], c=[0.3, 0.2, 0.1], a=[None] * 3, d=[0.0, 0.9, 0.0], e=[0.1] * 3)
    found = ranked(grid)
    assert list(found) == ["d", "b", "c", "e", "a"]
    assert [model.rank for model in found.values()] == [1, 2, 2, 4, None]
    assert [model.n for model in found.values()] == [3, 3, 3, 3, 0]
    assert found["d"].mean == pytest.approx(0.3, abs=1e-12)
    assert (found["a"].mean, found["a"].ci, found["a"].rank_ci) == (None, None, None)


def test_means_and_bounds_are_over_what_a_model_was_asked():
    found = ranked(of_models(a=[0.5, None, 1.0, None], b=[0.5, 0.5], limits=(0.0, 2.0)))
    assert (found["a"].mean, found["a"].n, found["a"].bounds) == (0.75, 2, (0.375, 1.375))
    assert (found["b"].mean, found["b"].n, found["b"].bounds) == (0.5, 2, (0.5, 0.5))
    endless = ranked(of_models(a=[0.5, None], b=[0.5, 0.5], limits=(-np.inf, np.inf)))
    assert (endless["a"].bounds, endless["b"].bounds) == ((None, None), (0.5, 0.5))


def test_rank_intervals_count_the_models_that_are_better_and_worse():
    # a beats b and d, b beats d, c is known to be neither better nor worse than anybody, e has no score.
    grid = of_models(a=[0.9], b=[0.8], c=[0.7], d=[0.1], e=[None])
    pairs = [
        verdict_of("a", "b", Verdict.A_BETTER),
        verdict_of("a", "c", Verdict.NOT_SEPARATED),
        verdict_of("a", "d", Verdict.A_BETTER),
        verdict_of("b", "c", Verdict.EQUIVALENT),
        verdict_of("b", "d", Verdict.A_BETTER),
        verdict_of("c", "d", Verdict.WITHHELD),
    ]
    spans = {name: model.rank_ci for name, model in ranked(grid, pairs).items()}
    assert spans == {"a": (1, 2), "b": (2, 3), "c": (1, 4), "d": (3, 4), "e": None}


def test_scores_of_0_and_1_have_wilsons_interval_and_others_students():
    binary = ranked(of_models(a=[1.0, 1.0, 1.0, None], b=[0.0, 0.0, 0.0, 1.0]))
    assert binary["b"].ci == ends(clustered_rate([0.0, 0.0, 0.0, 1.0]).interval)
    graded = ranked(of_models(a=[0.6, 0.5, 0.4, None], b=[0.0, 0.0, 0.0, 0.5], c=[0.6] * 4))
    assert graded["a"].ci == ends(clustered_mean([0.6, 0.5, 0.4]).interval)
    # The interval of .125 +- 3.18 x .125 is cut to the scale, and scores that do not vary have none.
    assert graded["b"].ci == (0.0, pytest.approx(0.125 + 3.1824463 * 0.125))
    assert graded["c"].ci is None


def test_the_best_of_several_may_be_lower_than_it_seems():
    scores = {"a": [1.0] * 8 + [0.0] * 2, "b": [1.0] * 5 + [0.0] * 5, "c": [0.0, 1.0] * 5, "d": [None] * 10}
    best = ranked(of_models(**scores))["a"].ci
    # The best of three: one sixtieth of its values may lie below.
    assert best[0] == clustered_rate(scores["a"], level=1 - 0.05 / 3).interval.low
    assert best[1] == clustered_rate(scores["a"]).interval.high


def test_arena_hard_separates_intervals_that_do_not_overlap():
    # Means of two scores that are .02 apart: +- 12.7 x .01. d has no interval, so it is apart from none.
    grid = of_models(a=[0.0, 0.02], b=[0.2, 0.22], c=[0.5, 0.52], d=[0.9, 0.9])
    assert rank(grid, []).separated_arena_hard == 2 / 6
    assert rank(of_models(a=[0.0, 0.02], b=[0.9, 0.9]), []).separated_arena_hard is None


def test_signal_is_the_widest_gap_and_noise_the_root_mean_square_error():
    grid = of_models(a=[0.2, 0.4], b=[0.9, 0.7], c=[None, None], d=[0.5, 0.5], e=[0.1, 0.7])
    assert rank(grid, []).signal_to_noise == pytest.approx(0.5 / ((0.01 + 0.01 + 0.09) / 3) ** 0.5)
    assert rank(of_models(a=[0.2, 0.2], b=[0.9, 0.9]), []).signal_to_noise is None
    assert rank(of_models(a=[0.2, 0.4], b=[None, None]), []).signal_to_noise is None
