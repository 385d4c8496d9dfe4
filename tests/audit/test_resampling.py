import numpy as np
import polars as pl

from tellapart.audit.options import AuditOptions
from tellapart.audit.ranking import resample
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable


def grid_of(scores, clusters=None):
    """A grid of models a, b, …; NaN is a missing score."""
    models, items = scores.shape
    frame = pl.DataFrame(
        {
            "model": np.repeat([chr(ord("a") + k) for k in range(models)], items),
            "item": np.tile([f"i{k:03d}" for k in range(items)], models),
            "score": pl.Series(scores.ravel()).fill_nan(None),
            "cluster": np.tile(clusters, models) if clusters is not None else None,
        },
        schema_overrides={"cluster": pl.String},
    ).with_columns(missing=pl.when(pl.col("score").is_null()).then(pl.lit("parse")))
    return score_grid(ScoreTable.from_frame(frame))


SCORES = np.random.default_rng(0).random((3, 40))


def test_figures_go_by_the_names_of_models():
    scores = SCORES.copy()
    scores[0, :4] = np.nan
    found = resample(grid_of(scores), AuditOptions(resamples=100))
    assert list(found.means) == list(found.percentiles) == ["a", "b", "c"]
    for k, name in enumerate("abc"):
        assert abs(found.means[name].value - np.nanmean(scores[k])) < 1e-9
    assert found.percentiles["b"].low < found.means["b"].value < found.percentiles["b"].high


def test_the_clusters_of_the_grid_are_drawn_whole():
    # Every item twice, as a cluster: the same intervals as each once, for the draws are of clusters.
    twice = grid_of(np.repeat(SCORES, 2, axis=1), np.repeat([f"f{k:02d}" for k in range(40)], 2))
    once = grid_of(SCORES, np.array([f"f{k:02d}" for k in range(40)]))
    found, expected = (resample(grid, AuditOptions(resamples=100)) for grid in (twice, once))
    for model, estimate in expected.means.items():
        assert found.means[model].n == 40
        assert abs(found.means[model].interval.low - estimate.interval.low) < 1e-9
        assert abs(found.means[model].interval.high - estimate.interval.high) < 1e-9
