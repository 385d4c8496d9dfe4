import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import create_model

from bundles.made_scores import scores
from reference import bundles as slow
from tellapart.bundles.scoring import EvalItems, score_items
from tellapart.bundles.tier_stats import TierStats, stats_by_tier
from tellapart.core.stats import clustered_mean, clustered_rate
from tellapart.embed.lineups import Lineups
from tellapart.embed.similarity import Embedded, VectorRows, VectorSimilarity

REPEATABLE = settings(derandomize=True, deadline=None, max_examples=80, database=None)
DOCUMENTED = [name for name in TierStats.model_fields if name != "ci95"]
# Few values, so that vectors repeat, oppose and tie; powers of two, so that scaling is exact.
VECTOR = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), min_size=3, max_size=3).filter(any)
BUNDLE = st.tuples(VECTOR, VECTOR, st.lists(VECTOR, min_size=1, max_size=9))


def tier_stats(frame):
    return stats_by_tier(frame)["overall"]


def scored(bundles, scale=1.0):
    """Score bundles of vectors: each anchor has its own text, so no clusters."""
    flat = [vector for _, positive, negatives in bundles for vector in (positive, *negatives)]
    sizes = [1 + len(negatives) for _, _, negatives in bundles]
    lineups = Lineups(
        np.arange(len(bundles)),
        np.arange(len(flat)),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
    )
    ids = [f"b{i}" for i in range(len(bundles))]
    items = pl.DataFrame(
        {"line": range(len(ids)), "bundle_id": ids, "tier": [None] * len(ids), "cluster": ids},
        schema_overrides={"tier": pl.String},
    )
    anchors = VectorRows.of(scale * np.array([anchor for anchor, _, _ in bundles]))
    options = VectorRows.of(scale * np.array(flat))
    embedded = Embedded(VectorSimilarity(anchors, options), np.full(len(ids), ""), np.full(len(flat), ""))
    return score_items(EvalItems(items, lineups, [], []), embedded, model="m")


def judged(bundles):
    """Similarities rounded, so that the reference sees the ties that exact arithmetic has."""
    return [
        slow.judge(
            round(slow.cosine(anchor, positive), 14), [round(slow.cosine(anchor, n), 14) for n in negatives]
        )
        for anchor, positive, negatives in bundles
    ]


@pytest.mark.slow
@REPEATABLE
@given(st.lists(BUNDLE, min_size=1, max_size=12))
def test_agrees_with_the_reference_on_vectors(bundles):
    found, expected = scored(bundles), judged(bundles)
    for name in ("margin", "rank", "ties", "expected_rank", "reciprocal_rank", "top3", "top5"):
        assert found[name].to_list() == pytest.approx([bundle[name] for bundle in expected], abs=1e-6)
    assert found["score"].to_list() == [float(bundle["margin"] > 0) for bundle in expected]
    stats = tier_stats(found)
    for name, value in slow.tier_stats(expected).items():
        assert getattr(stats, name) == pytest.approx(value, abs=1e-6), name


def test_four_bundles_by_hand():
    # Margins .4 .1 0 -.3; sorted -.3 0 .1 .4 the quantiles are at places 1.5, .3 and 2.7: .05, -.21, .31.
    found = tier_stats(
        scores([0.4, 0.1, 0.0, -0.3], ranks=[1, 1, 1, 4], ties=[0, 0, 1, 0]).with_columns(
            expected_rank=pl.Series([1.0, 1.0, 1.5, 4.0]), reciprocal_rank=pl.Series([1.0, 1.0, 0.75, 0.25])
        )
    )
    counts = {"n": 4, "correct": 2, "ties": 1, "mean_rank": 1.75, "expected_rank": 1.875}
    rates = {"accuracy": 0.5, "pass_rate": 0.5, "mrr": 0.75, "top3": 0.75, "top5": 1.0}
    margins = {"mean_margin": 0.05, "median_margin": 0.05, "q10_margin": -0.21, "q90_margin": 0.31}
    assert {name: getattr(found, name) for name in DOCUMENTED} == counts | rates | margins


@pytest.mark.parametrize("negatives", [1, 2, 9])
def test_a_constant_model_scores_chance(negatives):
    options = negatives + 1
    bundle = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [[0.0, 1.0, 0.0]] * negatives)
    found = tier_stats(scored([bundle] * 30))
    assert (found.n, found.ties, found.pass_rate, found.mean_rank) == (30, 30, 0.0, 1.0)
    assert found.expected_rank == (options + 1) / 2
    assert found.mrr == pytest.approx(sum(1 / rank for rank in range(1, options + 1)) / options, abs=1e-12)
    assert found.top3 == pytest.approx(min(1, 3 / options), abs=1e-12)


def test_intervals_are_clustered_on_the_anchor():
    rng = np.random.default_rng(2)
    anchors = rng.integers(0, 15, 60)
    margins = rng.normal(size=15)[anchors] + rng.normal(size=60)
    made = scores(margins.tolist(), clusters=[f"a{i}" for i in anchors])
    found = tier_stats(made).ci95
    mean, rate = clustered_mean(margins, anchors), clustered_rate(margins > 0, anchors)
    assert found["mean_margin"] == pytest.approx((mean.interval.low, mean.interval.high), abs=1e-11)
    assert found["pass_rate"] == pytest.approx((rate.interval.low, rate.interval.high), abs=1e-11)
    alone = tier_stats(scores(margins.tolist())).ci95
    for name in ("pass_rate", "mean_margin", "median_margin"):
        assert found[name][0] < alone[name][0] <= alone[name][1] < found[name][1], name


def test_scoreboards_from_before_a_figure_can_be_read_and_those_with_an_undeclared_one_are_refused():
    found = tier_stats(scores([0.5, -0.5])).to_json()
    added = create_model("Added", __base__=TierStats, recall5=(float | None, None))
    assert added.model_validate(found).recall5 is None
    with pytest.raises(ValueError, match="recall5"):
        TierStats.model_validate({**found, "recall5": 0.5})
